import { type ListSort, NEAREST_FIRST, type PhotoFilters, photoPosition } from '../../src/core/photos/photo-query.js';
import { hashDistance, MAX_DISTANCE, type SimilarFilter } from '../../src/core/photos/similar/similar-photo.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Position } from '../../src/core/shared/pagination.js';
import { later } from '../support/samples.js';
import { present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

/** What repositories promise of photos that are like another, and of perceptual hashes. */
export function similarPhotosContract(newTenant: NewTenant): void {
  const phash = '9f8b3a4c61d2e507';

  const list = async (
    tenant: Tenant,
    similar: SimilarFilter,
    {
      sort = NEAREST_FIRST,
      limit = 100,
      after = null,
      ...more
    }: Partial<PhotoFilters> & { sort?: ListSort; limit?: number; after?: Position | null } = {},
  ) => {
    const filters: PhotoFilters = { trashed: 'false', similar, ...more };
    return tenant.query(({ photos }) => photos.list({ filters, sort, window: { after, limit } }));
  };
  const ids = (photos: readonly { id: Id }[]) => photos.map(({ id }) => id);

  it('are all photos within a distance, nearest first, without the photo itself', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const [photo, , ...all] = await tenant.addPhotos([
      { phash },
      { phash: null },
      // Three at each distance: wherever the bits are, in one quarter or in all.
      ...Array.from({ length: 3 * (MAX_DISTANCE + 2) }, (_, at) => ({ phash: changed(phash, Math.floor(at / 3), at) })),
    ]);
    await other.addPhoto({ phash });
    for (let maxDistance = 0; maxDistance <= MAX_DISTANCE; maxDistance += 1) {
      const found = await list(tenant, { photoId: present(photo).id, phash, maxDistance });
      expect([maxDistance, ids(found)]).toEqual([maxDistance, ids(all.slice(0, 3 * (maxDistance + 1)))]);
    }
  });

  it('are filtered by other filters, in any order, in the trash or not', async () => {
    const tenant = await newTenant();
    const tag = await tenant.addTag('a');
    const photo = await tenant.addPhoto({ phash });
    const [far, near, gone] = await tenant.addPhotos([
      { phash: changed(phash, 4), takenAt: later(2), sizeBytes: 5 },
      { phash: changed(phash, 2), takenAt: later(1), sizeBytes: 5 },
      { phash: changed(phash, 1), trashedAt: later(1), purgeAt: later(2) },
    ]);
    const tagged = await tenant.addPhoto({ phash: changed(phash, 6) }, [tag.id]);
    const similar = { photoId: photo.id, phash, maxDistance: 6 };
    expect(ids(await list(tenant, similar))).toEqual(ids([present(near), present(far), tagged]));
    expect(ids(await list(tenant, similar, { tagIds: [tag.id] }))).toEqual([tagged.id]);
    expect(ids(await list(tenant, similar, { trashed: 'true' }))).toEqual([gone?.id]);
    expect(ids(await list(tenant, similar, { trashed: 'any' }))).toEqual(ids([gone, near, far, tagged].map(present)));
    expect(ids(await list(tenant, similar, { sort: '-takenAt' }))).toEqual(ids([far, near, tagged].map(present)));
    expect(ids(await list(tenant, similar, { takenBefore: later(2), sort: 'id' }))).toEqual([near?.id]);
  });

  it('are listed in pages, each after a position, whatever happens to the photo there', async () => {
    const tenant = await newTenant();
    const photo = await tenant.addPhoto({ phash });
    const all = await tenant.addPhotos(
      Array.from({ length: 12 }, (_, at) => ({ phash: changed(phash, Math.floor(at / 5)) })),
    );
    const similar = { photoId: photo.id, phash, maxDistance: 3 };
    const met: Id[] = [];
    for (let after: Position | null = null; met.length < 12; ) {
      const page = await list(tenant, similar, { limit: 5, after });
      met.push(...ids(page));
      const last = present(page.at(-1));
      after = photoPosition(last, NEAREST_FIRST, similar);
      await tenant.transaction(({ photos }) => photos.delete(last.id));
    }
    expect(met).toEqual(ids(all));
  });
}

/** A hash that differs in so many bits, spread over all of it in a way of its own. */
function changed(phash: string, bits: number, way = 0): string {
  let value = BigInt(`0x${phash}`);
  // 21 is prime to 64: no bit is met twice. A step of 1 puts all into one quarter.
  const step = way % 3 === 0 ? 1 : 21;
  for (let at = 0; at < bits; at += 1) value ^= 1n << BigInt((7 * way + at * step) % 64);
  const hash = value.toString(16).padStart(16, '0');
  if (hashDistance(phash, hash) !== bits) throw new Error('a bit was changed twice');
  return hash;
}
