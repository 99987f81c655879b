import fc from 'fast-check';
import type { Photo, PhotoWithTags } from '../../src/core/photos/photo.js';
import { type PhotoSort, photoPosition, photoSorts } from '../../src/core/photos/photo-query.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Position } from '../../src/core/shared/pagination.js';
import { compareText } from '../../src/core/shared/text.js';
import { later } from '../support/samples.js';
import { present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

/** Values with many ties, gaps and edges: the instants before 1970 and before the year 1, characters beyond U+FFFF, sizes beyond 2^32. */
const instants = [
  later(0),
  later(1),
  new Date(-1),
  new Date('0001-01-01T00:00:00.000Z'),
  new Date(-62_198_755_200_000),
];
const filenames = ['a', 'A', 'B', 'b.jpg', 'é', 'e\u0301', 'z', '\uff21', '\ufffd', '\u{1f4f7}', 'ß', 'SS', '_', '0'];
const values = fc.record({
  filename: fc.constantFrom(...filenames),
  sizeBytes: fc.constantFrom(0, 1, 2 ** 32, 2 ** 40),
  takenAt: fc.option(fc.constantFrom(...instants), { freq: 2 }),
  createdAt: fc.constantFrom(...instants.slice(0, 2)),
  updatedAt: fc.constantFrom(...instants.slice(0, 2)),
  trashedAt: fc.option(fc.constant(later(5)), { freq: 1 }),
});

/** Lists are walked page by page: every sort, whatever ties and gaps there are, and whatever is written meanwhile. */
export function photoScanContract(newTenant: NewTenant): void {
  it('return every photo once and in order, with every sort and any page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(values, { maxLength: 24 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('any', 'false', 'true'),
        async (all, limit, trashed) => {
          const tenant = await newTenant();
          const photos = await tenant.addPhotos(all);
          const shown = photos.filter(({ trashedAt }) => trashed === 'any' || String(trashedAt !== null) === trashed);
          for (const sort of photoSorts) {
            const met = await walk(tenant, { sort, trashed, limit });
            expect(met).toEqual(sorted(shown, sort).map((photo) => photo.id));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('return each photo that exists throughout exactly once, while others are added, moved and deleted', async () => {
    const act = fc.constantFrom('delete', 'insert', 'trash', 'move', 'nothing');
    await fc.assert(
      fc.asyncProperty(
        fc.array(values, { minLength: 4, maxLength: 16 }),
        fc.array(fc.tuple(act, fc.nat(), values), { maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(...photoSorts),
        async (all, acts, limit, sort) => {
          const tenant = await newTenant();
          const photos = await tenant.addPhotos(all.map((photo) => ({ ...photo, trashedAt: null })));
          const steady = new Set(photos.map((photo) => photo.id));
          const removed = new Set<Id>();
          const queue = [...acts];
          const met = await walk(tenant, { sort, trashed: 'false', limit }, async (page) => {
            for (const photo of page) expect(removed.has(photo.id)).toBe(false);
            const [kind, pick, other] = queue.shift() ?? ['nothing', 0, {}];
            if (kind === 'insert') return void (await tenant.addPhoto({ ...other, trashedAt: null }));
            const chosen = photos[pick % photos.length];
            if (kind === 'nothing' || chosen === undefined) return;
            steady.delete(chosen.id);
            if (kind !== 'move') removed.add(chosen.id);
            await disturb(tenant, chosen, kind, other);
          });
          expect(met.filter((id) => steady.has(id)).sort((a, b) => a - b)).toEqual([...steady].sort((a, b) => a - b));
          const unmoved = photos.filter((photo) => steady.has(photo.id));
          expect(met.filter((id) => steady.has(id))).toEqual(sorted(unmoved, sort).map((photo) => photo.id));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('continue from a position whose row is deleted, and from one that no row ever had', async () => {
    const tenant = await newTenant();
    const [first, second, third] = (await tenant.addPhotos([{}, {}, {}])).map((photo) => photo.id) as [Id, Id, Id];
    await tenant.transaction(({ photos }) => photos.delete(second));
    const from = (value: number | null, id: Id, sort: PhotoSort) =>
      ids(tenant, { sort, after: { value, id }, limit: 10, trashed: 'any' });
    expect(await from(second, second, 'id')).toEqual([third]);
    expect(await from(second, second, '-id')).toEqual([first]);
    expect(await from(later(-1).getTime(), first, 'createdAt')).toEqual([first, third]);
    expect(await from(later(1).getTime(), first, 'createdAt')).toEqual([]);
    expect(await from(later(1).getTime(), first, '-createdAt')).toEqual([third, first]);
    expect(await from(later(0).getTime(), first, 'takenAt')).toEqual([first, third]);
    expect(await from(null, first, 'takenAt')).toEqual([third]);
    expect(await from(null, third, '-takenAt')).toEqual([first]);
  });

  it('return at most the requested number, and nothing for an empty library', async () => {
    const tenant = await newTenant();
    expect(await ids(tenant, { sort: '-createdAt', after: null, limit: 101, trashed: 'any' })).toEqual([]);
    await tenant.addPhotos(Array.from({ length: 101 }, () => ({})));
    expect(await ids(tenant, { sort: '-createdAt', after: null, limit: 100, trashed: 'any' })).toHaveLength(100);
    expect(await ids(tenant, { sort: '-createdAt', after: null, limit: 101, trashed: 'any' })).toHaveLength(101);
  });

  it('show each photo with its tags', async () => {
    const tenant = await newTenant();
    const tags = await tenant.addTags('b', 'a');
    const tagIds = tags.map((tag) => tag.id);
    const photo = await tenant.addPhoto({}, tagIds);
    const query = { filters: { trashed: 'any' }, sort: 'id', window: { after: null, limit: 5 } } as const;
    const expected = [{ ...photo, tags: tags.toReversed().map(({ id, name }) => ({ id, name })) }];
    expect(await tenant.query(({ photos }) => photos.list(query))).toEqual(expected);
  });
}

type Trashed = 'any' | 'false' | 'true';

interface Walk {
  readonly sort: PhotoSort;
  readonly trashed: Trashed;
  readonly limit: number;
}

/** From the beginning to the end, as a client does; `between` runs after each page. */
async function walk(
  tenant: Tenant,
  { sort, trashed, limit }: Walk,
  between: (page: readonly PhotoWithTags[]) => Promise<void> = async () => {},
): Promise<Id[]> {
  const met: Id[] = [];
  let after: Position | null = null;
  for (;;) {
    const query = { filters: { trashed }, sort, window: { after, limit } };
    const page: readonly PhotoWithTags[] = await tenant.query(({ photos }) => photos.list(query));
    met.push(...page.map((photo) => photo.id));
    const last = page.at(-1);
    if (last === undefined) return met;
    after = photoPosition(last, sort);
    await between(page);
  }
}

async function ids(tenant: Tenant, { sort, trashed, limit, after }: Walk & { after: Position | null }): Promise<Id[]> {
  const query = { filters: { trashed }, sort, window: { after, limit } };
  return (await tenant.query(({ photos }) => photos.list(query))).map((photo) => photo.id);
}

function disturb(
  tenant: Tenant,
  chosen: Photo,
  kind: 'delete' | 'trash' | 'move',
  other: Partial<Photo>,
): Promise<void> {
  return tenant.transaction(async ({ photos }) => {
    const [held] = await photos.lock([chosen.id]);
    if (held === undefined) return;
    if (kind === 'delete') await photos.delete(held.id);
    else if (kind === 'trash') await photos.update({ ...held, trashedAt: later(9) });
    else await photos.update({ ...held, ...other, trashedAt: held.trashedAt });
  });
}

/** The documented order, implemented independently. */
function sorted(photos: readonly Photo[], sort: PhotoSort): Photo[] {
  const direction = sort.startsWith('-') ? -1 : 1;
  const at = (photo: Photo) => photoPosition(photo, sort);
  return photos.toSorted((a, b) => compare(at(a), at(b), direction));
}

function compare(a: Position, b: Position, direction: 1 | -1): number {
  if (a.value === b.value) return direction * (a.id - b.id);
  if (a.value === null || b.value === null) return a.value === null ? 1 : -1;
  if (typeof a.value === 'string') return direction * compareText(a.value, String(present(b.value)));
  return direction * (a.value - Number(b.value));
}
