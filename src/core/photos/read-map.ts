import type { Caller } from '../access/caller.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { MAX_COUNTED } from './filter-values.js';
import { boxOfCell, gridOf, type MapBox, type MapCell, type MapGrid } from './map-grid.js';
import type { PhotoWithTags } from './photo.js';

/** Photos outside the trash that were taken in one cell of a map. */
export interface PhotoCluster extends MapCell {
  /** Counted up to a limit. */
  readonly photos: number;
  /** The middle of those that were counted. */
  readonly latitude: number;
  readonly longitude: number;
  /** Where those that were counted are. */
  readonly box: MapBox;
  /** One of them. */
  readonly photoId: Id;
}

export interface MappedCluster extends PhotoCluster {
  /** Where all of them are. */
  readonly box: MapBox;
  readonly photo: PhotoWithTags;
}

/** What a map of a part of the earth shows, most photos first. At most 441 clusters, whatever the number of photos. */
export function readMap(
  { store }: { store: Readable<'photos'> },
  { customerId }: Pick<Caller, 'customerId'>,
  box: MapBox,
): Promise<readonly MappedCluster[]> {
  const grid = gridOf(box);
  return store.query(customerId, async ({ photos }) => {
    const clusters = await photos.clusters(grid, MAX_COUNTED);
    const shown = await photos.getMany(clusters.map(({ photoId }) => photoId));
    const byId = new Map(shown.map((photo) => [photo.id, photo]));
    return clusters
      .flatMap((cluster) => {
        const photo = byId.get(cluster.photoId);
        return photo === undefined ? [] : [{ ...cluster, box: wholeBox(grid, cluster), photo }];
      })
      .sort((a, b) => b.photos - a.photos || a.photoId - b.photoId);
  });
}

/** Those that were not counted are somewhere in the cell. */
function wholeBox({ level }: MapGrid, cluster: PhotoCluster): MapBox {
  return cluster.photos < MAX_COUNTED ? cluster.box : boxOfCell(level, cluster);
}
