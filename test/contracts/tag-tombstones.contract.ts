import { type PhotoFilters } from '../../src/core/photos/photo-query.js';
import type { Id } from '../../src/core/shared/ids.js';
import { searchWords } from '../../src/core/shared/text.js';
import { later } from '../support/samples.js';
import { atOnce, type CustomerPorts, present, Tenant } from '../support/tenant.js';

type OpenStore = CustomerPorts & { close(): Promise<void> };

/** What `TagRepository` promises of tags that leave photos whose new versions come later. Opened once. */
export function tombstonesContract(open: () => Promise<OpenStore>): void {
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
  const versions = (...ids: readonly Id[]) => Promise.all(ids.map(async (id) => (await photo(id)).version));
  const named = async (id: Id) => (await photo(id)).tags.map((tag) => tag.name);
  const count = async (id: Id) => (await tenant.query(({ tags }) => tags.get(id)))?.photoCount;
  const found = async (filters: Partial<PhotoFilters>) => {
    const window = { after: null, limit: 100 };
    return idsOf(
      await tenant.query(({ photos }) => photos.list({ filters: { trashed: 'any', ...filters }, sort: 'id', window })),
    );
  };
  const searched = (q: string) => found({ words: searchWords(q) });
  const tagIds = async (...names: readonly string[]) => idsOf(await tenant.addTags(...names)) as [Id, Id, Id];

  const remove = (id: Id, at: Date | null = null) =>
    tenant.transaction(async ({ tags }) => {
      await tags.lock([id]);
      return tags.delete(id, at);
    });
  const merge = (from: readonly Id[], into: Id, at: Date | null = null) =>
    tenant.transaction(async ({ taggedPhotos, tags }) => {
      await taggedPhotos.lockTagged(from, []);
      await tags.lock([into, ...from]);
      return tags.merge(from, into, at);
    });
  const tombstones = () => tenant.query(({ tags }) => tags.tombstones());
  const renew = (tagIds: readonly Id[], after: Id = 0, limit = 100) =>
    tenant.transaction(({ tags }) => tags.bumpVersions(tagIds, after, limit, later(50)));

  describe('a deleted tag with many photos', () => {
    it('is removed from its photos at once, and they keep their version for now', async () => {
      const [gone, kept] = await tagIds('gone', 'kept');
      const both = await tenant.addPhoto({ title: 'Own words' }, [gone, kept]);
      const one = await tenant.addPhoto({ trashedAt: later(0) }, [gone]);
      await remove(gone);
      expect(await photo(both.id)).toEqual({ ...both, tags: [{ id: kept, name: 'kept' }] });
      expect(await photo(one.id)).toEqual({ ...one, tags: [] });
      expect([await count(gone), await count(kept)]).toEqual([undefined, 1]);
      expect(await searched('gone')).toEqual([]);
      expect(await searched('own kept')).toEqual([both.id]);
      expect(await found({ untagged: true })).toEqual([one.id]);
      expect(await found({ untagged: false })).toEqual([both.id]);
      expect(await tombstones()).toEqual([gone]);
    });

    it('makes its name available, and the next tag of that name has no photos', async () => {
      const [gone] = await tagIds('name');
      await tenant.addPhoto({}, [gone]);
      await remove(gone);
      const [again] = await tagIds('name');
      expect([await count(again), await searched('name'), await found({ tagIds: [again] })]).toEqual([0, [], []]);
    });

    it('is found, counted and removed as the tag into which it was merged', async () => {
      const [into, a, b] = await tagIds('into', 'alpha', 'beta');
      const moves = await tenant.addPhoto({ title: 'Own words' }, [a, b]);
      const has = await tenant.addPhoto({}, [into, b]);
      const trashed = await tenant.addPhoto({ trashedAt: later(0) }, [a]);
      const late = await tenant.addPhoto();
      expect(await merge([a, b], into)).toEqual({ changed: [], added: 1, unchanged: 1 });
      const tags = [{ id: into, name: 'into' }];
      for (const before of [moves, has, trashed]) expect(await photo(before.id)).toEqual({ ...before, tags });
      const all = idsOf([moves, has, trashed]);
      expect([await count(into), await found({ tagIds: [into] })]).toEqual([2, all]);
      expect([await searched('into'), await searched('alpha')]).toEqual([all, []]);
      expect([await searched('own into'), await searched('own words')]).toEqual([[moves.id], [moves.id]]);
      expect(await tombstones()).toEqual([a, b]);
      await tenant.transaction(async ({ photos, tags: each }) => {
        await photos.lock([moves.id, late.id]);
        await each.lock([into]);
        await each.detach([into], [moves.id], later(1));
        await each.attach(into, [late.id], later(1));
      });
      expect(await searched('into')).toEqual([has.id, trashed.id, late.id]);
      expect(await count(into)).toBe(2);
    });

    it('is found as the last of several tags that were merged one after another', async () => {
      const [a, b, c] = await tagIds('alpha', 'beta', 'gamma');
      const photos = idsOf(await tenant.addPhotos([{}, {}], [a]));
      await merge([a], b);
      await renew([a], 0, 1);
      await merge([b], c);
      expect([await searched('gamma'), await searched('beta'), await count(c)]).toEqual([photos, [], 2]);
      await renew([b]);
      await tenant.transaction(({ tags }) => tags.dropTombstones([b]));
      expect(await searched('gamma')).toEqual(photos);
      await renew([a]);
      await tenant.transaction(({ tags }) => tags.dropTombstones([a]));
      expect(await searched('gamma')).toEqual(photos);
      for (const version of await versions(...photos)) expect(version).toBeGreaterThan(1);
    });

    it('is found as the last tag also after a merge that is done at once', async () => {
      const [a, b, c] = await tagIds('alpha', 'beta', 'gamma');
      const { id } = await tenant.addPhoto({}, [a]);
      await merge([a], b);
      await merge([b], c, later(1));
      expect([await searched('gamma'), await named(id)]).toEqual([[id], ['gamma']]);
    });
  });

  describe('the version bump after a deleted tag', () => {
    it('gives one new version to the photos that the tags have left, in the trash or not, and to no others', async () => {
      const [a, b, kept] = await tagIds('alpha', 'beta', 'kept');
      const both = await tenant.addPhoto({ version: 7 }, [a, b, kept]);
      const trashed = await tenant.addPhoto({ trashedAt: later(0) }, [b]);
      const other = await tenant.addPhoto({}, [kept]);
      expect(await remove(a)).toEqual([]);
      await remove(b);
      const { changed, last } = await renew([a, b]);
      expect([[...changed].sort((x, y) => x - y), last]).toEqual([idsOf([both, trashed]), null]);
      const tags = [{ id: kept, name: 'kept' }];
      expect(await photo(both.id)).toEqual({ ...both, tags, version: 8, updatedAt: later(50) });
      expect(await photo(trashed.id)).toEqual({ ...trashed, tags: [], version: 2, updatedAt: later(50) });
      expect(await photo(other.id)).toEqual({ ...other, tags });
      expect([await searched('alpha'), await searched('kept')]).toEqual([[], idsOf([both, other])]);
    });

    it('happens once, however often it is requested', async () => {
      const [gone] = await tagIds('gone');
      const { id } = await tenant.addPhoto({}, [gone]);
      await remove(gone);
      const changed = [];
      for (let time = 0; time < 3; time += 1) changed.push((await renew([gone])).changed);
      expect([changed, await versions(id)]).toEqual([[[id], [], []], [2]]);
    });

    it('goes from page to page, and reports its position', async () => {
      const [gone] = await tagIds('gone');
      const [first, second, third, last] = idsOf(await tenant.addPhotos([{}, {}, {}, {}], [gone])) as [Id, Id, Id, Id];
      await remove(gone);
      expect((await renew([gone], 0, 2)).last).toBe(second);
      expect(await versions(first, second, third, last)).toEqual([2, 2, 1, 1]);
      expect((await renew([gone], third, 2)).last).toBeNull();
      expect(await versions(first, second, third, last)).toEqual([2, 2, 1, 2]);
      expect((await renew([gone], last, 2)).last).toBeNull();
      expect((await renew([gone], 0, 3)).last).toBe(third);
      expect(await versions(first, second, third, last)).toEqual([2, 2, 2, 2]);
    });

    it('leaves a photo that was stored since the tag left, and one that another tag has left', async () => {
      const [gone, another] = await tagIds('gone', 'another');
      const [edited, other] = idsOf([await tenant.addPhoto({}, [gone]), await tenant.addPhoto({}, [another])]) as [
        Id,
        Id,
      ];
      await remove(gone);
      await remove(another);
      await tenant.transaction(async ({ photos }) => {
        const held = present((await photos.lock([edited]))[0]);
        await photos.update({ ...held, title: 'edited', version: held.version + 1 });
      });
      await renew([gone]);
      expect(await versions(edited, other)).toEqual([2, 1]);
      expect(await searched('edited')).toEqual([edited]);
    });

    it('lets photos that got another tag be found by its lexeme', async () => {
      const [into, gone] = await tagIds('into', 'gone');
      const ids = idsOf(await tenant.addPhotos([{ title: 'Own words' }, {}], [gone]));
      await merge([gone], into);
      await renew([gone]);
      await tenant.transaction(({ tags }) => tags.dropTombstones([gone]));
      expect([await tombstones(), await searched('into'), await searched('own into')]).toEqual([[], ids, [ids[0]]]);
      expect(await count(into)).toBe(2);
    });

    it("is limited to the customer's own photos and tags", async () => {
      const stranger = await Tenant.of(opened);
      const foreign = await stranger.addTag('foreign');
      const theirs = await stranger.addPhoto({}, [foreign.id]);
      await stranger.transaction(async ({ tags }) => {
        await tags.lock([foreign.id]);
        await tags.delete(foreign.id, null);
      });
      expect(await tombstones()).toEqual([]);
      await renew([foreign.id]);
      await tenant.transaction(({ tags }) => tags.dropTombstones([foreign.id]));
      expect(await stranger.query(({ photos }) => photos.get(theirs.id))).toMatchObject({ version: 1 });
      expect(await stranger.query(({ tags }) => tags.tombstones())).toEqual([foreign.id]);
    });

    it('loses no concurrent change of the same photos, and skips no photo', async () => {
      const [gone, other] = await tagIds('gone', 'other');
      const ids = idsOf(
        await tenant.addPhotos(
          Array.from({ length: 6 }, () => ({})),
          [gone],
        ),
      );
      await remove(gone);
      await atOnce(9, async (number) => {
        if (number === 4) return void (await renew([gone]));
        const id = present(ids[number % ids.length]);
        await tenant.transaction(async ({ photos, tags }) => {
          const held = present((await photos.lock([id]))[0]);
          const [tag] = await tags.lock([other]);
          await photos.setTags(id, held.tags.length > 0 ? [] : [present(tag).id]);
          await photos.update({ ...held, rating: (held.rating ?? 0) + 1, version: held.version + 1 });
        });
      });
      await renew([gone]);
      for (const [at, id] of ids.entries()) {
        const changes = [0, 1, 2, 3, 5, 6, 7, 8].filter((number) => number % ids.length === at).length;
        const { rating, version, tags } = await photo(id);
        expect([rating ?? 0, tags.length]).toEqual([changes, changes % 2]);
        expect(version).toBeGreaterThan(Math.max(1, changes));
      }
      expect(await searched('other')).toEqual(await found({ tagIds: [other] }));
      expect(await count(other)).toBe((await found({ tagIds: [other] })).length);
    });
  });

  it('keeps links, counts and search consistent when photos change tags and trash meanwhile', async () => {
    const [into, from, other] = await tagIds('into', 'from', 'other');
    const ids = idsOf(
      await tenant.addPhotos(
        Array.from({ length: 8 }, () => ({})),
        [from],
      ),
    );
    const one = (number: number) => present(ids[number % ids.length]);
    const agree = async () => {
      for (const [id, name] of [
        [into, 'into'],
        [other, 'other'],
      ] as const) {
        expect(await searched(name)).toEqual(await found({ tagIds: [id] }));
        expect([name, await count(id)]).toEqual([name, (await found({ tagIds: [id], trashed: 'false' })).length]);
      }
      const tagged = await Promise.all((await found({})).map(async (id) => ((await named(id)).length > 0 ? [id] : [])));
      expect(await found({ untagged: false })).toEqual(tagged.flat());
      expect(await searched('from')).toEqual([]);
    };
    await atOnce(16, async (number) => {
      if (number === 7) return void (await merge([from], into));
      if (number % 4 === 0) return void (await tenant.addPhoto({}, [from, other]));
      await tenant.transaction(async ({ photos, tags }) => {
        const held = present((await photos.lock([one(number)]))[0]);
        if (number % 4 === 1) return photos.update({ ...held, trashedAt: held.trashedAt === null ? later(1) : null });
        const known = idsOf(await tags.lock([from, other]));
        if (number % 4 === 2) await photos.setTags(held.id, known);
        else await tags.detach(known, [held.id], later(1));
      });
    });
    await agree();
    await renew([from]);
    await tenant.transaction(({ tags }) => tags.dropTombstones([from]));
    await agree();
  });

  describe('countTagged', () => {
    it('counts photos, in the trash or not, each once, up to the limit', async () => {
      const [a, b, none] = await tagIds('alpha', 'beta', 'none');
      await tenant.addPhotos([{}, { trashedAt: later(0) }], [a]);
      await tenant.addPhoto({}, [a, b]);
      await tenant.addPhoto();
      const counted = (of: readonly Id[], limit: number) =>
        tenant.query(({ taggedPhotos }) => taggedPhotos.countTagged(of, limit));
      expect(await counted([a], 10)).toBe(3);
      expect(await counted([a, b], 10)).toBe(3);
      expect(await counted([a], 2)).toBe(2);
      expect(await counted([none], 10)).toBe(0);
      expect(await counted([], 10)).toBe(0);
    });

    it('does not count photos of another customer', async () => {
      const stranger = await Tenant.of(opened);
      const foreign = await stranger.addTag('foreign');
      await stranger.addPhoto({}, [foreign.id]);
      expect(await tenant.query(({ taggedPhotos }) => taggedPhotos.countTagged([foreign.id], 10))).toBe(0);
    });
  });
}
