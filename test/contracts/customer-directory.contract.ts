import { commandLine } from '../../src/core/audit/audit-entry.js';
import type { BulkEdit } from '../../src/core/bulk-edits/bulk-edit.js';
import { createCustomerOnce, createFirstCustomer } from '../../src/core/customers/create-customer.js';
import type { CustomerStatus, NewCustomer } from '../../src/core/customers/customer.js';
import type { CustomerDirectory, CustomerWindow, RowCounts } from '../../src/core/customers/customer-directory.js';
import type { Import } from '../../src/core/imports/import.js';
import { newResumableUpload } from '../../src/core/imports/receive/resumable-upload.js';
import type { Photo } from '../../src/core/photos/photo.js';
import { newInvitedUser } from '../../src/core/users/user.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { later, sampleCustomer, sampleDeliveryKey, sampleEndpoint, sampleShare } from '../support/samples.js';
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

    const insert = (values: Partial<NewCustomer> = {}) =>
      customers.transaction((transaction) => transaction.insert(sampleCustomer(values)));

    it('stores every value of a customer under a new id', async () => {
      const values = sampleCustomer({
        name: 'Été 📷',
        status: 'suspended',
        storageBytesLimit: 2 ** 42,
        photosLimit: 0,
        trashRetentionDays: 7,
        factorsRequiredFrom: later(8),
        settingsIpList: ['203.0.113.0/24'],
        admitsNewPeople: true,
        createdAt: later(7),
        updatedAt: later(9),
        version: 3,
      });
      for (const each of [values, sampleCustomer()]) {
        const customer = await insert(each);
        expect(customer).toEqual({ ...each, id: customer.id });
        expect(await customers.find(customer.id)).toEqual(customer);
      }
    });

    it('commits a customer with the entry in its log and the request that created it, or none of them', async () => {
      const entry = { action: 'customer.created', at: later(1) } as const;
      const create = (fails: boolean) =>
        customers.transaction(async (transaction) => {
          expect(await transaction.any()).toBe(false);
          const customer = await transaction.insert(sampleCustomer());
          expect([await transaction.any(), await transaction.find(customer.id)]).toEqual([true, customer]);
          await transaction.auditOf(customer.id).add(commandLine, { ...entry, subject: customer });
          const request = { key: 'a', fingerprint: 'x', createdId: customer.id, startedAt: later(5) };
          await transaction.addRequest(request);
          if (fails) throw new Error('no');
          return [customer, request] as const;
        });
      await expect(create(true)).rejects.toThrow('no');
      expect(await customers.list()).toEqual([]);
      const [customer, request] = await create(false);
      const log = await opened.store.query(customer.id, ({ audit }) => audit.list(null, 10));
      expect(log).toMatchObject([{ ...entry, subjectId: customer.id, actorKind: 'command_line' }]);
      await customers.transaction(async (transaction) => {
        await transaction.forgetRequests(later(5));
        expect([await transaction.findRequest('a'), await transaction.findRequest('b')]).toEqual([request, null]);
        await transaction.forgetRequests(later(6));
        expect(await transaction.findRequest('a')).toBeNull();
      });
    });

    it('distinguishes quotas that are absent from those of 0', async () => {
      const [without, none] = [await insert(), await insert({ storageBytesLimit: 0, photosLimit: 0 })];
      expect(await customers.find(without.id)).toMatchObject({ storageBytesLimit: null, photosLimit: null });
      expect(await customers.find(none.id)).toMatchObject({ storageBytesLimit: 0, photosLimit: 0 });
    });

    it('finds no customer that never existed', async () => {
      expect(await customers.find(1)).toBeNull();
      expect(await customers.find(9e15)).toBeNull();
      expect(await customers.list()).toEqual([]);
    });

    it('lists pages by id ascending', async () => {
      const created = await atOnce(5, () => insert());
      const all = created.toSorted((a, b) => a.id - b.id);
      expect(await customers.page({ after: null, limit: 3 })).toEqual(all.slice(0, 3));
      expect(await customers.page({ after: present(all[2]).id, limit: 3 })).toEqual(all.slice(3));
      expect(await customers.page({ after: 9e15, limit: 3 })).toEqual([]);
    });

    const request = { name: 'ACME', storageBytesLimit: null, photosLimit: null };
    const uses = () => ({ customers, clock: new SettableClock() });

    it('creates one customer for a key, however many requests use it at once', async () => {
      const create = (key: string) => createCustomerOnce(uses(), commandLine, request, { key, fingerprint: 'x' });
      const outcomes = await atOnce(5, () => create('a'));
      expect(outcomes.filter(({ isNew }) => isNew)).toHaveLength(1);
      const [customer] = await customers.list();
      expect(await customers.list()).toHaveLength(1);
      expect(outcomes.map((outcome) => outcome.customer)).toEqual(Array(5).fill(customer));
      expect(await create('b')).toMatchObject({ isNew: true });
    });

    it('stores the proof of an erasure, and never replaces one that is complete', async () => {
      const blobs = { originals: 1, renditions: 2, staging: 0, bytes: 2 ** 43 };
      const proof = { customerId: 7, startedAt: later(1), finishedAt: later(2), rowsBefore: { photos: 1 } };
      const erasure = { ...proof, rowsAfter: { photos: 0 }, blobsRemoved: blobs, blobsAfter: blobs, complete: false };
      expect(await customers.findErasure(7)).toBeNull();
      for (const stored of [erasure, { ...erasure, finishedAt: later(3), complete: true }]) {
        await customers.recordErasure(stored);
        expect(await customers.findErasure(7)).toEqual(stored);
      }
      await customers.recordErasure({ ...erasure, complete: true });
      expect(await customers.findErasure(7)).toMatchObject({ finishedAt: later(3) });
      expect(await customers.findErasure(8)).toBeNull();
    });

    it('stores the size of renditions as it was counted last', async () => {
      const tenants = [await Tenant.of(opened), await Tenant.of(opened), await Tenant.of(opened)];
      const [one, two, three] = tenants.map(({ id }) => id);
      const stored = () =>
        Promise.all(tenants.map(async (tenant) => (await tenant.query(({ usage }) => usage.read())).renditionBytes));
      expect(await stored()).toEqual([0, 0, 0]);
      await customers.setRenditionBytes(
        new Map([
          [present(one), 7],
          [present(two), 2 ** 43],
          [9e15, 1],
        ]),
      );
      expect(await stored()).toEqual([7, 2 ** 43, 0]);
      await customers.setRenditionBytes(
        new Map([
          [present(two), 8],
          [present(three), 9],
        ]),
      );
      expect(await stored()).toEqual([0, 8, 9]);
      await atOnce(3, (number) => customers.setRenditionBytes(new Map([[present(one), number]])));
      expect(await stored()).toEqual([expect.any(Number), 0, 0]);
    });

    it('lists every customer by id ascending, also those of the same name', async () => {
      const created = await atOnce(5, () => insert());
      expect(new Set(created.map((customer) => customer.id)).size).toBe(5);
      expect(await customers.list()).toEqual(created.toSorted((a, b) => a.id - b.id));
    });

    it('creates the first customer once, however many requests come at once', async () => {
      const create = () => createFirstCustomer(uses(), commandLine);
      const created = (await atOnce(10, create)).flatMap((customer) => customer ?? []);
      expect(created).toHaveLength(1);
      expect(await customers.list()).toEqual(created);
      expect(await create()).toBeNull();
    });

    const all = { after: null, limit: 10 };

    it('finds the customers that own photos with an instant up to another', async () => {
      const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map(() => Tenant.of(opened)));
      const trashedAt = later(-1);
      await present(a).addPhotos([{ trashedAt, purgeAt: later(0) }, { trashedAt, purgeAt: later(0) }, {}]);
      await present(b).addPhoto({ trashedAt, purgeAt: later(1) });
      await present(c).addPhoto();
      await present(d).addPhoto({ trashedAt, purgeAt: later(-5) });
      const due = [present(a).id, present(d).id].toSorted((x, y) => x - y);
      const find = (at: Date, window: CustomerWindow) =>
        customers.owning<Photo>('photos', window, { purgeAt: { until: at } });
      expect(await find(later(0), all)).toEqual(due);
      expect(await find(later(-5), all)).toEqual([present(d).id]);
      expect(await find(later(-6), all)).toEqual([]);
      expect(await find(later(0), { after: null, limit: 1 })).toEqual(due.slice(0, 1));
      expect(await find(later(0), { after: present(due[0]), limit: 10 })).toEqual(due.slice(1));
    });

    it('finds the customers that own imports with a value and an instant up to another', async () => {
      const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map(() => Tenant.of(opened)));
      await present(a).addImport({ expiresAt: later(0) });
      await present(a).addImport({ expiresAt: later(-1) });
      await present(b).addImport({ expiresAt: later(1) });
      await present(c).addImport({ expiresAt: null, status: 'processing' });
      await present(d).addImport({ expiresAt: later(-5) });
      const due = [present(a).id, present(d).id].toSorted((x, y) => x - y);
      const find = (at: Date, window: CustomerWindow) =>
        customers.owning<Import>('imports', window, { status: 'open', expiresAt: { until: at } });
      expect(await find(later(0), all)).toEqual(due);
      expect(await find(later(-5), all)).toEqual([present(d).id]);
      expect(await find(later(0), { after: null, limit: 1 })).toEqual(due.slice(0, 1));
      expect(await find(later(0), { after: present(due[0]), limit: 10 })).toEqual(due.slice(1));
    });

    const addUpload = async (owner: Tenant) => {
      const item = await owner.addItem(await owner.addImport());
      await owner.transaction(async ({ importPhotos, resumableUploads }) => {
        await importPhotos.lock(item.importId, item.id);
        await resumableUploads.put(newResumableUpload(item, later(0)));
      });
    };
    const addApp = (owner: Tenant) =>
      owner.transaction(async ({ users, factors }) => {
        const { id: userId } = present(await users.insert(newInvitedUser(null, 'owner', later(0))));
        const times = { createdAt: later(0), lastUsedAt: later(0) };
        await factors.insertApp({ userId, name: 'Phone', secret: 'v1.x', lastStep: 1, ...times });
      });
    const rowsIn: Readonly<Record<string, (owner: Tenant) => Promise<unknown>>> = {
      authenticator_apps: addApp,
      delivery_keys: (owner) => owner.transaction(({ deliveryKeys }) => deliveryKeys.insert(sampleDeliveryKey())),
      resumable_uploads: addUpload,
      shares: (owner) => owner.transaction(({ shares }) => shares.insert(sampleShare())),
      webhook_endpoints: (owner) =>
        owner.transaction(({ webhookEndpoints }) => webhookEndpoints.insert(sampleEndpoint(owner.id))),
    };

    it.each(Object.entries(rowsIn))(
      'finds the customers that own rows in %s, by id and in pages',
      async (table, add) => {
        const [a, b, c] = [await Tenant.of(opened), await Tenant.of(opened), await Tenant.of(opened)];
        for (const owner of [a, c, c]) await add(owner);
        const find = (window: CustomerWindow) => customers.owning(table, window);
        expect(await find({ after: a.id - 1, limit: 10 })).toEqual([a.id, c.id]);
        expect(await find({ after: b.id, limit: 10 })).toEqual([c.id]);
        expect(await find({ after: a.id - 1, limit: 1 })).toEqual([a.id]);
        expect(await find({ after: null, limit: 1 })).toEqual([a.id]);
      },
    );

    it('finds the customers that own imports with a value and an instant after another', async () => {
      const [a, b, c, d] = await Promise.all(['a', 'b', 'c', 'd'].map(() => Tenant.of(opened)));
      await present(a).addImport({ expiresAt: later(1) });
      await present(a).addImport({ expiresAt: later(9) });
      await present(b).addImport({ expiresAt: later(0) });
      await present(c).addImport({ expiresAt: null, status: 'processing' });
      await present(d).addImport({ expiresAt: later(5) });
      const using = [present(a).id, present(d).id].toSorted((x, y) => x - y);
      const find = (at: Date, window: CustomerWindow) =>
        customers.owning<Import>('imports', window, { status: 'open', expiresAt: { after: at } });
      expect(await find(later(0), all)).toEqual(using);
      expect(await find(later(5), all)).toEqual([present(a).id]);
      expect(await find(later(9), all)).toEqual([]);
      expect(await find(later(0), { after: null, limit: 1 })).toEqual(using.slice(0, 1));
      expect(await find(later(0), { after: present(using[0]), limit: 10 })).toEqual(using.slice(1));
    });

    it('finds the customers that own bulk edits with an instant before another', async () => {
      const [a, b] = await Promise.all(['a', 'b'].map(() => Tenant.of(opened)));
      const actor = { kind: 'service', id: null, name: null, address: null } as const;
      const edit = { action: { kind: 'trash' }, filters: null, total: 1, actor } as const;
      for (const tenant of [a, b].map(present)) {
        await tenant.transaction(({ bulkEdits }) => bulkEdits.insert({ ...edit, createdAt: later(-5) }, []));
      }
      const owners = [present(a).id, present(b).id].toSorted((x, y) => x - y);
      const find = (before: Date, window: CustomerWindow) =>
        customers.owning<BulkEdit>('bulk_edits', window, { createdAt: { before } });
      expect(await find(later(-4), all)).toEqual(owners);
      expect(await find(later(-5), all)).toEqual([]);
      const next = { after: present(owners[0]), limit: 10 };
      expect(await find(later(-4), next)).toEqual(owners.slice(1));
    });

    it('finds the customers that own imports which meet one of two conditions', async () => {
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
        customers.owning<Import & { itemsForgotten: boolean }>(
          'imports',
          window,
          { itemsForgotten: false, completedAt: { until: itemsOf } },
          { itemsForgotten: true, completedAt: { until: imports } },
        );
      expect(await find(later(0), never, all)).toEqual(due);
      expect(await find(later(-5), never, all)).toEqual([present(d).id]);
      expect(await find(later(-6), never, all)).toEqual([]);
      expect(await find(later(0), never, { after: null, limit: 1 })).toEqual(due.slice(0, 1));
      expect(await find(later(0), never, { after: present(due[0]), limit: 10 })).toEqual(due.slice(1));
      await present(d).transaction(async ({ imports }) => {
        await imports.lock(old.id);
        await imports.forgetItems(old.id, 10);
      });
      expect(await find(later(0), never, all)).toEqual([present(a).id]);
      expect(await find(later(-5), later(-6), all)).toEqual([]);
      expect(await find(later(-5), later(-5), all)).toEqual([present(d).id]);
    });

    it('finds the customers that have been closing for a while', async () => {
      const [a, b, c] = [await Tenant.of(opened), await Tenant.of(opened), await Tenant.of(opened)];
      await setStatus(a, 'closing', later(0));
      await setStatus(b, 'suspended', later(0));
      await setStatus(c, 'closing', later(5));
      expect(await customers.closingSince(later(-1), all)).toEqual([]);
      expect(await customers.closingSince(later(0), all)).toEqual([a.id]);
      expect(await customers.closingSince(later(5), { after: a.id, limit: 1 })).toEqual([c.id]);
    });

    it('counts and removes everything of one customer, piece by piece, and nothing of another', async () => {
      const [gone, kept] = [await Tenant.of(opened), await Tenant.of(opened)];
      for (const tenant of [gone, kept]) await fill(tenant);
      const before = await customers.countRows(kept.id);
      expect(await customers.countRows(gone.id)).toEqual(before);
      expect(before).toMatchObject({ photos: 3, photo_tags: 3, photo_exif: 3, tags: 1, imports: 1, import_photos: 2 });
      expect(before).toMatchObject({ job_queue: 2, webhook_endpoints: 1, webhook_deliveries: 1 });
      let removed = 0;
      for (let more = 1; more > 0; removed += more) more = await customers.removeRows(gone.id);
      expect(removed).toBe(sum(before));
      expect(sum(await customers.countRows(gone.id))).toBe(0);
      expect(await customers.countRows(kept.id)).toEqual(before);
      expect(await customers.find(gone.id)).not.toBeNull();
    });

    it('removes a closing customer once no row is left, and then nothing can be written for it', async () => {
      const tenant = await Tenant.of(opened);
      await tenant.addTag('last');
      await expect(customers.remove(tenant.id)).rejects.toThrow('active');
      await setStatus(tenant, 'closing', later(0));
      expect(await customers.remove(tenant.id)).toBe(false);
      expect(await customers.find(tenant.id)).not.toBeNull();
      while ((await customers.removeRows(tenant.id)) > 0);
      expect(await customers.remove(tenant.id)).toBe(true);
      expect(await customers.find(tenant.id)).toBeNull();
      expect(await customers.remove(tenant.id)).toBe(true);
      await expect(tenant.addImport()).rejects.toThrow();
      expect(sum(await customers.countRows(tenant.id))).toBe(0);
    });

    it('keeps what was written while a customer was removed, or refuses it', async () => {
      const tenant = await Tenant.of(opened);
      await setStatus(tenant, 'closing', later(0));
      const written = atOnce(8, (number) =>
        tenant.addTag(`late ${number}`).then(
          () => 1,
          () => 0,
        ),
      );
      const removed = await customers.remove(tenant.id);
      const tags = (await written).reduce((total: number, one) => total + one, 0);
      expect(sum(await customers.countRows(tenant.id)) > 0).toBe(tags > 0);
      expect(removed && tags > 0).toBe(false);
    });
  });
}

function setStatus(tenant: Tenant, status: CustomerStatus, updatedAt: Date): Promise<void> {
  return tenant.transaction(async (transaction) =>
    transaction.customer.update({ ...(await transaction.customer.lock()), status, updatedAt }),
  );
}

async function fill(tenant: Tenant): Promise<void> {
  const tag = await tenant.addTag('Été');
  await tenant.addPhotos([{}, {}, {}], [tag.id]);
  const subject = await tenant.addImport();
  await tenant.addItems(subject, {}, {});
  await tenant.transaction(async ({ jobs, webhookEndpoints, outbox }) => {
    await jobs.add({ kind: 'publish', importId: subject.id });
    await webhookEndpoints.insert(sampleEndpoint(tenant.id));
    await outbox.add('import.completed', [subject.id], later(0));
  });
}

function sum(counts: RowCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
