import type { Repositories } from '../../src/core/shared/transactional.js';
import { later, sampleImport, sampleInstant, sampleItem, sampleTag } from '../support/samples.js';
import { atOnce, type CustomerPorts, Gate, present, Tenant } from '../support/tenant.js';
import { blobOwnersContract } from './blob-owners.contract.js';
import { bulkEditsContract } from './bulk-edits.contract.js';
import { deliveryContract } from './delivery.contract.js';
import { identitiesContract } from './identities.contract.js';
import { importPhotoRepositoryContract } from './import-photo-repository.contract.js';
import { importRepositoryContract } from './import-repository.contract.js';
import { photoClustersContract } from './photo-clusters.contract.js';
import { photoFiltersContract } from './photo-filters.contract.js';
import { photoRepositoryContract } from './photo-repository.contract.js';
import { photoScanContract } from './photo-scan.contract.js';
import { photoValuesContract } from './photo-values.contract.js';
import { resumableUploadsContract } from './resumable-uploads.contract.js';
import { savedSearchesContract } from './saved-searches.contract.js';
import { searchedWordsContract } from './searched-words.contract.js';
import { secondFactorsContract } from './second-factors.contract.js';
import { sharesContract } from './shares.contract.js';
import { similarGroupsContract } from './similar-groups.contract.js';
import { similarPhotosContract } from './similar-photos.contract.js';
import { storedPhotosContract } from './stored-photos.contract.js';
import { tagRepositoryContract } from './tag-repository.contract.js';
import { unpublishedTagsContract } from './unpublished-tags.contract.js';

export interface OpenCustomers extends CustomerPorts {
  close(): Promise<void>;
}

/** Makes a customer that has nothing yet. */
export type NewTenant = () => Promise<Tenant>;

/** What `CustomerStore` and everything behind it promise. It is opened once: every test has customers of its own. */
export function customerStoreContract(name: string, open: () => Promise<OpenCustomers>): void {
  describe(`CustomerStore: ${name}`, () => {
    let opened: OpenCustomers;

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const newTenant = () => Tenant.of(opened);
    describe('a transaction', () => transactionContract(newTenant));
    describe('the customer', () => customerContract(newTenant, () => opened));
    describe('the wall between customers', () => wallContract(newTenant, () => opened));
    describe('photos', () => photoRepositoryContract(newTenant));
    describe('filters of photos', () => photoFiltersContract(newTenant));
    describe('words of photos', () => searchedWordsContract(newTenant));
    describe('walks through photos', () => photoScanContract(newTenant));
    describe('values of photos', () => photoValuesContract(newTenant));
    describe('stored photos', () => storedPhotosContract(newTenant));
    describe('similar photos', () => similarPhotosContract(newTenant));
    describe('groups of similar photos', () => similarGroupsContract(newTenant));
    describe('tags', () => tagRepositoryContract(newTenant));
    describe('imports', () => importRepositoryContract(newTenant));
    describe('tags of unpublished items', () => unpublishedTagsContract(newTenant));
    describe('items of imports', () => importPhotoRepositoryContract(newTenant));
    describe('resumable uploads', () => resumableUploadsContract(newTenant));
    describe('owners of blobs', () => blobOwnersContract(newTenant));
    describe('delivery', () => deliveryContract(newTenant));
    describe('shares', () => sharesContract(newTenant));
    describe('saved searches', () => savedSearchesContract(newTenant));

    describe('second factors', () => secondFactorsContract(newTenant));
    describe('identities at providers', () => identitiesContract(newTenant));
    describe('photos on a map', () => photoClustersContract(newTenant));
    describe('bulk edits', () => bulkEditsContract(newTenant));
  });
}

function transactionContract(newTenant: NewTenant): void {
  const boom = new Error('on purpose');

  it('returns the result of the work, and stores its changes', async () => {
    const tenant = await newTenant();
    const tag = await tenant.transaction(({ tags }) => tags.insert(sampleTag('kept')));
    expect(await tenant.query(({ tags }) => tags.get(present(tag).id))).toEqual(tag);
  });

  it('throws the error of the work unchanged, and undoes every kind of change', async () => {
    const tenant = await newTenant();
    const [kept, gone] = await tenant.addTags('kept', 'gone');
    const photo = await tenant.addPhoto({ title: 'before' }, [present(kept).id]);
    const subject = await tenant.addImport({ clientRef: 'before' });
    const item = await tenant.addItem(subject, { clientRef: 'before' });
    const before = await everything(tenant);
    const work = tenant.transaction(async (all) => {
      await all.customer.lock();
      await all.imports.lock(subject.id);
      await all.importPhotos.lock(subject.id, item.id);
      await all.photos.lock([photo.id]);
      await all.imports.update({ ...subject, status: 'cancelled', expiresAt: null, version: 2 });
      await all.imports.insert(sampleImport(tenant.id, { clientRef: 'before' }));
      await all.importPhotos.update({ ...item, status: 'processing' });
      await all.importPhotos.cancelAll(subject.id, later(1));
      await all.photos.update({ ...photo, title: 'after', trashedAt: later(1), version: 2 });
      await all.photos.setTags(photo.id, [present(gone).id]);
      await all.photos.delete(photo.id);
      await all.tags.update({ ...present(kept), name: 'renamed', nameKey: 'renamed' });
      await all.tags.delete(present(gone).id, later(1));
      await all.tags.insert(sampleTag('gone'));
      throw boom;
    });
    await expect(work).rejects.toBe(boom);
    expect(await everything(tenant)).toEqual(before);
    expect(await tenant.query(({ photos }) => photos.exif(photo.id))).not.toBeNull();
  });

  it('sees its own changes before any other can', async () => {
    const tenant = await newTenant();
    const [changed, seen] = [new Gate(), new Gate()];
    const work = tenant.transaction(async ({ tags }) => {
      await tags.insert(sampleTag('never'));
      expect(await tags.count()).toBe(1);
      changed.open();
      await seen.opened;
      throw boom;
    });
    await changed.opened;
    const others = tenant.query(({ tags }) => tags.count());
    seen.open();
    await expect(work).rejects.toBe(boom);
    expect(await others).toBe(0);
  });

  it('sees the committed changes of others', async () => {
    const tenant = await newTenant();
    const tag = await tenant.addTag('first');
    expect(await tenant.transaction(({ tags }) => tags.get(tag.id))).toEqual(tag);
  });

  it('is undone when a write was refused, although the work continued', async () => {
    const tenant = await newTenant();
    const subject = await tenant.addImport();
    const work = tenant.transaction(async ({ tags, imports, importPhotos }) => {
      await tags.insert(sampleTag('lost with the rest'));
      await imports.lock(subject.id);
      const item = sampleItem(subject, present((await importPhotos.allocateIds(1))[0]));
      await importPhotos.insert([item, item]).catch(() => undefined);
    });
    await expect(work).rejects.toThrow();
    expect(await tenant.query(({ tags }) => tags.count())).toBe(0);
  });

  it('refuses calls that the work makes after its end', async () => {
    const tenant = await newTenant();
    let leaked: Repositories | undefined;
    await tenant.transaction(async (transaction) => {
      leaked = transaction;
    });
    await expect(leaked?.tags.insert(sampleTag('late'))).rejects.toThrow();
    expect(await tenant.query(({ tags }) => tags.count())).toBe(0);
  });

  it('runs beside many others at once', async () => {
    const tenant = await newTenant();
    await atOnce(20, (number) => tenant.addTag(`tag ${number}`));
    expect(await tenant.query(({ tags }) => tags.count())).toBe(20);
  });

  it('lets reads of one query handle see what was committed between them', async () => {
    const tenant = await newTenant();
    const [looked, changed] = [new Gate(), new Gate()];
    const view = tenant.query(async ({ tags }) => {
      const before = await tags.count();
      looked.open();
      await changed.opened;
      return [before, await tags.count()];
    });
    await looked.opened;
    await tenant.addTag('in between');
    changed.open();
    expect(await view).toEqual([0, 1]);
  });
}

/** All rows of a customer that a test can make. */
function everything(tenant: Tenant) {
  const window = { after: null, limit: 100 };
  return tenant.query(async ({ photos, tags, imports, importPhotos, usage }) => {
    const open = await imports.findOpenByClientRef('before');
    return {
      photos: await photos.list({ filters: { trashed: 'any' }, sort: 'id', window }),
      tags: await tags.list({ filters: {}, sort: 'id', window }),
      open,
      items: open && (await importPhotos.list({ importId: open.id, window })),
      usage: await usage.read(),
    };
  });
}

function customerContract(newTenant: NewTenant, ports: () => CustomerPorts): void {
  it('is read and locked as it was created', async () => {
    const tenant = await newTenant();
    const customer = await ports().customers.find(tenant.id);
    expect(await tenant.query((reader) => reader.customer.read())).toEqual(customer);
    expect(await tenant.transaction((transaction) => transaction.customer.read())).toEqual(customer);
    expect(await tenant.transaction((transaction) => transaction.customer.lock())).toEqual(customer);
  });

  it('is changed in every value while it is locked, together with the transaction or not at all', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const before = await tenant.query((reader) => reader.customer.read());
    const changed = {
      ...before,
      name: 'Süd 📷',
      defaultTimeZone: 'Asia/Tokyo',
      trashRetentionDays: 7,
      storageBytesLimit: 5e12,
      photosLimit: 0,
      updatedAt: later(9),
      version: 2,
    };
    const change = (end: () => void) =>
      tenant.transaction(async (transaction) => {
        await transaction.customer.lock();
        await transaction.customer.update(changed);
        end();
      });
    await expect(
      change(() => {
        throw new Error('on purpose');
      }),
    ).rejects.toThrow('on purpose');
    expect(await tenant.query((reader) => reader.customer.read())).toEqual(before);
    await change(() => {});
    expect(await tenant.query((reader) => reader.customer.read())).toEqual(changed);
    expect((await other.query((reader) => reader.customer.read())).name).toBe(before.name);
  });

  it('that does not exist is not_found, has nothing, and can be given nothing', async () => {
    const nobody = 9_007_199_254_740_000;
    const missing = { code: 'not_found', details: { resource: 'customer' } };
    const { store } = ports();
    await expect(store.query(nobody, (reader) => reader.customer.read())).rejects.toMatchObject(missing);
    await expect(store.transaction(nobody, (transaction) => transaction.customer.lock())).rejects.toMatchObject(
      missing,
    );
    expect(await store.query(nobody, ({ tags }) => tags.count())).toBe(0);
    await expect(store.transaction(nobody, ({ tags }) => tags.insert(sampleTag('x')))).rejects.toThrow();
    expect(await store.query(nobody, ({ tags }) => tags.count())).toBe(0);
  });

  it('is locked by one transaction at a time', async () => {
    const tenant = await newTenant();
    const limit = 3;
    const opened = await atOnce(10, () =>
      tenant.transaction(async ({ customer, imports }) => {
        await customer.lock();
        if ((await imports.countOpen()) >= limit) return null;
        return imports.insert(sampleImport(tenant.id));
      }),
    );
    expect(opened.filter((subject) => subject !== null)).toHaveLength(limit);
  });

  it('counts the library, the trash and pending imports against the quota', async () => {
    const tenant = await newTenant();
    const use = () => tenant.query((reader) => reader.usage.quotaUse());
    expect(await use()).toEqual({ photos: 0, storageBytes: 0 });
    await tenant.addPhotos([{ sizeBytes: 1 }, { sizeBytes: 2 ** 41, trashedAt: later(0), purgeAt: later(1) }]);
    const statuses = ['awaiting_upload', 'fetching', 'processing', 'ready'] as const;
    const subject = await tenant.addImport();
    await tenant.addItems(subject, ...statuses.map((status) => ({ status, sizeBytes: 100 })));
    const ended = ['imported', 'duplicate', 'failed', 'cancelled'] as const;
    await tenant.addItems(subject, ...ended.map((status) => ({ status, sizeBytes: 100 })));
    await tenant.addItem(subject, { sizeBytes: null });
    const other = await newTenant();
    await other.addItem(await other.addImport());
    await other.addPhoto();
    expect(await use()).toEqual({ photos: 7, storageBytes: 2 ** 41 + 401 });
    expect(await tenant.transaction((transaction) => transaction.usage.quotaUse())).toEqual(await use());
  });

  it('reports its usage as its rows have it', async () => {
    const tenant = await newTenant();
    const none = {
      photos: 0,
      trashedPhotos: 0,
      storageBytes: 0,
      trashedBytes: 0,
      tags: 0,
      openImports: 0,
      renditionBytes: 0,
    };
    expect(await tenant.query((reader) => reader.usage.read())).toEqual(none);
    await tenant.addPhotos([
      { sizeBytes: 2 ** 40 },
      { sizeBytes: 2 ** 40 },
      { sizeBytes: 7, trashedAt: sampleInstant },
    ]);
    await tenant.addTags('a', 'b');
    await tenant.addImport();
    await tenant.addImport({ status: 'processing', expiresAt: null });
    expect(await tenant.transaction((transaction) => transaction.usage.read())).toEqual({
      photos: 2,
      trashedPhotos: 1,
      storageBytes: 2 ** 41,
      trashedBytes: 7,
      tags: 2,
      openImports: 1,
      renditionBytes: 0,
    });
    const totals = { photos: 2, trashedPhotos: 1, storageBytes: 2 ** 41, trashedBytes: 7 };
    expect(await tenant.query((reader) => reader.usage.photoTotals())).toEqual({ stored: totals, counted: totals });
    await tenant.transaction(({ customer, usage }) => customer.lock().then(() => usage.recountPhotos()));
    expect(await tenant.query((reader) => reader.usage.photoTotals())).toEqual({ stored: totals, counted: totals });
  });
}

/** Two customers with rows of every kind: with the ids of the one, the other finds what it finds with ids that never were. */
function wallContract(newTenant: NewTenant, ports: () => CustomerPorts): void {
  it('hides every row of another customer from every read', async () => {
    const [theirs, mine] = [await newTenant(), await newTenant()];
    const { photo, tag, subject, item } = await fill(theirs);
    const window = { after: null, limit: 100 };
    const found = await mine.transaction(async (transaction) => ({
      photo: await transaction.photos.get(photo.id),
      photos: await transaction.photos.getMany([photo.id]),
      lockedPhotos: await transaction.photos.lock([photo.id]),
      listed: await transaction.photos.list({ filters: { trashed: 'any', ids: [photo.id] }, sort: 'id', window }),
      tagged: await transaction.photos.list({ filters: { trashed: 'any', tagIds: [tag.id] }, sort: 'id', window }),
      imported: await transaction.photos.list({
        filters: { trashed: 'any', importId: subject.id },
        sort: 'id',
        window,
      }),
      unmoved: await transaction.photos.hasRowAt({ trashed: 'any' }, 'id', { id: photo.id, value: photo.id }),
      sameBytes: await transaction.photos.findBySha256([photo.sha256]),
      exif: await transaction.photos.exif(photo.id),
      tag: await transaction.tags.get(tag.id),
      tags: await transaction.tags.getMany([tag.id]),
      lockedTags: await transaction.tags.lock([tag.id]),
      listedTags: await transaction.tags.list({ filters: {}, sort: 'name', window }),
      unmovedTag: await transaction.tags.hasRowAt({}, 'id', { id: tag.id, value: tag.id }),
      named: await transaction.tags.findByNameKeys([tag.nameKey]),
      ofPhoto: await transaction.tags.ofPhoto(photo.id),
      tagCount: await transaction.tags.count(),
      photoCounts: await transaction.tags.photoCounts(null, 10),
      import: await transaction.imports.find(subject.id),
      counted: await transaction.imports.get(subject.id),
      lockedImport: await transaction.imports.lock(subject.id),
      byClientRef: await transaction.imports.findOpenByClientRef('theirs'),
      openImports: await transaction.imports.countOpen(),
      expired: await transaction.imports.expired(later(10 ** 12), 10),
      ending: await transaction.imports.endingAfter(later(-(10 ** 12)), { after: null, limit: 10 }),
      item: await transaction.importPhotos.get(subject.id, item.id),
      lockedItem: await transaction.importPhotos.lock(subject.id, item.id),
      items: await transaction.importPhotos.list({ importId: subject.id, window }),
      itemsByRef: await transaction.importPhotos.findByClientRefs(subject.id, ['theirs']),
      itemsByHash: await transaction.importPhotos.findBySha256(subject.id, [present(item.sha256)]),
      itemCount: await transaction.importPhotos.count(subject.id),
      waiting: await transaction.importPhotos.countIn(subject.id, ['awaiting_upload']),
      itemsWithBytes: await transaction.importPhotos.withBytes(null, 10),
      originals: await transaction.blobOwners.originals([item.blobName]),
      renditions: await transaction.blobOwners.renditions([photo.id, item.id]),
      dropped: await transaction.blobOwners.dropped(subject.id, [item.uploadId]),
    }));
    const nothing = [null, 0, false];
    for (const [read, answer] of Object.entries(found)) {
      const empty = Array.isArray(answer) ? answer.length === 0 : (nothing as unknown[]).includes(answer);
      expect([read, empty]).toEqual([read, true]);
    }
  });

  it('keeps every write away from the rows of another customer', async () => {
    const [theirs, mine] = [await newTenant(), await newTenant()];
    const { photo, tag, subject, item } = await fill(theirs);
    const before = await contents(theirs, subject.id);
    const tried = (act: (transaction: Repositories) => Promise<unknown>) =>
      mine.transaction(act).catch(() => undefined);
    await tried(({ photos }) => photos.delete(photo.id));
    await tried(({ tags }) => tags.delete(tag.id, later(1)));
    await tried(({ importPhotos }) => importPhotos.cancelAll(subject.id, later(1)));
    await tried(({ photos }) => photos.update({ ...photo, title: 'taken over' }));
    await tried(({ photos }) => photos.setTags(photo.id, []));
    await tried(({ tags }) => tags.update({ ...tag, name: 'taken over', nameKey: 'taken over' }));
    await tried(({ imports }) => imports.update({ ...subject, name: 'taken over' }));
    await tried(({ importPhotos }) => importPhotos.update({ ...item, filename: 'taken over' }));
    expect(await contents(theirs, subject.id)).toEqual(before);
    expect(await mine.query((reader) => reader.usage.read())).toMatchObject({ photos: 0, trashedPhotos: 0, tags: 0 });
  });

  it('links no row to a row of another customer', async () => {
    const [theirs, mine] = [await newTenant(), await newTenant()];
    const { tag, subject } = await fill(theirs);
    const photo = await mine.addPhoto({}, [tag.id]);
    expect(await mine.query(({ photos }) => photos.get(photo.id))).toMatchObject({ tags: [] });
    const retag = mine.transaction(async ({ photos }) => {
      await photos.lock([photo.id]);
      await photos.setTags(photo.id, [tag.id]);
    });
    await expect(retag).rejects.toThrow();
    await expect(mine.addItem({ ...subject, customerId: mine.id })).rejects.toThrow();
    await expect(mine.addPhoto({ importId: subject.id })).rejects.toThrow();
    expect(await theirs.query(({ tags }) => tags.get(tag.id))).toMatchObject({ photoCount: 1 });
    expect(await mine.query(({ photos }) => photos.get(photo.id))).toMatchObject({ tags: [] });
  });

  it('stores rows for the customer that is bound, whatever the row says', async () => {
    const [theirs, mine] = [await newTenant(), await newTenant()];
    const photo = await mine.addPhoto({ customerId: theirs.id });
    const subject = await mine.addImport({ customerId: theirs.id });
    const item = await mine.addItem(subject, { customerId: theirs.id });
    expect(await mine.query(({ photos }) => photos.get(photo.id))).toMatchObject({ customerId: mine.id });
    expect(subject.customerId).toBe(mine.id);
    expect(await mine.query(({ importPhotos }) => importPhotos.get(subject.id, item.id))).toMatchObject({
      customerId: mine.id,
    });
    expect(await theirs.query((reader) => reader.usage.read())).toMatchObject({ photos: 0, openImports: 0 });
  });

  it('lets both customers have the same names, hashes and clientRefs', async () => {
    const tenants = [await newTenant(), await newTenant()];
    const sha256 = 'ab'.repeat(32);
    for (const tenant of tenants) {
      await tenant.addTag('Paris');
      await tenant.addPhoto({ sha256 });
      const subject = await tenant.addImport({ clientRef: 'ref' });
      await tenant.addItem(subject, { clientRef: 'item', sha256 });
    }
    for (const tenant of tenants)
      expect(await tenant.query((reader) => reader.usage.read())).toMatchObject({ photos: 1, tags: 1 });
    expect(await ports().customers.find(present(tenants[0]).id)).not.toBeNull();
  });
}

async function fill(tenant: Tenant) {
  const tag = await tenant.addTag('theirs');
  const subject = await tenant.addImport({ clientRef: 'theirs' });
  const photo = await tenant.addPhoto({ importId: subject.id }, [tag.id]);
  const item = await tenant.addItem(subject, { clientRef: 'theirs' });
  return { photo, tag, subject, item };
}

function contents(tenant: Tenant, importId: number) {
  const window = { after: null, limit: 100 };
  return tenant.query(async ({ photos, tags, imports, importPhotos }) => ({
    photos: await photos.list({ filters: { trashed: 'any' }, sort: 'id', window }),
    tags: await tags.list({ filters: {}, sort: 'id', window }),
    import: await imports.get(importId),
    items: await importPhotos.list({ importId, window }),
  }));
}
