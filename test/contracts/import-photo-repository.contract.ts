import type { Import } from '../../src/core/imports/import.js';
import type { ImportPhoto, ImportPhotoStatus } from '../../src/core/imports/import-photo.js';
import type { Id } from '../../src/core/shared/ids.js';
import { later, sampleFacts, sampleHash, sampleItem } from '../support/samples.js';
import { atOnce, present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

/** What `ImportPhotoRepository` promises. */
export function importPhotoRepositoryContract(newTenant: NewTenant): void {
  const get = (tenant: Tenant, { importId, id }: Pick<ImportPhoto, 'importId' | 'id'>) =>
    tenant.query(({ importPhotos }) => importPhotos.get(importId, id));
  const ids = (items: readonly ImportPhoto[]) => items.map((item) => item.id);
  const listed = (tenant: Tenant, importId: Id, limit = 100) =>
    tenant.query(({ importPhotos }) => importPhotos.list({ importId, window: { after: null, limit } }));

  /** Every value set. */
  const full: Partial<ImportPhoto> = {
    clientRef: '2026/IMG_0001.HEIC',
    status: 'ready',
    photoId: 7,
    duplicateOfItemId: 8,
    restored: true,
    filename: 'Crème 📷 "7" \\.HEIC',
    sizeBytes: 2 ** 40 + 1,
    contentType: 'image/heic',
    width: 65_500,
    height: 1,
    uploadId: 3,
    facts: sampleFacts(),
    error: { code: 'decode_failed', message: 'É' },
    title: 'Élan',
    description: 'two\nlines',
    location: { latitude: -33.856784, longitude: 151.215297, altitude: null },
    rating: 0,
    takenAt: '2024-12-21T23:39:24.670+01:00',
    takenAtLocal: '2024-12-21T23:39:24.670',
    timeZone: '+01:00',
    externalId: 'shoot-17/3701',
    metadata: { client: 'ACME', empty: '' },
    createdAt: later(1),
    updatedAt: later(2),
  };

  describe('insert and get', () => {
    it('returns every value, set or not', async () => {
      const tenant = await newTenant();
      const tagIds = (await tenant.addTags('b', 'a')).map((tag) => tag.id).toReversed();
      const subject = await tenant.addImport();
      const items = await tenant.addItems(subject, { sizeBytes: null, sha256: null }, { ...full, tagIds });
      for (const item of items) expect(await get(tenant, item)).toEqual(item);
    });

    it('finds no item that never existed, or that belongs to another import', async () => {
      const tenant = await newTenant();
      const [subject, other] = [await tenant.addImport(), await tenant.addImport()];
      const item = await tenant.addItem(subject);
      const nowhere = [
        { importId: subject.id, id: await tenant.newId() },
        { importId: other.id, id: item.id },
        { importId: 9e15, id: item.id },
      ];
      for (const place of nowhere) {
        expect(await get(tenant, place)).toBeNull();
        expect(await tenant.transaction(({ importPhotos }) => importPhotos.lock(place.importId, place.id))).toBeNull();
      }
    });

    it('accepts an empty list of items', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      await tenant.addItems(subject);
      expect(await listed(tenant, subject.id)).toEqual([]);
    });

    it.each(['an earlier batch', 'the same batch'])('refuses a clientRef of %s, and stores nothing', async (where) => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      const first = where === 'the same batch' ? [] : [await tenant.addItem(subject, { clientRef: 'ref' })];
      const batch = [{ clientRef: 'new' }, { clientRef: 'ref' }, ...(first.length === 0 ? [{ clientRef: 'ref' }] : [])];
      await expect(tenant.addItems(subject, ...batch)).rejects.toThrow();
      expect(await listed(tenant, subject.id)).toEqual(first);
      const other = await tenant.addImport();
      await tenant.addItem(other, { clientRef: 'ref' });
      await tenant.addItems(subject, {}, {});
      expect(await listed(tenant, subject.id)).toHaveLength(first.length + 2);
    });

    it('refuses items of an unknown import', async () => {
      const tenant = await newTenant();
      await expect(tenant.addItem({ id: 9e15, customerId: tenant.id })).rejects.toThrow();
    });
  });

  describe('allocateIds', () => {
    it('gives new ids, ascending, different to each caller', async () => {
      const tenant = await newTenant();
      const given = await atOnce(8, () => tenant.photoIds(25));
      for (const ids of given) {
        expect(ids).toHaveLength(25);
        expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      }
      expect(new Set(given.flat()).size).toBe(200);
      expect(await tenant.photoIds(0)).toEqual([]);
    });

    it('never gives an id twice, to any customer, even if the transaction was undone', async () => {
      const tenant = await newTenant();
      let lost: readonly Id[] = [];
      const undone = tenant.transaction(async ({ importPhotos }) => {
        lost = await importPhotos.allocateIds(5);
        throw new Error('on purpose');
      });
      await expect(undone).rejects.toThrow('on purpose');
      const next = [...(await (await newTenant()).photoIds(5)), ...(await tenant.photoIds(5))];
      expect(next.filter((id) => lost.includes(id))).toEqual([]);
    });
  });

  describe('lock and update', () => {
    it('store every field', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      const item = await tenant.addItem(subject);
      const store = (next: ImportPhoto) =>
        tenant.transaction(async ({ importPhotos }) => {
          expect(await importPhotos.lock(subject.id, item.id)).not.toBeNull();
          await importPhotos.update(next);
        });
      const changed = { ...item, ...full, sha256: sampleHash(), blobName: 'another' };
      await store(changed);
      expect(await get(tenant, item)).toEqual(changed);
      await store(item);
      expect(await get(tenant, item)).toEqual(item);
    });

    it('lock an item, so that no change of many at once is lost', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      const item = await tenant.addItem(subject);
      await atOnce(10, () =>
        tenant.transaction(async ({ importPhotos }) => {
          const held = present(await importPhotos.lock(subject.id, item.id));
          await importPhotos.update({ ...held, uploadId: held.uploadId + 1 });
        }),
      );
      expect(await get(tenant, item)).toMatchObject({ uploadId: 11 });
    });

    it('accept many items of one import at once, by id ascending, and leave the others alone', async () => {
      const tenant = await newTenant();
      const [subject, other] = [await tenant.addImport(), await tenant.addImport()];
      const items = [await tenant.addItem(subject), await tenant.addItem(subject), await tenant.addItem(subject)];
      const [foreign, ids] = [await tenant.addItem(other), items.map(({ id }) => id)];
      const changed = items.map((item, index) => ({
        ...{ ...item, ...full },
        clientRef: `part ${index}`,
        sha256: sampleHash(),
        sizeBytes: index + 10,
      }));
      await tenant.transaction(async ({ importPhotos }) => {
        const held = await importPhotos.lockMany(subject.id, [...ids.toReversed(), foreign.id, 10 ** 9]);
        expect(held).toEqual(items);
        await importPhotos.update(...changed.slice(1));
        await importPhotos.update();
      });
      for (const [index, item] of items.entries()) {
        expect(await get(tenant, item)).toEqual(index === 0 ? item : changed[index]);
      }
      expect(await get(tenant, foreign)).toEqual(foreign);
      expect(await tenant.transaction(({ importPhotos }) => importPhotos.lockMany(subject.id, []))).toEqual([]);
    });

    it('lock many items, so that no change of many at once is lost, whatever their order', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      const items = [await tenant.addItem(subject), await tenant.addItem(subject)];
      const ids = items.map(({ id }) => id);
      await atOnce(10, (side) =>
        tenant.transaction(async ({ importPhotos }) => {
          const held = await importPhotos.lockMany(subject.id, side % 2 === 0 ? ids : ids.toReversed());
          await importPhotos.update(...held.map((item) => ({ ...item, uploadId: item.uploadId + 1 })).toReversed());
        }),
      );
      for (const item of items) expect(await get(tenant, item)).toMatchObject({ uploadId: 11 });
    });

    it('let one of two status changes of an item succeed when each checks the status first', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      const item = await tenant.addItem(subject);
      const moved = await atOnce(6, () =>
        tenant.transaction(async ({ importPhotos }) => {
          const held = present(await importPhotos.lock(subject.id, item.id));
          if (held.status !== 'awaiting_upload') return false;
          await importPhotos.update({ ...held, status: 'processing' });
          return true;
        }),
      );
      expect(moved.filter((won) => won)).toHaveLength(1);
    });

    it('on the import separate two batches with one clientRef', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      const outcomes = await atOnce(6, () =>
        tenant.transaction(async ({ imports, importPhotos }) => {
          await imports.lock(subject.id);
          const [known] = await importPhotos.findByClientRefs(subject.id, ['ref']);
          if (known !== undefined) return 'existing';
          const [id] = await importPhotos.allocateIds(1);
          await importPhotos.insert([sampleItem(subject, present(id), { clientRef: 'ref' })]);
          return 'created';
        }),
      );
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1);
    });
  });

  describe('list', () => {
    const statuses: ImportPhotoStatus[] = ['failed', 'awaiting_upload', 'failed', 'ready', 'failed', 'imported'];
    let tenant: Tenant;
    let subject: Import;
    let items: readonly ImportPhoto[];

    beforeAll(async () => {
      tenant = await newTenant();
      subject = await tenant.addImport();
      items = await tenant.addItems(subject, ...statuses.map((status) => ({ status })));
      await tenant.addItem(await tenant.addImport(), { status: 'failed' });
    });

    it('returns the items of one import by id ascending', async () => {
      expect(await listed(tenant, subject.id)).toEqual(items);
      expect(await listed(tenant, subject.id, 2)).toEqual(items.slice(0, 2));
    });

    it.each([1, 2, 3, 6, 7])('returns every item once in pages of %i', async (limit) => {
      for (const wanted of [undefined, ['failed', 'ready']] as const) {
        const met: ImportPhoto[] = [];
        for (let after: Id | null = null; ; ) {
          const window = { after: after === null ? null : { value: after, id: after }, limit };
          const query = { importId: subject.id, window, ...(wanted && { statuses: wanted }) };
          const page: readonly ImportPhoto[] = await tenant.query(({ importPhotos }) => importPhotos.list(query));
          met.push(...page);
          after = page.at(-1)?.id ?? null;
          if (after === null) break;
        }
        expect(met).toEqual(items.filter((item) => wanted === undefined || wanted.some((s) => s === item.status)));
      }
    });

    it('counts all items, or those of some statuses', async () => {
      const { count, failed, two, empty } = await tenant.query(async ({ importPhotos }) => ({
        count: await importPhotos.count(subject.id),
        failed: await importPhotos.countIn(subject.id, ['failed']),
        two: await importPhotos.countIn(subject.id, ['ready', 'imported', 'cancelled']),
        empty: await importPhotos.countIn(subject.id, []),
      }));
      expect({ count, failed, two, empty }).toEqual({ count: 6, failed: 3, two: 2, empty: 0 });
    });
  });

  describe('getMany', () => {
    it('reads items of this import that exist, by id ascending', async () => {
      const tenant = await newTenant();
      const [subject, other] = [await tenant.addImport(), await tenant.addImport()];
      const items = await tenant.addItems(subject, { status: 'cancelled' }, {}, {});
      const [first, second] = items.map(present);
      const foreign = await tenant.addItem(other);
      const wanted = [present(second).id, foreign.id, present(first).id, 999_999_999];
      const found = await tenant.query(({ importPhotos }) => importPhotos.getMany(subject.id, wanted));
      expect(found).toEqual([first, second]);
      expect(await tenant.query(({ importPhotos }) => importPhotos.getMany(subject.id, []))).toEqual([]);
      const stranger = await newTenant();
      expect(await stranger.query(({ importPhotos }) => importPhotos.getMany(subject.id, wanted))).toEqual([]);
    });
  });

  describe('findByClientRefs and findBySha256', () => {
    it('find items of this import only', async () => {
      const tenant = await newTenant();
      const [subject, other] = [await tenant.addImport(), await tenant.addImport()];
      const sha256 = sampleHash();
      const [a, b] = await tenant.addItems(subject, { clientRef: 'a', sha256 }, { clientRef: 'b' }, {});
      await tenant.addItem(other, { clientRef: 'a', sha256 });
      const named = await tenant.query(({ importPhotos }) =>
        importPhotos.findByClientRefs(subject.id, ['b', 'a', 'A', 'none']),
      );
      expect(named.toSorted((x, y) => x.id - y.id)).toEqual([a, b]);
      const same = await tenant.query(({ importPhotos }) => importPhotos.findBySha256(subject.id, [sha256]));
      expect(same).toEqual([a]);
      expect(await tenant.query(({ importPhotos }) => importPhotos.findByClientRefs(subject.id, []))).toEqual([]);
      expect(await tenant.query(({ importPhotos }) => importPhotos.findBySha256(subject.id, []))).toEqual([]);
    });

    it('find by hash all items that are not cancelled, by id ascending', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      const [first, second] = [sampleHash(), sampleHash()];
      const items = await tenant.addItems(
        subject,
        { sha256: second, status: 'failed' },
        { sha256: first },
        { sha256: second, status: 'cancelled' },
        { sha256: second, status: 'duplicate' },
        { sha256: null },
      );
      const found = await tenant.query(({ importPhotos }) => importPhotos.findBySha256(subject.id, [first, second]));
      expect(ids(found)).toEqual([0, 1, 3].map((at) => present(items[at]).id));
    });
  });

  describe('failWaiting', () => {
    const missing = { code: 'upload_missing', message: 'no bytes' } as const;
    const sourceFailed = { code: 'duplicate_of_failed', message: 'no bytes of the other' } as const;

    it('fails the items of this import that wait for bytes, with their duplicates, and nothing else', async () => {
      const tenant = await newTenant();
      const [subject, other] = [await tenant.addImport(), await tenant.addImport()];
      const [waiting, ready] = await tenant.addItems(subject, {}, { status: 'ready' });
      const [waitsWithout] = await tenant.addItems(subject, { sha256: null });
      const duplicates = await tenant.addItems(
        subject,
        { status: 'duplicate', duplicateOfItemId: waiting?.id ?? 0 },
        { status: 'duplicate', duplicateOfItemId: ready?.id ?? 0 },
        { status: 'duplicate', duplicateOfItemId: null },
        { status: 'cancelled', duplicateOfItemId: waiting?.id ?? 0 },
      );
      const [elsewhere] = await tenant.addItems(other, {});
      await tenant.transaction(async ({ imports, importPhotos }) => {
        await imports.lock(subject.id);
        await importPhotos.failWaiting(subject.id, missing, sourceFailed, later(9));
      });
      const failed = { status: 'failed', photoId: null, updatedAt: later(9) };
      expect(await listed(tenant, subject.id)).toEqual([
        { ...waiting, ...failed, error: missing },
        ready,
        { ...waitsWithout, ...failed, error: missing },
        { ...duplicates[0], ...failed, error: sourceFailed },
        ...duplicates.slice(1),
      ]);
      expect(await listed(tenant, other.id)).toEqual([elsewhere]);
    });
  });

  describe('cancelAll', () => {
    it('cancels the unfinished items of this import, and nothing else', async () => {
      const tenant = await newTenant();
      const [subject, other] = [await tenant.addImport(), await tenant.addImport()];
      const statuses: ImportPhotoStatus[] = [
        'awaiting_upload',
        'fetching',
        'processing',
        'ready',
        'duplicate',
        'failed',
        'imported',
        'cancelled',
      ];
      const items = await tenant.addItems(subject, ...statuses.map((status) => ({ status })));
      const [elsewhere] = await tenant.addItems(other, {});
      await tenant.transaction(async ({ imports, importPhotos }) => {
        await imports.lock(subject.id);
        await importPhotos.cancelAll(subject.id, later(9));
      });
      const expected = items.map((item, at) => (at < 6 ? { ...item, status: 'cancelled', updatedAt: later(9) } : item));
      expect(await listed(tenant, subject.id)).toEqual(expected);
      expect(await listed(tenant, other.id)).toEqual([elsewhere]);
      await tenant.transaction(({ importPhotos }) => importPhotos.cancelAll(subject.id, later(10)));
      expect(await listed(tenant, subject.id)).toEqual(expected);
    });
  });

  it('the last change of an item of an import is reported', async () => {
    const tenant = await newTenant();
    const [subject, other] = [await tenant.addImport(), await tenant.addImport()];
    const lastChange = () => tenant.query(({ importPhotos }) => importPhotos.lastChange(subject.id));
    expect(await lastChange()).toBeNull();
    await tenant.addItems(subject, { updatedAt: later(5) }, { updatedAt: later(7) }, { updatedAt: later(6) });
    await tenant.addItem(other, { updatedAt: later(9) });
    expect(await lastChange()).toEqual(later(7));
  });
}
