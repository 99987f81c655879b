import type { CustomerDirectory, CustomerWindow } from '../../src/core/customers/customer-directory.js';
import { later, sampleCustomer, sampleEndpoint } from '../support/samples.js';
import { atOnce, type CustomerPorts, present, Tenant } from '../support/tenant.js';

export interface OpenDirectory extends CustomerPorts {
  close(): Promise<void>;
}

/** What `CustomerDirectory` promises. `open` gives a new and empty one for every test. */
export function customerDirectoryContract(name: string, open: () => Promise<OpenDirectory>): void {
  describe(`CustomerDirectory: ${name}`, () => {
    let opened: OpenDirectory;
    let customers: CustomerDirectory;

    beforeEach(async () => {
      opened = await open();
      customers = opened.customers;
    });
    afterEach(() => opened.close());

    it('creates a customer that is active, keeps its trash for 30 days, and is in its first version', async () => {
      const values = sampleCustomer({
        name: 'Été 📷',
        storageBytesLimit: 2 ** 42,
        photosLimit: 0,
        createdAt: later(7),
      });
      const customer = await customers.create(values);
      const rest = { status: 'active', trashRetentionDays: 30, updatedAt: later(7), version: 1 };
      expect(customer).toEqual({ ...values, ...rest, id: customer.id });
      expect(await customers.find(customer.id)).toEqual(customer);
    });

    it('keeps quotas that are not there apart from those of 0', async () => {
      const [without, none] = [
        await customers.create(sampleCustomer()),
        await customers.create(sampleCustomer({ storageBytesLimit: 0, photosLimit: 0 })),
      ];
      expect(await customers.find(without.id)).toMatchObject({ storageBytesLimit: null, photosLimit: null });
      expect(await customers.find(none.id)).toMatchObject({ storageBytesLimit: 0, photosLimit: 0 });
    });

    it('knows nothing of a customer that never was', async () => {
      expect(await customers.find(1)).toBeNull();
      expect(await customers.find(9e15)).toBeNull();
      expect(await customers.list()).toEqual([]);
    });

    it('lists every customer by id ascending, those of the same name too', async () => {
      const created = await atOnce(5, () => customers.create(sampleCustomer()));
      expect(new Set(created.map((customer) => customer.id)).size).toBe(5);
      expect(await customers.list()).toEqual(created.toSorted((a, b) => a.id - b.id));
    });

    it('creates the first customer once, however many ask at once', async () => {
      const answers = await atOnce(10, (number) => customers.createFirst(sampleCustomer({ name: `first ${number}` })));
      const created = answers.flatMap((customer) => customer ?? []);
      expect(created).toHaveLength(1);
      expect(await customers.list()).toEqual(created);
      expect(await customers.createFirst(sampleCustomer())).toBeNull();
    });

    const all = { after: null, limit: 10 };

    it('tells who has photos in the trash whose time is over', async () => {
      const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map(() => Tenant.of(opened)));
      const trashedAt = later(-1);
      await present(a).addPhotos([{ trashedAt, purgeAt: later(0) }, { trashedAt, purgeAt: later(0) }, {}]);
      await present(b).addPhoto({ trashedAt, purgeAt: later(1) });
      await present(c).addPhoto();
      await present(d).addPhoto({ trashedAt, purgeAt: later(-5) });
      const due = [present(a).id, present(d).id].toSorted((x, y) => x - y);
      const find = (at: Date, window: CustomerWindow) => customers.withTrashToPurge(at, window);
      expect(await find(later(0), all)).toEqual(due);
      expect(await find(later(-5), all)).toEqual([present(d).id]);
      expect(await find(later(-6), all)).toEqual([]);
      expect(await find(later(0), { after: null, limit: 1 })).toEqual(due.slice(0, 1));
      expect(await find(later(0), { after: present(due[0]), limit: 10 })).toEqual(due.slice(1));
    });

    it('tells who has open imports whose time is over', async () => {
      const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map(() => Tenant.of(opened)));
      await present(a).addImport({ expiresAt: later(0) });
      await present(a).addImport({ expiresAt: later(-1) });
      await present(b).addImport({ expiresAt: later(1) });
      await present(c).addImport({ expiresAt: null, status: 'processing' });
      await present(d).addImport({ expiresAt: later(-5) });
      const due = [present(a).id, present(d).id].toSorted((x, y) => x - y);
      const find = (at: Date, window: CustomerWindow) => customers.withIdleImports(at, window);
      expect(await find(later(0), all)).toEqual(due);
      expect(await find(later(-5), all)).toEqual([present(d).id]);
      expect(await find(later(0), { after: null, limit: 1 })).toEqual(due.slice(0, 1));
      expect(await find(later(0), { after: present(due[0]), limit: 10 })).toEqual(due.slice(1));
    });

    it('finds who has webhook endpoints, by id and in pages', async () => {
      const [a, b, c] = [await Tenant.of(opened), await Tenant.of(opened), await Tenant.of(opened)];
      for (const owner of [a, c, c])
        await owner.within((work) => work.webhookEndpoints.insert(sampleEndpoint(owner.id)));
      const find = (window: CustomerWindow) => customers.withWebhookEndpoints(window);
      expect(await find({ after: a.id - 1, limit: 10 })).toEqual([a.id, c.id]);
      expect(await find({ after: b.id, limit: 10 })).toEqual([c.id]);
      expect(await find({ after: a.id - 1, limit: 1 })).toEqual([a.id]);
      expect(await find({ after: null, limit: 1 })).toHaveLength(1);
    });

    it('tells who has open imports whose time ends later', async () => {
      const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map(() => Tenant.of(opened)));
      await present(a).addImport({ expiresAt: later(1) });
      await present(a).addImport({ expiresAt: later(9) });
      await present(b).addImport({ expiresAt: later(0) });
      await present(c).addImport({ expiresAt: null, status: 'processing' });
      await present(d).addImport({ expiresAt: later(5) });
      const using = [present(a).id, present(d).id].toSorted((x, y) => x - y);
      const find = (at: Date, window: CustomerWindow) => customers.withImportsEndingAfter(at, window);
      expect(await find(later(0), all)).toEqual(using);
      expect(await find(later(5), all)).toEqual([present(a).id]);
      expect(await find(later(9), all)).toEqual([]);
      expect(await find(later(0), { after: null, limit: 1 })).toEqual(using.slice(0, 1));
      expect(await find(later(0), { after: present(using[0]), limit: 10 })).toEqual(using.slice(1));
    });

    it('tells who has ended imports that are old enough to be forgotten, or items of such', async () => {
      const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map(() => Tenant.of(opened)));
      const ended = (completedAt: Date) => ({ status: 'completed', expiresAt: null, completedAt }) as const;
      await present(a).addImport(ended(later(0)));
      await present(a).addImport(ended(later(-1)));
      await present(b).addImport(ended(later(1)));
      await present(c).addImport({ expiresAt: later(-9) });
      const old = await present(d).addImport(ended(later(-5)));
      const due = [present(a).id, present(d).id].toSorted((x, y) => x - y);
      const never = later(-100);
      const find = (itemsOf: Date, imports: Date, window: CustomerWindow) =>
        customers.withImportsToForget({ itemsOf, imports }, window);
      expect(await find(later(0), never, all)).toEqual(due);
      expect(await find(later(-5), never, all)).toEqual([present(d).id]);
      expect(await find(later(-6), never, all)).toEqual([]);
      expect(await find(later(0), never, { after: null, limit: 1 })).toEqual(due.slice(0, 1));
      expect(await find(later(0), never, { after: present(due[0]), limit: 10 })).toEqual(due.slice(1));
      await present(d).within(async ({ imports }) => {
        await imports.lock(old.id);
        await imports.forgetItems(old.id, 10);
      });
      expect(await find(later(0), never, all)).toEqual([present(a).id]);
      expect(await find(later(-5), later(-6), all)).toEqual([]);
      expect(await find(later(-5), later(-5), all)).toEqual([present(d).id]);
    });

    it('creates no first customer where there is one', async () => {
      const customer = await customers.create(sampleCustomer());
      expect(await customers.createFirst(sampleCustomer({ name: 'first' }))).toBeNull();
      expect(await customers.list()).toEqual([customer]);
    });
  });
}
