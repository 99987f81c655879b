import type { Import } from '../../src/core/imports/import.js';
import type { ImportPhotoStatus } from '../../src/core/imports/import-photo.js';
import type { Id } from '../../src/core/shared/ids.js';
import { later, sampleImport, sampleInstant, sampleItem } from '../support/samples.js';
import { atOnce, present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const none = {
  total: 0,
  awaitingUpload: 0,
  fetching: 0,
  processing: 0,
  ready: 0,
  imported: 0,
  duplicate: 0,
  failed: 0,
  cancelled: 0,
};

/** What `ImportRepository` promises. */
export function importRepositoryContract(newTenant: NewTenant): void {
  const find = (tenant: Tenant, id: Id) => tenant.query(({ imports }) => imports.find(id));
  const update = (tenant: Tenant, id: Id, values: Partial<Import>) =>
    tenant.transaction(async ({ imports }) => {
      const held = await imports.lock(id);
      await imports.update({ ...present(held), ...values });
    });

  /** Every value set, and every instant another. */
  const full = (tenant: Tenant, tagIds: readonly Id[]) =>
    sampleImport(tenant.id, {
      name: 'Été "q" 📷',
      source: 'phs-cli/1.2',
      clientRef: 'laptop:/photos/paris@2026-11-21',
      duplicatePolicy: 'allow',
      restoreTrashed: false,
      defaultTimeZone: 'Europe/Paris',
      tagIds,
      createdAt: later(1),
      updatedAt: later(2),
      expiresAt: later(3),
      finalizedAt: later(4),
      completedAt: later(5),
      version: 44,
    });

  it('stores an import under a new id, with every value, set or not', async () => {
    const tenant = await newTenant();
    const tagIds = (await tenant.addTags('b', 'a')).map((tag) => tag.id).toReversed();
    const values = full(tenant, tagIds);
    const [plain, set] = [await tenant.addImport(), await tenant.addImport(values)];
    expect(plain).toEqual({ ...sampleImport(tenant.id), id: plain.id });
    expect(set).toEqual({ ...values, id: set.id });
    expect(set.id).toBeGreaterThan(plain.id);
    expect(await find(tenant, plain.id)).toEqual(plain);
    expect(await find(tenant, set.id)).toEqual(set);
    expect(await tenant.transaction(({ imports }) => imports.lock(set.id))).toEqual(set);
  });

  it('finds no import that never existed', async () => {
    const tenant = await newTenant();
    expect(await find(tenant, 9e15)).toBeNull();
    expect(await tenant.query(({ imports }) => imports.get(9e15))).toBeNull();
    expect(await tenant.query(({ imports }) => imports.findOpenByClientRef('x'))).toBeNull();
    expect(await tenant.transaction(({ imports }) => imports.lock(9e15))).toBeNull();
  });

  it('stores every field of an import on update', async () => {
    const tenant = await newTenant();
    const subject = await tenant.addImport();
    const next = { ...full(tenant, [present((await tenant.addTags('a'))[0]).id]), status: 'expired' as const };
    await update(tenant, subject.id, next);
    expect(await find(tenant, subject.id)).toEqual({ ...next, id: subject.id });
    await update(tenant, subject.id, subject);
    expect(await find(tenant, subject.id)).toEqual(subject);
  });

  it('lists imports newest first, in pages, with counts, of all or of some statuses', async () => {
    const tenant = await newTenant();
    const [a, b, c] = [
      await tenant.addImport(),
      await tenant.addImport({ status: 'completed' }),
      await tenant.addImport({ status: 'processing' }),
    ];
    await (await newTenant()).addImport();
    const list = (after: Id | null, limit: number, statuses?: Import['status'][]) =>
      tenant.query(({ imports }) =>
        imports.list({
          window: { after: after === null ? null : { value: after, id: after }, limit },
          ...(statuses && { statuses }),
        }),
      );
    const counted = { counts: none, totalBytes: 0 };
    expect(await list(null, 2)).toEqual([
      { ...c, ...counted },
      { ...b, ...counted },
    ]);
    expect((await list(b.id, 2)).map(({ id }) => id)).toEqual([a.id]);
    expect((await list(null, 9, ['open', 'processing'])).map(({ id }) => id)).toEqual([c.id, a.id]);
    expect((await list(c.id, 9, ['open', 'processing'])).map(({ id }) => id)).toEqual([a.id]);
    expect(await list(a.id, 9)).toEqual([]);
    expect(await list(null, 9, [])).toEqual([]);
  });

  it('counts the items of an import as they are at the moment, and sums the known sizes', async () => {
    const tenant = await newTenant();
    const subject = await tenant.addImport({ clientRef: 'ref' });
    const other = await tenant.addImport();
    await tenant.addItem(other);
    expect(await tenant.query(({ imports }) => imports.get(subject.id))).toEqual({
      ...subject,
      counts: none,
      totalBytes: 0,
    });
    const statuses: ImportPhotoStatus[] = [
      'awaiting_upload',
      'fetching',
      'processing',
      'ready',
      'imported',
      'duplicate',
      'failed',
      'cancelled',
      'failed',
    ];
    const items = await tenant.addItems(
      subject,
      ...statuses.map((status, at) => ({ status, sizeBytes: at === 0 ? null : 2 ** 40 })),
    );
    const counts = {
      total: 9,
      awaitingUpload: 1,
      fetching: 1,
      processing: 1,
      ready: 1,
      imported: 1,
      duplicate: 1,
      failed: 2,
      cancelled: 1,
    };
    const counted = { ...subject, counts, totalBytes: 8 * 2 ** 40 };
    expect(await tenant.query(({ imports }) => imports.get(subject.id))).toEqual(counted);
    expect(await tenant.query(({ imports }) => imports.findOpenByClientRef('ref'))).toEqual(counted);
    const inside = await tenant.transaction(async ({ imports, importPhotos }) => {
      await importPhotos.lock(subject.id, present(items[0]).id);
      await importPhotos.update({ ...present(items[0]), status: 'processing' });
      return imports.get(subject.id);
    });
    expect(inside?.counts).toEqual({ ...counts, awaitingUpload: 0, processing: 2 });
    expect(await find(tenant, subject.id)).toEqual(subject);
  });

  describe('the clientRef of an import', () => {
    it('is unique among open imports: a second is refused, and the transaction continues', async () => {
      const tenant = await newTenant();
      const first = await tenant.addImport({ clientRef: 'ref' });
      const seen = await tenant.transaction(async ({ imports }) => ({
        refused: await imports.insert(sampleImport(tenant.id, { clientRef: 'ref', name: 'second' })),
        open: await imports.findOpenByClientRef('ref'),
      }));
      expect(seen).toEqual({ refused: null, open: { ...first, counts: none, totalBytes: 0 } });
      expect(await tenant.query(({ imports }) => imports.countOpen())).toBe(1);
    });

    it('is available again once the import is no longer open', async () => {
      const tenant = await newTenant();
      const first = await tenant.addImport({ clientRef: 'ref' });
      await update(tenant, first.id, { status: 'processing', expiresAt: null });
      expect(await tenant.query(({ imports }) => imports.findOpenByClientRef('ref'))).toBeNull();
      const second = await tenant.addImport({ clientRef: 'ref' });
      expect(await tenant.query(({ imports }) => imports.findOpenByClientRef('ref'))).toMatchObject({ id: second.id });
    });

    it('is case-sensitive, and its absence is not a value', async () => {
      const tenant = await newTenant();
      await tenant.addImport({ clientRef: 'ref' });
      await tenant.addImport({ clientRef: 'REF' });
      await tenant.addImport();
      await tenant.addImport();
      expect(await tenant.query(({ imports }) => imports.countOpen())).toBe(4);
    });

    it('lets one of many that open an import under it at once succeed, and the others find that import', async () => {
      const tenant = await newTenant();
      const answers = await atOnce(10, () =>
        tenant.transaction(async ({ imports }) => {
          const created = await imports.insert(sampleImport(tenant.id, { clientRef: 'ref' }));
          return { created, open: await imports.findOpenByClientRef('ref') };
        }),
      );
      const created = answers.flatMap((answer) => answer.created ?? []);
      expect(created).toHaveLength(1);
      expect(new Set(answers.map(({ open }) => open?.id))).toEqual(new Set([created[0]?.id]));
    });
  });

  it('the limit of imports counts open imports only', async () => {
    const tenant = await newTenant();
    const ended = { expiresAt: null };
    await tenant.addImport();
    for (const status of ['processing', 'completed', 'completed_with_errors', 'cancelled', 'expired'] as const) {
      await tenant.addImport({ status, ...ended });
    }
    expect(await tenant.query(({ imports }) => imports.countOpen())).toBe(1);
  });

  it('expired open imports are found, up to a limit', async () => {
    const tenant = await newTenant();
    const [past, now] = [
      await tenant.addImport({ expiresAt: later(-1) }),
      await tenant.addImport({ expiresAt: later(0) }),
    ];
    await tenant.addImport({ expiresAt: later(1) });
    await tenant.addImport({ expiresAt: later(-1), status: 'processing' });
    const expired = (limit: number) => tenant.query(({ imports }) => imports.expired(later(0), limit));
    expect((await expired(10)).toSorted((a, b) => a - b)).toEqual([past.id, now.id]);
    expect(await expired(1)).toHaveLength(1);
  });

  it('open imports that expire later are found page by page', async () => {
    const tenant = await newTenant();
    const open = [];
    for (const milliseconds of [9, 1, 5]) open.push((await tenant.addImport({ expiresAt: later(milliseconds) })).id);
    await tenant.addImport({ expiresAt: later(0) });
    await tenant.addImport({ expiresAt: later(9), status: 'processing' });
    const find = (after: Id | null, limit: number) =>
      tenant.query(({ imports }) => imports.endingAfter(later(0), { after, limit }));
    expect(await find(null, 10)).toEqual(open);
    expect(await find(null, 2)).toEqual(open.slice(0, 2));
    expect(await find(present(open[1]), 10)).toEqual(open.slice(2));
  });

  describe('the deletion of old items of imports', () => {
    const ended = (completedAt: Date) => ({ status: 'completed', expiresAt: null, completedAt }) as const;
    const shown = (tenant: Tenant, id: Id) => tenant.query(({ imports }) => imports.get(id));
    const forgetItems = (tenant: Tenant, id: Id, limit: number) =>
      tenant.transaction(async ({ imports }) => {
        await imports.lock(id);
        return imports.forgetItems(id, limit);
      });
    const forget = (tenant: Tenant, id: Id) =>
      tenant.transaction(async ({ imports }) => {
        await imports.lock(id);
        await imports.forget(id);
      });
    const toForget = (tenant: Tenant, itemsOf: Date, imports: Date, limit = 10) =>
      tenant.query((reader) => reader.imports.toForget({ itemsOf, imports }, limit));

    it('deletes a limited number at a time, reports when none is left, and changes no count', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport(ended(later(0)));
      const statuses: ImportPhotoStatus[] = ['imported', 'failed', 'imported', 'cancelled', 'duplicate', 'imported'];
      await tenant.addItems(
        subject,
        ...statuses.map((status) => ({ status, sizeBytes: status === 'cancelled' ? null : 2 ** 40 })),
      );
      const before = present(await shown(tenant, subject.id));
      expect(before).toMatchObject({ counts: { total: 6, imported: 3, cancelled: 1 }, totalBytes: 5 * 2 ** 40 });
      const left = () => tenant.query(({ importPhotos }) => importPhotos.count(subject.id));
      const seen: unknown[] = [];
      for (let step = 1; step <= 4; step += 1) {
        seen.push([await forgetItems(tenant, subject.id, 2), await left()]);
        expect(await shown(tenant, subject.id)).toEqual(before);
      }
      expect(seen).toEqual([
        [false, 4],
        [false, 2],
        [false, 0],
        [true, 0],
      ]);
      expect(await find(tenant, subject.id)).toEqual(subject);
      const window = { after: null, limit: 10 };
      const items = tenant.query(({ importPhotos }) => importPhotos.list({ importId: subject.id, window }));
      expect(await items).toEqual([]);
    });

    it('deletes items of no other import, and nothing when there are none', async () => {
      const tenant = await newTenant();
      const [empty, other] = [await tenant.addImport(ended(later(0))), await tenant.addImport(ended(later(0)))];
      await tenant.addItems(other, { status: 'failed' }, { status: 'imported' });
      expect(await forgetItems(tenant, empty.id, 10)).toBe(true);
      expect(await forgetItems(tenant, empty.id, 10)).toBe(true);
      expect(await shown(tenant, empty.id)).toEqual({ ...empty, counts: none, totalBytes: 0 });
      expect(await tenant.query(({ importPhotos }) => importPhotos.count(other.id))).toBe(2);
    });

    it('keeps the items when the transaction fails, and counts them once', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport(ended(later(0)));
      const items = await tenant.addItems(subject, { status: 'imported' }, { status: 'failed' });
      const before = await shown(tenant, subject.id);
      const cut = tenant.transaction(async ({ imports }) => {
        await imports.lock(subject.id);
        expect(await imports.forgetItems(subject.id, 10)).toBe(true);
        throw new Error('cut off');
      });
      await expect(cut).rejects.toThrow('cut off');
      expect(await shown(tenant, subject.id)).toEqual(before);
      const ids = items.map(({ id }) => id);
      expect(await tenant.query(({ importPhotos }) => importPhotos.getMany(subject.id, ids))).toEqual(items);
      expect(await toForget(tenant, later(0), later(-1))).toEqual([subject.id]);
    });

    it('by several processes at once counts every item once', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport(ended(later(0)));
      await tenant.addItems(subject, ...Array.from({ length: 25 }, () => ({ status: 'imported' as const })));
      const before = await shown(tenant, subject.id);
      const answers = await atOnce(10, () => forgetItems(tenant, subject.id, 3));
      expect(answers.filter((isLast) => !isLast)).toHaveLength(8);
      expect(await shown(tenant, subject.id)).toEqual(before);
      expect(await tenant.query(({ importPhotos }) => importPhotos.count(subject.id))).toBe(0);
    });

    it('is due long enough after the end, first for items, later for the import, never before the end', async () => {
      const tenant = await newTenant();
      const [newer, older] = [await tenant.addImport(ended(later(0))), await tenant.addImport(ended(later(-5)))];
      await tenant.addImport({ expiresAt: later(-9) });
      await tenant.addImport({ status: 'processing', expiresAt: null, finalizedAt: later(-9) });
      await (await newTenant()).addImport(ended(later(-9)));
      const never = later(-100);
      expect(await toForget(tenant, later(-6), never)).toEqual([]);
      expect(await toForget(tenant, later(-1), never)).toEqual([older.id]);
      expect((await toForget(tenant, later(0), never)).toSorted((a, b) => a - b)).toEqual([newer.id, older.id]);
      expect(await toForget(tenant, later(0), never, 1)).toHaveLength(1);
      await tenant.addItem(older, { status: 'failed' });
      await forgetItems(tenant, older.id, 1);
      expect(await toForget(tenant, later(-1), never)).toEqual([older.id]);
      await forgetItems(tenant, older.id, 1);
      expect(await toForget(tenant, later(-1), never)).toEqual([]);
      expect(await toForget(tenant, later(-1), later(-6))).toEqual([]);
      expect(await toForget(tenant, later(-1), later(-5))).toEqual([older.id]);
    });

    it('of an import leaves only its photos, which still name it and are found by it', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport(ended(later(0)));
      await tenant.addItems(subject, { status: 'imported' }, { status: 'failed' });
      await forgetItems(tenant, subject.id, 1);
      await tenant.transaction(async ({ imports, blobOwners }) => {
        await imports.lock(subject.id);
        await blobOwners.drop(subject.id, 7);
      });
      const photo = await tenant.addPhoto({ importId: subject.id });
      const other = await tenant.addImport(ended(later(0)));
      await tenant.addItem(other, { status: 'failed' });
      await forget(tenant, subject.id);
      await forget(tenant, subject.id);
      expect(await find(tenant, subject.id)).toBeNull();
      expect(await shown(tenant, subject.id)).toBeNull();
      expect(await tenant.query(({ importPhotos }) => importPhotos.count(subject.id))).toBe(0);
      expect(await tenant.query(({ blobOwners }) => blobOwners.dropped(subject.id, [7]))).toEqual([]);
      expect(await toForget(tenant, later(0), later(0))).toEqual([other.id]);
      expect(await shown(tenant, other.id)).toMatchObject({ counts: { total: 1 } });
      const query = {
        filters: { trashed: 'any', importId: subject.id },
        sort: 'id',
        window: { after: null, limit: 10 },
      } as const;
      expect(await tenant.query(({ photos }) => photos.list(query))).toEqual([{ ...photo, tags: [] }]);
      const edited = { ...photo, title: 'still here', version: 2 };
      await tenant.transaction(async ({ photos }) => {
        await photos.lock([photo.id]);
        await photos.update(edited);
      });
      expect(await tenant.query(({ photos }) => photos.get(photo.id))).toEqual({ ...edited, tags: [] });
      expect(await tenant.query((reader) => reader.orphanRows.list(null, 100))).toEqual({ last: null, rows: [] });
      await tenant.transaction(async ({ imports }) => {
        expect(await imports.lock(subject.id)).toBeNull();
        await imports.update({ ...subject, name: 'back' });
      });
      expect(await find(tenant, subject.id)).toBeNull();
      expect((await tenant.addImport()).id).toBeGreaterThan(other.id);
    });

    it('changes no import of another customer', async () => {
      const [tenant, stranger] = [await newTenant(), await newTenant()];
      const subject = await tenant.addImport(ended(sampleInstant));
      await tenant.addItem(subject, { status: 'imported' });
      const before = await shown(tenant, subject.id);
      await stranger.transaction(async ({ imports }) => {
        await imports.forgetItems(subject.id, 10);
        await imports.forget(subject.id);
      });
      expect(await shown(tenant, subject.id)).toEqual(before);
      expect(await tenant.query(({ importPhotos }) => importPhotos.count(subject.id))).toBe(1);
      expect(await toForget(tenant, later(0), later(-1))).toEqual([subject.id]);
    });
  });

  it('the lock of an import prevents that any of many changes at once is lost', async () => {
    const tenant = await newTenant();
    const { id } = await tenant.addImport();
    await atOnce(10, () =>
      tenant.transaction(async ({ imports }) => {
        const held = present(await imports.lock(id));
        await imports.update({ ...held, version: held.version + 1 });
      }),
    );
    expect(await find(tenant, id)).toMatchObject({ version: 11 });
  });

  it('the lock of an import admits new items only before or after another finalizes it', async () => {
    const tenant = await newTenant();
    const subject = await tenant.addImport();
    const added = atOnce(6, () =>
      tenant.transaction(async ({ imports, importPhotos }) => {
        const held = await imports.lock(subject.id);
        if (held?.status !== 'open') return 0;
        const [id] = await importPhotos.allocateIds(1);
        await importPhotos.insert([sampleItem(subject, present(id))]);
        return 1;
      }),
    );
    const counted = tenant.transaction(async ({ imports, importPhotos }) => {
      const held = present(await imports.lock(subject.id));
      await imports.update({ ...held, status: 'processing', expiresAt: null });
      return importPhotos.count(subject.id);
    });
    const inTime = (await added).reduce((sum: number, one) => sum + one, 0);
    expect(await counted).toBe(inTime);
    expect(await tenant.query(({ importPhotos }) => importPhotos.count(subject.id))).toBe(inTime);
  });
}
