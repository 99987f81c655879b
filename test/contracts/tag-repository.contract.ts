import fc from 'fast-check';
import type { Id } from '../../src/core/shared/ids.js';
import type { Position } from '../../src/core/shared/pagination.js';
import { compareText, foldKey, searchText } from '../../src/core/shared/text.js';
import { type Tag, type TagFilters, type TagSort, tagPosition, tagSorts } from '../../src/core/tags/tag.js';
import { later, sampleInstant, sampleTag } from '../support/samples.js';
import { atOnce, present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

/** What `TagRepository` promises. Counts are in the photos' suite. */
export function tagRepositoryContract(newTenant: NewTenant): void {
  const get = (tenant: Tenant, id: Id) => tenant.query(({ tags }) => tags.get(id));
  const window = { after: null, limit: 100 };
  const listed = async (tenant: Tenant, filters: TagFilters, sort: TagSort = 'name') =>
    (await tenant.query(({ tags }) => tags.list({ filters, sort, window }))).map((tag) => tag.name);

  describe('insert and get', () => {
    it('stores a tag under a new id, unused, in its first version', async () => {
      const tenant = await newTenant();
      const values = { color: '#3366ff', description: 'É "q" \\ 📷\nnext line' };
      const tag = await tenant.addTag('Île de France', values);
      const rest = { customerId: tenant.id, photoCount: 0, version: 1, updatedAt: sampleInstant };
      expect(tag).toEqual({ id: tag.id, ...sampleTag('Île de France', values), ...rest });
      expect(await get(tenant, tag.id)).toEqual(tag);
      expect((await tenant.addTag('other')).id).toBeGreaterThan(tag.id);
    });

    it('finds no tag that never existed', async () => {
      const tenant = await newTenant();
      const { id } = await tenant.addTag('a');
      await tenant.transaction(({ tags }) => tags.delete(id, later(1)));
      expect(await get(tenant, id)).toBeNull();
      expect(await tenant.query(({ tags }) => tags.getMany([id]))).toEqual([]);
      expect(await tenant.transaction(({ tags }) => tags.lock([id]))).toEqual([]);
      expect(await tenant.transaction(({ tags }) => tags.delete(id, later(1)))).toEqual([]);
    });

    it('refuses a name key that is taken, and the transaction continues', async () => {
      const tenant = await newTenant();
      const first = await tenant.addTag('Paris');
      const seen = await tenant.transaction(async ({ tags }) => {
        const refused = await tags.insert(sampleTag('PARIS', { color: '#000000' }));
        return { refused, existing: await tags.findByNameKeys([foldKey('PARIS')]) };
      });
      expect(seen).toEqual({ refused: null, existing: [first] });
      expect(await tenant.query(({ tags }) => tags.count())).toBe(1);
    });

    it('creates one tag when many want a name at once, and the others find it', async () => {
      const tenant = await newTenant();
      const answers = await atOnce(20, () =>
        tenant.transaction(async ({ tags }) => {
          const created = await tags.insert(sampleTag('Paris'));
          const [found] = await tags.findByNameKeys(['paris']);
          return { created, found: present(found).id };
        }),
      );
      const created = answers.flatMap((answer) => answer.created ?? []);
      expect(created).toHaveLength(1);
      expect(new Set(answers.map((answer) => answer.found))).toEqual(new Set(created.map((tag) => tag.id)));
    });

    it('never gives an id twice, even if the transaction was undone', async () => {
      const tenant = await newTenant();
      let lost = 0;
      const undone = tenant.transaction(async ({ tags }) => {
        lost = present(await tags.insert(sampleTag('lost'))).id;
        throw new Error('on purpose');
      });
      await expect(undone).rejects.toThrow('on purpose');
      expect((await tenant.addTag('next')).id).toBeGreaterThan(lost);
    });
  });

  describe('getMany, lock and findByNameKeys', () => {
    it('return existing tags, by id ascending, each once', async () => {
      const tenant = await newTenant();
      const [first, second, third] = await tenant.addTags('c', 'b', 'a');
      await tenant.transaction(({ tags }) => tags.delete(present(second).id, later(1)));
      const ids = [third, second, first, third].map((tag) => present(tag).id);
      expect(await tenant.query(({ tags }) => tags.getMany(ids))).toEqual([first, third]);
      expect(await tenant.transaction(({ tags }) => tags.lock(ids))).toEqual([first, third]);
      const named = await tenant.query(({ tags }) => tags.findByNameKeys(['a', 'b', 'c', 'a']));
      expect(named.map((tag) => tag.name).sort()).toEqual(['a', 'c']);
      expect(await tenant.query(({ tags }) => tags.findByNameKeys([]))).toEqual([]);
      expect(await tenant.query(({ tags }) => tags.getMany([]))).toEqual([]);
      expect(await tenant.transaction(({ tags }) => tags.lock([]))).toEqual([]);
    });

    it('lock a tag, so that no change of many at once is lost', async () => {
      const tenant = await newTenant();
      const { id } = await tenant.addTag('a');
      await atOnce(10, () =>
        tenant.transaction(async ({ tags }) => {
          const [held] = await tags.lock([id]);
          await tags.update({ ...present(held), version: present(held).version + 1 });
        }),
      );
      expect(await get(tenant, id)).toMatchObject({ version: 11 });
    });

    it('lock ids in any order without a deadlock', async () => {
      const tenant = await newTenant();
      const ids = (await tenant.addTags('a', 'b', 'c')).map((tag) => tag.id);
      const held = await atOnce(12, (number) =>
        tenant.transaction(({ tags }) => tags.lock(number % 2 === 0 ? ids : ids.toReversed())),
      );
      for (const answer of held) expect(answer.map((tag) => tag.id)).toEqual(ids);
    });
  });

  describe('update', () => {
    it('stores name, color, description, updatedAt and version, and nothing else', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a', { color: '#000000' });
      const photo = await tenant.addPhoto({}, [tag.id]);
      const next = { name: 'Ä', nameKey: 'ä', color: '#ffffff', description: 'new', updatedAt: later(1), version: 2 };
      const stored = await tenant.transaction(({ tags }) =>
        tags.update({ ...tag, ...next, photoCount: 77, createdAt: later(9) }),
      );
      expect(stored).toBe(true);
      expect(await get(tenant, tag.id)).toEqual({ ...tag, ...next, photoCount: 1 });
      expect(await tenant.query(({ photos }) => photos.get(photo.id))).toEqual({
        ...photo,
        tags: [{ id: tag.id, name: 'Ä' }],
      });
      await tenant.transaction(({ tags }) => tags.update({ ...tag, ...next, color: null, description: null }));
      expect(await get(tenant, tag.id)).toMatchObject({ color: null, description: null });
    });

    it('accepts its own name in another letter case', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('paris');
      expect(await tenant.transaction(({ tags }) => tags.update({ ...tag, name: 'PARIS' }))).toBe(true);
      expect(await get(tenant, tag.id)).toMatchObject({ name: 'PARIS', nameKey: 'paris' });
    });

    it('refuses the name of another tag, changes nothing, and the transaction continues', async () => {
      const tenant = await newTenant();
      const [a, b] = await tenant.addTags('a', 'b');
      const stored = await tenant.transaction(async ({ tags }) => {
        const renamed = await tags.update({ ...present(b), name: 'A', nameKey: 'a', color: '#ffffff' });
        await tags.insert(sampleTag('c'));
        return renamed;
      });
      expect(stored).toBe(false);
      expect(await tenant.query(({ tags }) => tags.list({ filters: {}, sort: 'name', window }))).toMatchObject([
        present(a),
        present(b),
        { name: 'c' },
      ]);
    });

    it('gives one name to one of many tags at once', async () => {
      const tenant = await newTenant();
      const all = await tenant.addTags(...Array.from({ length: 8 }, (_, number) => `tag ${number}`));
      const renamed = await atOnce(8, (number) =>
        tenant.transaction(async ({ tags }) => {
          const [held] = await tags.lock([present(all[number]).id]);
          return tags.update({ ...present(held), name: 'one', nameKey: 'one' });
        }),
      );
      expect(renamed.filter((stored) => stored)).toHaveLength(1);
      expect(await listed(tenant, { nameKey: 'one' })).toEqual(['one']);
      expect(await tenant.query(({ tags }) => tags.count())).toBe(8);
    });
  });

  describe('delete', () => {
    it('removes the tag from its photos, in the trash or not, and gives those a new version', async () => {
      const tenant = await newTenant();
      const [gone, kept] = (await tenant.addTags('gone', 'kept')).map((tag) => tag.id) as [Id, Id];
      const photo = await tenant.addPhoto({ version: 3 }, [gone, kept]);
      const trashed = await tenant.addPhoto({ trashedAt: later(0) }, [gone]);
      const other = await tenant.addPhoto({}, [kept]);
      await tenant.transaction(({ tags }) => tags.delete(gone, later(50)));
      const tags = [{ id: kept, name: 'kept' }];
      const expected = [
        { ...photo, tags, version: 4, updatedAt: later(50) },
        { ...trashed, tags: [], version: 2, updatedAt: later(50) },
        { ...other, tags },
      ];
      const ids = [photo.id, trashed.id, other.id];
      expect(await tenant.query(({ photos }) => photos.getMany(ids))).toEqual(expected);
      expect(await get(tenant, gone)).toBeNull();
      expect(await get(tenant, kept)).toMatchObject({ photoCount: 2 });
    });

    it('makes the name available', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      await tenant.transaction(async ({ tags }) => {
        await tags.delete(tag.id, later(1));
        expect(await tags.insert(sampleTag('A'))).not.toBeNull();
      });
      expect(await listed(tenant, {})).toEqual(['A']);
    });

    it('leaves no photo with a deleted tag, even if photos get it at the same time', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('a');
      const photos = await tenant.addPhotos(Array.from({ length: 6 }, () => ({})));
      await atOnce(9, async (number) => {
        if (number === 4) return tenant.transaction(({ tags }) => tags.delete(tag.id, later(1)));
        const photo = photos[number];
        if (photo === undefined) return void (await tenant.addPhoto({}, [tag.id]));
        await tenant.transaction(async (transaction) => {
          await transaction.photos.lock([photo.id]);
          const held = await transaction.tags.lock([tag.id]);
          await transaction.photos.setTags(
            photo.id,
            held.map(({ id }) => id),
          );
        });
      });
      const filters = { trashed: 'any', untagged: false } as const;
      expect(await tenant.query((reader) => reader.photos.list({ filters, sort: 'id', window }))).toEqual([]);
    });
  });

  describe('ofPhoto', () => {
    it('returns the tags of one photo by name, then id', async () => {
      const tenant = await newTenant();
      const [z, a, other] = await tenant.addTags('z', 'A', 'other');
      const photo = await tenant.addPhoto({}, [present(z).id, present(a).id]);
      await tenant.addPhoto({}, [present(other).id]);
      const counted = [a, z].map((tag) => ({ ...present(tag), photoCount: 1 }));
      expect(await tenant.query(({ tags }) => tags.ofPhoto(photo.id))).toEqual(counted);
      expect(await tenant.query(({ tags }) => tags.ofPhoto(9e15))).toEqual([]);
    });
  });

  describe('list', () => {
    const names = ['Paris', 'île', 'Zürich', 'zoo', 'ZURICH west', '100%', 'a_b', '日本'];
    const byKey = (all: readonly string[]) => all.toSorted((a, b) => compareText(foldKey(a), foldKey(b)));
    let tenant: Tenant;
    let all: Tag[];

    beforeAll(async () => {
      tenant = await newTenant();
      all = await tenant.addTags(...names);
      await tenant.addPhoto({}, [present(all[0]).id]);
      await tenant.addPhoto({ trashedAt: later(0) }, [present(all[3]).id]);
      await (await newTenant()).addTag('Paris');
    });

    it('is sorted by name key in order of code points, or by id', async () => {
      expect(await listed(tenant, {}, 'name')).toEqual(byKey(names));
      expect(await listed(tenant, {}, '-name')).toEqual(byKey(names).toReversed());
      expect(await listed(tenant, {}, 'id')).toEqual(names);
      expect(await listed(tenant, {}, '-id')).toEqual(names.toReversed());
    });

    it.each<[string, (tags: readonly Tag[]) => TagFilters, readonly string[]]>([
      ['ids', (tags) => ({ ids: [present(tags[2]).id, 9e15, present(tags[1]).id] }), ['Zürich', 'île']],
      ['no ids', () => ({ ids: [] }), []],
      ['nameKey', () => ({ nameKey: foldKey('PARIS') }), ['Paris']],
      ['a part of a nameKey', () => ({ nameKey: 'pari' }), []],
      ['q, without accents', () => ({ q: searchText('ZÜR') }), ['ZURICH west', 'Zürich']],
      ['q, in the middle of a word', () => ({ q: 'rich' }), ['ZURICH west', 'Zürich']],
      ['q across words', () => ({ q: 'h w' }), ['ZURICH west']],
      ['q of another script', () => ({ q: '本' }), ['日本']],
      ['q with what SQL gives a meaning', () => ({ q: '%' }), []],
      ['signs, which are not patterns', () => ({ q: '', signs: ['%'] }), ['100%']],
      ['words and signs', () => ({ q: 'b', signs: ['_'] }), ['a_b']],
      ['signs of which one is missing', () => ({ q: '', signs: ['%', '_'] }), []],
      ['unused', () => ({ unused: true }), names.filter((name) => name !== 'Paris')],
      ['used', () => ({ unused: false }), ['Paris']],
      ['two at once', () => ({ q: 'zo', unused: true }), ['zoo']],
    ])('is filtered by %s', async (_, filters, expected) => {
      expect(await listed(tenant, filters(all))).toEqual(byKey(expected));
    });

    it('returns every tag once and in order, with every sort and any page size', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...tagSorts), fc.integer({ min: 1, max: 9 }), async (sort, limit) => {
          const met: string[] = [];
          let after: Position | null = null;
          for (;;) {
            const page: readonly Tag[] = await tenant.query(({ tags }) =>
              tags.list({ filters: {}, sort, window: { after, limit } }),
            );
            expect(page.length).toBeLessThanOrEqual(limit);
            met.push(...page.map((tag) => tag.name));
            const last = page.at(-1);
            if (last === undefined) break;
            after = tagPosition(last, sort);
          }
          expect(met).toEqual(await listed(tenant, {}, sort));
        }),
        { numRuns: 20 },
      );
    });

    it('continues from a position whose row is deleted or renamed', async () => {
      const other = await newTenant();
      const [a, b, c] = await other.addTags('a', 'b', 'c');
      const after = tagPosition(present(b), 'name');
      const rest = async (sort: TagSort) =>
        (await other.query(({ tags }) => tags.list({ filters: {}, sort, window: { after, limit: 9 } }))).map(
          (tag) => tag.id,
        );
      await other.transaction(({ tags }) => tags.update({ ...present(b), name: 'x', nameKey: 'x' }));
      expect(await rest('name')).toEqual([present(c).id, present(b).id]);
      await other.transaction(({ tags }) => tags.delete(present(b).id, later(1)));
      expect(await rest('name')).toEqual([present(c).id]);
      expect(await rest('-name')).toEqual([present(a).id]);
    });
  });

  describe('the unmoved check of a list position', () => {
    it('is true as long as the row is at that position', async () => {
      const tenant = await newTenant();
      const tag = await tenant.addTag('A');
      const ask = (filters: TagFilters, sort: TagSort) =>
        tenant.query(({ tags }) => tags.hasRowAt(filters, sort, tagPosition(tag, sort)));
      for (const sort of tagSorts) expect(await ask({}, sort)).toBe(true);
      expect(await ask({ unused: true }, 'name')).toBe(true);
      expect(await ask({ unused: false }, 'name')).toBe(false);
      await tenant.transaction(({ tags }) => tags.update({ ...tag, name: 'b', nameKey: 'b' }));
      expect([await ask({}, 'name'), await ask({}, 'id')]).toEqual([false, true]);
      await tenant.transaction(({ tags }) => tags.delete(tag.id, later(1)));
      expect([await ask({}, 'name'), await ask({}, 'id')]).toEqual([false, false]);
    });
  });
}
