import type { Caller } from '../../access/caller.js';
import type { GeoBox } from '../../media/picture-metadata.js';
import type { Id } from '../../shared/ids.js';
import type { Readable } from '../../shared/transactional.js';
import { MAX_COUNTED } from '../filter-values.js';
import type { PhotoWithTags } from '../photo.js';

/** Photos outside the trash that were taken in one cell of a map. */
export interface PhotoCluster extends MapCell {
  /** Counted up to a limit. */
  readonly photos: number;
  /** The middle of those that were counted. */
  readonly latitude: number;
  readonly longitude: number;
  /** Where those that were counted are. */
  readonly box: GeoBox;
  /** One of them. */
  readonly photoId: Id;
}

export interface MappedCluster extends PhotoCluster {
  /** Where all of them are. */
  readonly box: GeoBox;
  readonly photo: PhotoWithTags;
}

/** Returns what a map of a part of the earth shows, most photos first. At most 441 clusters, whatever the number of photos. */
export function readMap(
  { store }: { store: Readable<'photos' | 'clusters'> },
  { customerId }: Pick<Caller, 'customerId'>,
  box: GeoBox,
): Promise<readonly MappedCluster[]> {
  const grid = gridOf(box);
  return store.query(customerId, async (reader) => {
    const clusters = await reader.clusters.inCells(grid, MAX_COUNTED);
    const shown = await reader.photos.getMany(clusters.map(({ photoId }) => photoId));
    const byId = new Map(shown.map((photo) => [photo.id, photo]));
    return clusters
      .flatMap((cluster) => {
        const photo = byId.get(cluster.photoId);
        // Those that were not counted are somewhere in the cell.
        const whole = cluster.photos < MAX_COUNTED ? cluster.box : boxOfCell(grid.level, cluster);
        return photo === undefined ? [] : [{ ...cluster, box: whole, photo }];
      })
      .sort((a, b) => b.photos - a.photos || a.photoId - b.photoId);
  });
}

/** A square of a grid, counted from 180° W and 90° S. */
export interface MapCell {
  readonly x: number;
  readonly y: number;
}

/** The grid of a level has 2^level columns, and half as many rows of the same width in degrees. */
export interface MapGrid {
  readonly level: number;
  readonly cells: readonly MapCell[];
}

/** Cells of about 40 metres. */
export const MAX_LEVEL = 20;

/** Cells along the longer side of a map, of which those at its ends are cut: no map has more than 21 × 21. */
const CELLS = 20;

/** The cells that a map of this part of the earth has, those that its edges cut included. */
export function gridOf({ west, south, east, north }: GeoBox): MapGrid {
  const across = east - west + (west > east ? 360 : 0);
  const span = Math.max(across, north - south);
  const level = span <= 0 ? MAX_LEVEL : Math.min(MAX_LEVEL, Math.floor(Math.log2((CELLS * 360) / span)));
  const columns = 2 ** level;
  const size = 360 / columns;
  const first = Math.floor((west + 180) / size);
  const last = Math.min(Math.floor((west + across + 180) / size), first + columns - 1);
  const [bottom, top] = [cellAt(level, south, 0).y, cellAt(level, north, 0).y];
  const xs = range(first, last).map((x) => x % columns);
  return { level, cells: range(bottom, top).flatMap((y) => [...new Set(xs)].map((x) => ({ x, y }))) };
}

/** The cell of a position: at the finest level as in the database (map_cell), at others a prefix of that. */
export function cellAt(level: number, latitude: number, longitude: number): MapCell {
  const columns = 2 ** MAX_LEVEL;
  const finest = (degrees: number, from: number, cells: number) =>
    Math.min(Math.floor(((degrees + from) / 360) * columns), cells - 1);
  const parts = 2 ** (MAX_LEVEL - level);
  return {
    x: Math.floor(finest(longitude, 180, columns) / parts),
    y: Math.floor(finest(latitude, 90, columns / 2) / parts),
  };
}

export function boxOfCell(level: number, { x, y }: MapCell): GeoBox {
  const size = 360 / 2 ** level;
  return { west: x * size - 180, south: y * size - 90, east: (x + 1) * size - 180, north: (y + 1) * size - 90 };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** Photos of the bound customer, by the cells of maps. */
export interface ClusterReads {
  /** The cells that photos outside the trash are in, in no order. Of each, at most `counted` photos are read. */
  inCells(grid: MapGrid, counted: number): Promise<readonly PhotoCluster[]>;
}

declare module '../../shared/transactional.js' {
  interface Reads {
    readonly clusters: ClusterReads;
  }
  interface Repositories {
    readonly clusters: ClusterReads;
  }
}
