import type { Photo } from '../../src/core/photos/photo.js';
import { type PhotoFilters } from '../../src/core/photos/photo-query.js';
import type { Id } from '../../src/core/shared/ids.js';
import { searchWords } from '../../src/core/shared/text.js';
import { later } from '../support/samples.js';
import { atOnce, type CustomerPorts, present, Tenant } from '../support/tenant.js';

type OpenStore = CustomerPorts & { close(): Promise<void> };

/** Higher than any id that a test is given. */
const NOBODY: Id = 9_007_199_254_740_000;

/** What the writes of `TagRepository` promise that are about many photos at once. Opened once: every test has customers of its own. */
export function bulkTagsContract(open: () => Promise<OpenStore>): void {
  let opened: OpenStore;
  let tenant: Tenant;

  beforeAll(async () => {
    opened = await open();
  });
  beforeEach(async () => {
    tenant = await Tenant.of(opened);
  });
  afterAll(() => opened.close());

  const idsOf = (rows: readonly { readonly id: Id }[]) => rows.map(({ id }) => id);
  const photo = async (id: Id) => present(await tenant.query(({ photos }) => photos.get(id)));
  const named = async (id: Id) => (await photo(id)).tags.map((tag) => tag.name);
  const count = async (id: Id) => present(await tenant.query(({ tags }) => tags.get(id))).photoCount;
  const found = async (filters: Partial<PhotoFilters>) => {
    const window = { after: null, limit: 1000 };
    return idsOf(
      await tenant.query(({ photos }) =>
        photos.list({ filters: { trashed: 'false', ...filters }, sort: 'id', window }),
      ),
    );
  };
  const searched = (q: string) => found({ words: searchWords(q), trashed: 'any' });
  const tagIds = async (...names: readonly string[]) => idsOf(await tenant.addTags(...names)) as [Id, Id, Id];
  const setTrashed = (id: Id, trashedAt: Date | null) =>
    tenant.transaction(async ({ photos }) => photos.update({ ...present((await photos.lock([id]))[0]), trashedAt }));

  const attach = (id: Id, photoIds: readonly Id[]) =>
    tenant.transaction(async ({ photos, tags }) => {
      await photos.lock(photoIds);
      await tags.lock([id]);
      return sorted(await tags.attach(id, photoIds, later(50)));
    });
  const detach = (ids: readonly Id[], photoIds: readonly Id[]) =>
    tenant.transaction(async ({ photos, tags }) => {
      await photos.lock(photoIds);
      return sorted(await tags.detach(ids, photoIds, later(50)));
    });
  const sorted = (ids: readonly Id[]) => [...ids].sort((a, b) => a - b);
  const merge = (from: readonly Id[], into: Id) =>
    tenant.transaction(async ({ taggedPhotos, tags }) => {
      await taggedPhotos.lockTagged(from, []);
      await tags.lock([into, ...from]);
      const { changed, ...counts } = await tags.merge(from, into, later(50));
      return { changed: sorted(changed), ...counts };
    });

  /** Every count is the number of photos outside the trash that carry the tag. */
  const expectCountsToBeRight = async () => {
    const window = { after: null, limit: 1000 };
    const tags = await tenant.query((reader) => reader.tags.list({ filters: {}, sort: 'id', window }));
    for (const { id, photoCount } of tags)
      expect([id, photoCount]).toEqual([id, (await found({ tagIds: [id] })).length]);
  };

  describe('attach', () => {
    it('gives the tag to photos and makes those a new version', async () => {
      const [tag, other] = await tagIds('sea', 'other');
      const photos = await tenant.addPhotos([{ version: 3 }, {}, {}], [other]);
      const [first, second, rest] = photos as [Photo, Photo, Photo];
      await attach(tag, [second.id, first.id]);
      const tags = [
        { id: other, name: 'other' },
        { id: tag, name: 'sea' },
      ];
      expect(await photo(first.id)).toEqual({ ...first, tags, version: 4, updatedAt: later(50) });
      expect(await photo(second.id)).toEqual({ ...second, tags, version: 2, updatedAt: later(50) });
      expect(await photo(rest.id)).toMatchObject({ version: 1, updatedAt: rest.updatedAt });
      expect([await count(tag), await count(other)]).toEqual([2, 3]);
    });

    it('lets the photos be found by the tag, and still by their own words and other tags', async () => {
      const [tag, other] = await tagIds('Sea', 'Sand');
      const { id } = await tenant.addPhoto({ title: 'Holidays' }, [other]);
      expect(await searched('sea')).toEqual([]);
      await attach(tag, [id]);
      for (const q of ['sea', 'sand', 'holidays', 'sea sand holidays']) expect(await searched(q)).toEqual([id]);
    });

    it('leaves a photo that has the tag unchanged, and skips those that are missing', async () => {
      const [tag] = await tagIds('sea');
      const has = await tenant.addPhoto({}, [tag]);
      const gets = await tenant.addPhoto();
      await attach(tag, [has.id, gets.id, NOBODY]);
      expect(await photo(has.id)).toMatchObject({ version: 1, updatedAt: has.updatedAt });
      expect(await photo(gets.id)).toMatchObject({ version: 2 });
      expect(await count(tag)).toBe(2);
      await attach(tag, []);
      expect(await count(tag)).toBe(2);
    });

    it('does not count photos in the trash until they are restored', async () => {
      const [tag] = await tagIds('sea');
      const { id } = await tenant.addPhoto({ trashedAt: later(0) });
      await attach(tag, [id]);
      expect([await named(id), await count(tag)]).toEqual([['sea'], 0]);
      await setTrashed(id, null);
      expect(await count(tag)).toBe(1);
    });

    it('accepts a thousand photos at once', async () => {
      const [tag] = await tagIds('sea');
      const ids = idsOf(await tenant.addPhotos(Array.from({ length: 1000 }, () => ({}))));
      await attach(tag, ids);
      expect([await count(tag), await searched('sea')]).toEqual([1000, ids]);
      await detach([tag], ids);
      expect([await count(tag), await searched('sea')]).toEqual([0, []]);
      expect(await photo(present(ids[999]))).toMatchObject({ version: 3, tags: [] });
    });
  });

  describe('detach', () => {
    it('removes all the tags in one new version, and leaves photos that have none of them', async () => {
      const [a, b, kept] = await tagIds('alpha', 'beta', 'kept');
      const both = await tenant.addPhoto({ title: 'Own words' }, [a, b, kept]);
      const one = await tenant.addPhoto({}, [b]);
      const none = await tenant.addPhoto({}, [kept]);
      const elsewhere = await tenant.addPhoto({}, [a]);
      await detach([a, b], [none.id, one.id, both.id, NOBODY]);
      expect(await photo(both.id)).toEqual({
        ...both,
        tags: [{ id: kept, name: 'kept' }],
        version: 2,
        updatedAt: later(50),
      });
      expect(await photo(one.id)).toMatchObject({ tags: [], version: 2 });
      expect(await photo(none.id)).toMatchObject({ version: 1, updatedAt: none.updatedAt });
      expect([await count(a), await count(b), await count(kept)]).toEqual([1, 0, 2]);
      expect([await searched('alpha'), await searched('beta')]).toEqual([[elsewhere.id], []]);
      expect(await searched('own words kept')).toEqual([both.id]);
    });

    it('does not subtract photos in the trash from the count', async () => {
      const [tag] = await tagIds('sea');
      const { id } = await tenant.addPhoto({ trashedAt: later(0) }, [tag]);
      await tenant.addPhoto({}, [tag]);
      await detach([tag], [id]);
      expect([await named(id), await count(tag)]).toEqual([[], 1]);
      await setTrashed(id, null);
      expect(await count(tag)).toBe(1);
    });
  });

  it('each write returns the photos that it gave a new version, in the trash or not, and no others', async () => {
    const [into, from] = await tagIds('into', 'from');
    const tagged = await tenant.addPhoto({}, [into]);
    const trashed = await tenant.addPhoto({ trashedAt: later(1) }, [from]);
    const plain = await tenant.addPhoto();
    const both = idsOf([tagged, plain]);
    expect(await attach(into, both)).toEqual([plain.id]);
    expect(await detach([into, from], both)).toEqual(both);
    expect(await detach([into], both)).toEqual([]);
    expect((await merge([from], into)).changed).toEqual([trashed.id]);
    expect(
      await tenant.transaction(async ({ tags }) => {
        await tags.lock([into]);
        return tags.delete(into, later(50));
      }),
    ).toEqual([trashed.id]);
  });

  describe('merge', () => {
    it('moves photos, in the trash or not, in one new version, and returns those outside it', async () => {
      const [into, a, b] = await tagIds('into', 'alpha', 'beta');
      const moves = await tenant.addPhoto({ title: 'Own words' }, [a, b]);
      const has = await tenant.addPhoto({}, [into, b]);
      const trashed = await tenant.addPhoto({ trashedAt: later(0) }, [a]);
      const untouched = await tenant.addPhoto({}, [into]);
      expect(await merge([b, a], into)).toEqual({ changed: idsOf([moves, has, trashed]), added: 1, unchanged: 1 });
      const tags = [{ id: into, name: 'into' }];
      for (const before of [moves, has, trashed]) {
        expect(await photo(before.id)).toEqual({ ...before, tags, version: 2, updatedAt: later(50) });
      }
      expect(await photo(untouched.id)).toMatchObject({ version: 1 });
      expect(await count(into)).toBe(3);
      await setTrashed(trashed.id, null);
      expect(await count(into)).toBe(4);
      expect(await searched('into')).toEqual(idsOf([moves, has, trashed, untouched]));
      expect(await searched('own words')).toEqual([moves.id]);
    });

    it('deletes the merged tags, with or without photos, and makes their names available', async () => {
      const [into, used, unused] = await tagIds('into', 'used', 'unused');
      await tenant.addPhoto({}, [used]);
      await merge([used, unused], into);
      expect(idsOf(await tenant.query(({ tags }) => tags.getMany([into, used, unused])))).toEqual([into]);
      const [again] = await tagIds('used');
      expect([await count(again), await searched('used')]).toEqual([0, []]);
    });

    it('leaves photos and tags of other customers', async () => {
      const stranger = await Tenant.of(opened);
      const foreign = await stranger.addTag('foreign');
      const theirs = await stranger.addPhoto({}, [foreign.id]);
      const [into] = await tagIds('into');
      await attach(into, [theirs.id]);
      await detach([foreign.id], [theirs.id]);
      expect(await merge([foreign.id, NOBODY], into)).toEqual({ changed: [], added: 0, unchanged: 0 });
      const tags = [{ id: foreign.id, name: 'foreign' }];
      expect(await stranger.query(({ photos }) => photos.get(theirs.id))).toEqual({ ...theirs, tags });
      expect(await stranger.query((reader) => reader.tags.get(foreign.id))).toMatchObject({ photoCount: 1 });
      expect(await count(into)).toBe(0);
    });

    it('is undone with its transaction', async () => {
      const [into, from] = await tagIds('into', 'from');
      const moves = await tenant.addPhoto({}, [from]);
      const gets = await tenant.addPhoto();
      const work = tenant.transaction(async ({ taggedPhotos, tags }) => {
        await taggedPhotos.lockTagged([from], [gets.id]);
        await tags.lock([into, from]);
        await tags.attach(into, [gets.id], later(50));
        await tags.merge([from], into, later(50));
        throw new Error('on purpose');
      });
      await expect(work).rejects.toThrow('on purpose');
      expect([await named(moves.id), await named(gets.id)]).toEqual([['from'], []]);
      expect([await count(into), await count(from)]).toEqual([0, 1]);
      expect(await searched('from')).toEqual([moves.id]);
    });
  });

  describe('lockTagged', () => {
    it('returns the named photos, by id ascending, with their tags', async () => {
      const [tag] = await tagIds('sea');
      const [first, second, third] = (await tenant.addPhotos([{}, {}, {}])) as [Photo, Photo, Photo];
      await attach(tag, [first.id, second.id]);
      const held = await tenant.transaction(({ taggedPhotos }) =>
        taggedPhotos.lockTagged([tag], [third.id, NOBODY, first.id]),
      );
      expect(held).toMatchObject([{ id: first.id, tags: [{ id: tag }] }, { id: third.id }]);
      expect(await tenant.transaction(({ taggedPhotos }) => taggedPhotos.lockTagged([tag], []))).toEqual([]);
    });

    it('locks the photos of the tag, so that no change of many at once is lost', async () => {
      const [tag] = await tagIds('sea');
      const { id } = await tenant.addPhoto({}, [tag]);
      await atOnce(10, () =>
        tenant.transaction(async ({ photos, taggedPhotos }) => {
          await taggedPhotos.lockTagged([tag], []);
          const seen = present(await photos.get(id));
          await photos.update({ ...seen, version: seen.version + 1 });
        }),
      );
      expect(await photo(id)).toMatchObject({ version: 11 });
    });
  });

  it('keeps links, counts and search consistent when photos get, lose and change the tags at the same time', async () => {
    const [into, from, other] = await tagIds('into', 'from', 'other');
    const ids = idsOf(
      await tenant.addPhotos(
        Array.from({ length: 8 }, () => ({})),
        [from],
      ),
    );
    const one = (number: number) => present(ids[number % ids.length]);
    await atOnce(12, async (number) => {
      if (number === 5) return void (await merge([from], into));
      if (number % 4 === 0) return attach(other, ids.toReversed());
      if (number % 4 === 1) return detach([other], ids);
      if (number % 4 === 2) return void (await tenant.addPhoto({}, [from, other]));
      await tenant.transaction(async ({ photos, tags }) => {
        await photos.lock([one(number)]);
        const held = await tags.lock([from, other]);
        await photos.setTags(one(number), idsOf(held));
      });
    });
    await expectCountsToBeRight();
    expect(await tenant.query(({ tags }) => tags.get(from))).toBeNull();
    expect(await searched('from')).toEqual([]);
    for (const [id, name] of [
      [into, 'into'],
      [other, 'other'],
    ] as const) {
      expect(await searched(name)).toEqual(await found({ tagIds: [id], trashed: 'any' }));
    }
  });
}
