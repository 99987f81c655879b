import type { CustomerDirectory } from '../../src/core/customers/customer-directory.js';
import { later, sampleCustomer } from '../support/samples.js';
import { atOnce } from '../support/tenant.js';

export interface OpenDirectory {
  readonly customers: CustomerDirectory;
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

    it('creates no first customer where there is one', async () => {
      const customer = await customers.create(sampleCustomer());
      expect(await customers.createFirst(sampleCustomer({ name: 'first' }))).toBeNull();
      expect(await customers.list()).toEqual([customer]);
    });
  });
}
