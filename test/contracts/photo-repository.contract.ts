import type { Customer } from '../../src/core/customers/customer.js';
import type { Photo, PhotoWithTags } from '../../src/core/photos/photo.js';
import type { Id } from '../../src/core/shared/ids.js';
import { fullPhoto, later, sampleExif, sampleHash, samplePhoto } from '../support/samples.js';
import { atOnce, present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

/** What `PhotoRepository` promises but for lists. */
export function photoRepositoryContract(newTenant: NewTenant): void {
  const get = (tenant: Tenant, id: Id) => tenant.query(({ photos }) => photos.get(id));
  const countOf = async (tenant: Tenant, tagId: Id) => (await tenant.query(({ tags }) => tags.get(tagId)))?.photoCount;

  /** Locks a photo and stores it with other values. */
  const change = (tenant: Tenant, id: Id, values: Partial<Photo>) =>
    tenant.transaction(async ({ photos }) => {
      const [photo] = await photos.lock([id]);
      await photos.update({ ...present(photo), ...values });
    });

  const retag = (tenant: Tenant, id: Id, tagIds: readonly Id[]) =>
    tenant.transaction(async ({ photos }) => {
      await photos.lock([id]);
      await photos.setTags(id, tagIds);
    });

  describe('insert and get', () => {
    it('returns every value, set or not', async () => {
      const tenant = await newTenant();
      const [plain, full] = await tenant.addPhotos([{}, fullPhoto]);
      expect(await get(tenant, present(plain).id)).toEqual({ ...plain, tags: [] });
      expect(await get(tenant, present(full).id)).toEqual({ ...full, tags: [] });
    });

    it('finds no photo that never existed', async () => {
      const tenant = await newTenant();
      const id = await tenant.newId();
      expect(await get(tenant, id)).toBeNull();
      expect(await tenant.query(({ photos }) => photos.exif(id))).toBeNull();
      expect(await tenant.query(({ photos }) => photos.getMany([id]))).toEqual([]);
      expect(await tenant.transaction(({ photos }) => photos.lock([id]))).toEqual([]);
    });

    it('counts the photos outside the trash in each period, with its beginning included, up to a limit', async () => {
      const tenant = await newTenant();
      const at = (hours: number) => later(hours * 3600);
      await tenant.addPhotos([{ takenAt: at(10) }, { takenAt: at(29) }, { takenAt: null }]);
      await tenant.addPhotos([{ takenAt: at(45), trashedAt: later(1), purgeAt: later(2) }]);
      await (await newTenant()).addPhotos([{ takenAt: at(15) }]);
      const count = (most: number, ...hours: number[]) =>
        tenant.query(({ photos }) => photos.countTakenBetween(hours.map(at), most));
      const taken = (...hours: number[]) => count(9, ...hours);
      expect(await taken(0, 10, 20, 30, 40, 50)).toEqual([0, 1, 1, 0, 0]);
      expect(await taken(10, 29)).toEqual([1]);
      expect(await taken(10, 30, 40)).toEqual([2, 0]);
      expect(await count(1, 10, 30, 40)).toEqual([1, 0]);
      expect([await taken(), await taken(10)]).toEqual([[], []]);
    });

    it('returns a visible photo alone', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const photo = await tenant.addPhoto({ ...fullPhoto, trashedAt: null, purgeAt: null }, [tag.id]);
      const shown = () => tenant.query(({ photos }) => photos.getVisible(photo.id));
      expect(await shown()).toEqual(photo);
      expect(await (await newTenant()).query(({ photos }) => photos.getVisible(photo.id))).toBeNull();
      await change(tenant, photo.id, { trashedAt: later(1), purgeAt: later(2) });
      expect(await shown()).toBeNull();
      await change(tenant, photo.id, { trashedAt: null, purgeAt: null });
      const setStatus = (status: Customer['status']) =>
        tenant.transaction(async (transaction) =>
          transaction.customer.update({ ...(await transaction.customer.lock()), status }),
        );
      await setStatus('suspended');
      expect(await shown()).toEqual(photo);
      await setStatus('closing');
      expect(await shown()).toBeNull();
    });

    it('shows tags by name, and not by the order in which they were given', async () => {
      const tenant = await newTenant();
      const [z, lower, upper, accent] = await tenant.addTags('zoo', 'apple', 'Berry', 'Élan');
      const ids = [present(z).id, present(accent).id, present(upper).id, present(lower).id];
      const photo = await tenant.addPhoto({}, ids);
      const names = (await get(tenant, photo.id))?.tags.map((tag) => tag.name);
      expect(names).toEqual(['apple', 'Berry', 'zoo', 'Élan']);
      expect((await get(tenant, photo.id))?.tags[0]).toEqual({ id: present(lower).id, name: 'apple' });
    });

    it('skips tags that do not exist, and stores a repeated one once', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const gone = await tenant.addTag('b');
      await tenant.transaction(({ tags }) => tags.delete(gone.id, later(1)));
      const photo = await tenant.addPhoto({}, [gone.id, tag.id, tag.id]);
      expect(await get(tenant, photo.id)).toMatchObject({ tags: [{ id: tag.id, name: 'a' }] });
      expect(await countOf(tenant, tag.id)).toBe(1);
    });

    it('refuses the same bytes with the same dupSeq, and stores nothing', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const photo = await tenant.addPhoto({ title: 'first' });
      const id = await tenant.newId();
      const stored = await tenant.transaction(({ photos }) =>
        photos.insert(samplePhoto(tenant.id, id, { sha256: photo.sha256 }), [tag.id], sampleExif),
      );
      expect(stored).toBe(false);
      expect(await get(tenant, id)).toBeNull();
      expect(await tenant.query(({ photos }) => photos.exif(id))).toBeNull();
      expect(await countOf(tenant, tag.id)).toBe(0);
      expect(await get(tenant, photo.id)).toMatchObject({ title: 'first' });
    });

    it('stores the same bytes once when many bring them at once, and the others find that photo', async () => {
      const tenant = await newTenant();
      const sha256 = sampleHash();
      const ids = await tenant.photoIds(8);
      const answers = await atOnce(8, (number) =>
        tenant.transaction(async ({ photos }) => {
          const stored = await photos.insert(samplePhoto(tenant.id, present(ids[number]), { sha256 }), [], {});
          const [winner] = await photos.findBySha256([sha256]);
          return { stored, winner: present(winner).id };
        }),
      );
      const won = answers.findIndex((answer) => answer.stored);
      expect(answers.filter((answer) => answer.stored)).toHaveLength(1);
      expect(new Set(answers.map((answer) => answer.winner))).toEqual(new Set([ids[won]]));
    });

    it('stores many photos at once with their tags and EXIF, except those whose bytes exist', async () => {
      const tenant = await newTenant();
      const [a, b, gone] = [await tenant.addTag('a'), await tenant.addTag('b'), await tenant.addTag('c')];
      await tenant.transaction(({ tags }) => tags.delete(gone.id, later(1)));
      const there = await tenant.addPhoto({}, [a.id]);
      const ids = await Promise.all([1, 2, 3, 4, 5].map(() => tenant.newId()));
      const [first, second, known, twice, trashed] = ids as [Id, Id, Id, Id, Id];
      const one = samplePhoto(tenant.id, first, { ...fullPhoto, trashedAt: null, purgeAt: null, sha256: sampleHash() });
      const additions = [
        { photo: one, tagIds: [b.id, a.id, gone.id, b.id], exif: sampleExif },
        { photo: samplePhoto(tenant.id, second, { sha256: sampleHash() }), tagIds: [], exif: {} },
        { photo: samplePhoto(tenant.id, known, { sha256: there.sha256 }), tagIds: [a.id], exif: {} },
        { photo: samplePhoto(tenant.id, twice, { sha256: one.sha256 }), tagIds: [a.id], exif: {} },
        {
          photo: samplePhoto(tenant.id, trashed, { trashedAt: later(1), purgeAt: later(2) }),
          tagIds: [a.id],
          exif: {},
        },
      ];
      const stored = await tenant.transaction(({ photos }) => photos.insertMany(additions));
      const winner = present([first, twice].find((id) => stored.includes(id)));
      expect([...stored].sort((x, y) => x - y)).toEqual([winner, second, trashed].sort((x, y) => x - y));
      expect((await get(tenant, winner))?.tags.map(({ id }) => id)).toEqual(winner === first ? [a.id, b.id] : [a.id]);
      expect(await tenant.query(({ photos }) => photos.exif(winner))).toEqual(winner === first ? sampleExif : {});
      expect(await get(tenant, second)).toMatchObject({ tags: [] });
      expect(await get(tenant, known)).toBeNull();
      expect(await countOf(tenant, a.id)).toBe(2);
      expect(await countOf(tenant, b.id)).toBe(winner === first ? 1 : 0);
      expect(await tenant.transaction(({ photos }) => photos.insertMany([]))).toEqual([]);
    });

    it('stores the same bytes under another dupSeq, above 0 and never the same again', async () => {
      const tenant = await newTenant();
      const { sha256 } = await tenant.addPhoto();
      const given = await atOnce(5, () => tenant.transaction(({ photos }) => photos.nextDupSeq()));
      expect(new Set(given).size).toBe(5);
      expect(Math.min(...given)).toBeGreaterThan(0);
      await tenant.addPhotos(given.map((dupSeq) => ({ sha256, dupSeq })));
      expect(await tenant.query((reader) => reader.usage.read())).toMatchObject({ photos: 6 });
    });

    it('returns copies, which callers may change without an effect', async () => {
      const tenant = await newTenant();
      const metadata: Record<string, string> = { client: 'ACME' };
      const takenAt = new Date(0);
      const photo = await tenant.addPhoto({ metadata, takenAt });
      metadata.client = 'changed';
      takenAt.setTime(1);
      const answer = present(await get(tenant, photo.id));
      answer.createdAt.setTime(0);
      try {
        Object.assign(answer, { title: 'changed' });
      } catch {
        // A frozen answer does as well.
      }
      const expected = { metadata: { client: 'ACME' }, takenAt: new Date(0), title: null, createdAt: photo.createdAt };
      expect(await get(tenant, photo.id)).toMatchObject(expected);
    });
  });

  describe('getMany and lock', () => {
    it('return existing photos, by id ascending, each once', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const [first, second] = await tenant.addPhotos([{}, { trashedAt: later(0) }], [tag.id]);
      const ids = [present(second).id, await tenant.newId(), present(first).id, present(second).id];
      const expected = [first, second].map((photo) => ({ ...photo, tags: [{ id: tag.id, name: 'a' }] }));
      expect(await tenant.query(({ photos }) => photos.getMany(ids))).toEqual(expected);
      expect(await tenant.transaction(({ photos }) => photos.lock(ids))).toEqual(expected);
      expect(await tenant.query(({ photos }) => photos.getMany([]))).toEqual([]);
      expect(await tenant.transaction(({ photos }) => photos.lock([]))).toEqual([]);
    });

    it('lock a photo, so that no change of many at once is lost', async () => {
      const tenant = await newTenant();
      const photo = await tenant.addPhoto({ sizeBytes: 0 });
      await atOnce(10, () =>
        tenant.transaction(async ({ photos }) => {
          const [held] = await photos.lock([photo.id]);
          await photos.update({ ...present(held), sizeBytes: present(held).sizeBytes + 1 });
        }),
      );
      expect(await get(tenant, photo.id)).toMatchObject({ sizeBytes: 10 });
    });

    it('show the latest tags to a caller that waited for the lock', async () => {
      const tenant = await newTenant();
      const tags = await tenant.addTags(...Array.from({ length: 8 }, (_, number) => `tag ${number}`));
      const photo = await tenant.addPhoto();
      await atOnce(8, (number) =>
        tenant.transaction(async ({ photos }) => {
          const [held] = await photos.lock([photo.id]);
          const had = present(held).tags.map((tag) => tag.id);
          await photos.setTags(photo.id, [...had, present(tags[number]).id]);
        }),
      );
      expect((await get(tenant, photo.id))?.tags).toHaveLength(8);
    });

    it('lock ids in any order without a deadlock', async () => {
      const tenant = await newTenant();
      const photos = await tenant.addPhotos([{}, {}, {}]);
      const ids = photos.map((photo) => photo.id);
      const held = await atOnce(12, (number) =>
        tenant.transaction((transaction) => transaction.photos.lock(number % 2 === 0 ? ids : ids.toReversed())),
      );
      for (const answer of held) expect(answer.map((photo) => photo.id)).toEqual(ids);
    });
  });

  describe('findBySha256', () => {
    it('finds photos in the trash or not, and of several with one hash the one with the lowest dupSeq', async () => {
      const tenant = await newTenant();
      const sha256 = sampleHash();
      const [copy, first, other] = await tenant.addPhotos([
        { sha256, dupSeq: 7 },
        { sha256, dupSeq: 3 },
        { trashedAt: later(0) },
        {},
      ]);
      const wanted = [sha256, present(other).sha256, sampleHash(), sha256];
      const found = await tenant.query(({ photos }) => photos.findBySha256(wanted));
      expect(found.map((photo) => photo.id).sort()).toEqual([present(first).id, present(other).id].sort());
      expect(found.find((photo) => photo.sha256 === sha256)).toMatchObject(present(first));
      await tenant.transaction(async ({ photos }) => {
        await photos.lock([present(first).id]);
        await photos.delete(present(first).id);
      });
      const [next] = await tenant.query(({ photos }) => photos.findBySha256([sha256]));
      expect(next?.id).toBe(present(copy).id);
      expect(await tenant.query(({ photos }) => photos.findBySha256([]))).toEqual([]);
    });
  });

  describe('exif', () => {
    it('is stored beside the photo and is not part of it', async () => {
      const tenant = await newTenant();
      const photo = await tenant.addPhoto();
      expect(await tenant.query(({ photos }) => photos.exif(photo.id))).toEqual(sampleExif);
      expect(await get(tenant, photo.id)).not.toHaveProperty('exif');
    });
  });

  describe('update', () => {
    it('stores every field, and keeps tags and EXIF', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const photo = await tenant.addPhoto({}, [tag.id]);
      await change(tenant, photo.id, fullPhoto);
      const tags = [{ id: tag.id, name: 'a' }];
      expect(await get(tenant, photo.id)).toEqual({ ...photo, ...fullPhoto, tags });
      await change(tenant, photo.id, photo);
      expect(await get(tenant, photo.id)).toEqual({ ...photo, tags });
      expect(await tenant.query(({ photos }) => photos.exif(photo.id))).toEqual(sampleExif);
    });

    it('accepts a photo with other tags on it, and leaves its tags alone', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const photo = await tenant.addPhoto({}, [tag.id]);
      await change(tenant, photo.id, { tags: [], title: 'new' } as Partial<PhotoWithTags>);
      expect(await get(tenant, photo.id)).toMatchObject({ title: 'new', tags: [{ id: tag.id, name: 'a' }] });
    });
  });

  describe('setThumb', () => {
    it('tells other bytes of the thumb, and changes nothing else of the photo, nor of another', async () => {
      const tenant = await newTenant();
      const [photo, other] = await tenant.addPhotos([fullPhoto, { thumb: fullPhoto.thumb }]);
      const { id } = present(photo);
      const thumb = { sizeBytes: 7, sha256: 'ab'.repeat(32) };
      await tenant.transaction(({ photos }) => photos.setThumb(id, thumb));
      await tenant.transaction(({ photos }) => photos.setThumb(9e15, thumb));
      await (await newTenant()).transaction(({ photos }) => photos.setThumb(present(other).id, thumb));
      expect(await get(tenant, id)).toMatchObject({ ...fullPhoto, thumb });
      expect(await get(tenant, present(other).id)).toMatchObject({ thumb: fullPhoto.thumb });
    });
  });

  describe('setTags', () => {
    it('replaces the set, and changes nothing else of the photo', async () => {
      const tenant = await newTenant();
      const [a, b, c] = (await tenant.addTags('a', 'b', 'c')).map((tag) => tag.id);
      const photo = await tenant.addPhoto({}, [present(a), present(b)]);
      await retag(tenant, photo.id, [present(c), present(b)]);
      const tags = [
        { id: b, name: 'b' },
        { id: c, name: 'c' },
      ];
      expect(await get(tenant, photo.id)).toEqual({ ...photo, tags });
      await retag(tenant, photo.id, [present(c), present(b)]);
      expect(await get(tenant, photo.id)).toEqual({ ...photo, tags });
      await retag(tenant, photo.id, []);
      expect(await get(tenant, photo.id)).toEqual({ ...photo, tags: [] });
    });
  });

  describe('delete', () => {
    it('removes the photo, its links and its EXIF, so that no query finds it', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const [photo, other] = await tenant.addPhotos([{}, {}], [tag.id]);
      const { id, sha256 } = present(photo);
      await tenant.transaction(async ({ photos }) => {
        await photos.lock([id]);
        await photos.delete(id);
      });
      expect(await get(tenant, id)).toBeNull();
      expect(await tenant.query(({ photos }) => photos.exif(id))).toBeNull();
      expect(await tenant.query(({ photos }) => photos.findBySha256([sha256]))).toEqual([]);
      expect(await tenant.query(({ tags }) => tags.ofPhoto(id))).toEqual([]);
      expect(await get(tenant, present(other).id)).toMatchObject({ tags: [{ id: tag.id }] });
      await tenant.transaction(({ photos }) => photos.delete(id));
      expect(await tenant.transaction(({ photos }) => photos.insert(present(photo), [], {}))).toBe(true);
    });
  });

  describe('the photoCount of tags', () => {
    it('follows insert, trash, restore, setTags and delete', async () => {
      const tenant = await newTenant();
      const [a, b] = (await tenant.addTags('a', 'b')).map((tag) => tag.id) as [Id, Id];
      const counts = async () => [await countOf(tenant, a), await countOf(tenant, b)];
      const photo = await tenant.addPhoto({}, [a]);
      await tenant.addPhoto({ trashedAt: later(0) }, [a, b]);
      expect(await counts()).toEqual([1, 0]);
      await retag(tenant, photo.id, [a, b]);
      expect(await counts()).toEqual([1, 1]);
      await change(tenant, photo.id, { trashedAt: later(1), purgeAt: later(2) });
      expect(await counts()).toEqual([0, 0]);
      await retag(tenant, photo.id, [b]);
      expect(await counts()).toEqual([0, 0]);
      await change(tenant, photo.id, { trashedAt: null, purgeAt: null });
      expect(await counts()).toEqual([0, 1]);
      await change(tenant, photo.id, { title: 'no matter' });
      expect(await counts()).toEqual([0, 1]);
      await tenant.transaction(async ({ photos }) => {
        await photos.lock([photo.id]);
        await photos.delete(photo.id);
      });
      expect(await counts()).toEqual([0, 0]);
    });

    it('is unchanged when a photo in the trash is deleted', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const [photo] = await tenant.addPhotos([{ trashedAt: later(0) }, {}], [tag.id]);
      await tenant.transaction(({ photos }) => photos.delete(present(photo).id));
      expect(await countOf(tenant, tag.id)).toBe(1);
    });

    it('is right after many changes at once', async () => {
      const tenant = await newTenant();
      const tagIds = (await tenant.addTags('a', 'b', 'c')).map((tag) => tag.id);
      const photos = await tenant.addPhotos(Array.from({ length: 6 }, () => ({})));
      await atOnce(30, async (number) => {
        const { id } = present(photos[number % photos.length]);
        const kind = number % 4;
        if (kind === 0) return void (await tenant.addPhoto({}, tagIds.slice(number % 3)));
        if (kind === 1) return change(tenant, id, { trashedAt: number % 8 < 4 ? later(number) : null });
        return retag(tenant, id, tagIds.slice(0, 1 + (number % 3)));
      });
      const window = { after: null, limit: 100 };
      for (const tagId of tagIds) {
        const filters = { tagIds: [tagId], trashed: 'false' } as const;
        const tagged = await tenant.query((reader) => reader.photos.list({ filters, sort: 'id', window }));
        expect(await countOf(tenant, tagId)).toBe(tagged.length);
      }
    });
  });

  describe('toPurge', () => {
    const trashed = (purgeAt: Date) => ({ trashedAt: later(-9), purgeAt });
    const toPurge = (tenant: Tenant, after: Id | null = null, limit = 10) =>
      tenant.query(({ photos }) => photos.toPurge(later(0), after, limit));

    it('returns photos whose time in the trash is over, by id, in pages', async () => {
      const tenant = await newTenant();
      const all = await tenant.addPhotos([
        trashed(later(0)),
        trashed(later(1)),
        {},
        trashed(later(-8)),
        trashed(later(-1)),
      ]);
      const due = [0, 3, 4].map((at) => present(all[at]).id);
      expect(await toPurge(tenant)).toEqual(due);
      expect(await toPurge(tenant, null, 2)).toEqual(due.slice(0, 2));
      expect(await toPurge(tenant, present(due[1]))).toEqual(due.slice(2));
      expect(await toPurge(await newTenant())).toEqual([]);
    });

    it('leaves out photos that an unfinished import may restore', async () => {
      const tenant = await newTenant();
      const statuses = ['open', 'processing', 'completed', 'completed_with_errors', 'cancelled', 'expired'] as const;
      const free: Id[] = [];
      for (const status of statuses) {
        const photo = await tenant.addPhoto(trashed(later(0)));
        const subject = await tenant.addImport({ status });
        await tenant.addItem(subject, { status: 'duplicate', photoId: photo.id });
        if (status !== 'open' && status !== 'processing') free.push(photo.id);
      }
      const named = await tenant.addPhoto(trashed(later(0)));
      await tenant.addItem(await tenant.addImport(), { status: 'cancelled', photoId: named.id });
      expect(await toPurge(tenant)).toEqual([...free, named.id]);
    });

    it('checks one photo like isAwaited', async () => {
      const [tenant, other] = [await newTenant(), await newTenant()];
      const photo = await tenant.addPhoto(trashed(later(0)));
      const isAwaited = (owner: Tenant) => owner.query(({ photos }) => photos.isAwaited(photo.id));
      const item = await tenant.addItem(await tenant.addImport(), { status: 'duplicate', photoId: photo.id });
      expect([await isAwaited(tenant), await isAwaited(other)]).toEqual([true, false]);
      await tenant.transaction(async ({ importPhotos }) => {
        await importPhotos.lock(item.importId, item.id);
        await importPhotos.update({ ...item, status: 'cancelled' });
      });
      expect(await isAwaited(tenant)).toBe(false);
    });
  });
}
