import { type ClusterReads, cellAt, type MapGrid, type PhotoCluster } from '../../../src/core/photos/map/map.js';
import { isTrashed, type Photo } from '../../../src/core/photos/photo.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemoryPhotoClusters extends MemoryRepository implements ClusterReads {
  async inCells(grid: MapGrid, counted: number): Promise<readonly PhotoCluster[]> {
    const own = this.database.photos.rowsOf(this.customerId);
    return clustersOf(
      own.sort((a, b) => a.id - b.id),
      grid,
      counted,
    );
  }
}

/** @param photos By id. */
function clustersOf(photos: readonly Photo[], { level, cells }: MapGrid, counted: number): PhotoCluster[] {
  return cells.flatMap((cell) => {
    const points = photos.flatMap(({ location, id, ...photo }) => {
      if (location === null || isTrashed({ ...photo, location, id } as Photo)) return [];
      const { x, y } = cellAt(level, location.latitude, location.longitude);
      return x === cell.x && y === cell.y ? [{ ...location, id }] : [];
    });
    const some = points.slice(0, counted);
    const [first] = some;
    if (first === undefined) return [];
    const [latitudes, longitudes] = [some.map(({ latitude }) => latitude), some.map(({ longitude }) => longitude)];
    const box = {
      west: Math.min(...longitudes),
      south: Math.min(...latitudes),
      east: Math.max(...longitudes),
      north: Math.max(...latitudes),
    };
    const middle = { latitude: average(latitudes), longitude: average(longitudes) };
    return [{ ...cell, ...middle, box, photos: some.length, photoId: first.id }];
  });
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
