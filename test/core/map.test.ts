import { MAX_COUNTED } from '../../src/core/photos/filter-values.js';
import { gridOf, MAX_LEVEL, readMap } from '../../src/core/photos/map/map.js';
import { type World, world } from '../support/core-world.js';
import { Tenant } from '../support/tenant.js';

const earth = { west: -180, south: -90, east: 180, north: 90 };

describe('the grid of a map', () => {
  test('covers the whole earth once', () => {
    const { level, cells } = gridOf(earth);
    expect([level, cells.length]).toEqual([4, 16 * 8]);
    expect(new Set(cells.map(({ x, y }) => `${x},${y}`)).size).toBe(16 * 8);
  });

  test('is finer for a smaller part, and never has more than 441 cells', () => {
    for (let size = 0.00001; size < 180; size *= 1.37) {
      for (const [west, south] of [
        [0, 0],
        [-77.3, -41.7],
        [179.9, -89],
      ] as const) {
        const east = west + size > 180 ? west + size - 360 : west + size;
        const { level, cells } = gridOf({ west, south, east, north: Math.min(90, south + size) });
        expect(cells.length).toBeLessThanOrEqual(441);
        expect(cells.length).toBeGreaterThan(0);
        const width = 360 / 2 ** level;
        if (level < MAX_LEVEL && size < 170) expect(size / width).toBeGreaterThan(10);
      }
    }
  });

  test('of a part across 180° has cells on both sides', () => {
    const { level, cells } = gridOf({ west: 179, south: 0, east: -179, north: 1 });
    const columns = 2 ** level;
    const xs = new Set(cells.map(({ x }) => x));
    expect([xs.has(0), xs.has(columns - 1), xs.has(columns / 2)]).toEqual([true, true, false]);
  });
});

describe('a map', () => {
  let here: World;
  let acme: Tenant;
  beforeEach(async () => {
    here = world();
    acme = await Tenant.of(here);
  });
  const at = (latitude: number, longitude: number) => ({ location: { latitude, longitude, altitude: null } });

  test('shows clusters with the most photos first, each with one of its photos', async () => {
    const [alone] = await acme.addPhotos([{ ...at(-18, 178), title: 'Fiji' }]);
    await acme.addPhotos([at(48, 2), at(48.1, 2.1)]);
    const clusters = await readMap(here, { customerId: acme.id }, earth);
    expect(clusters.map(({ photos }) => photos)).toEqual([2, 1]);
    expect(clusters[1]?.photo).toMatchObject({ id: alone?.id, title: 'Fiji' });
    expect(clusters[0]?.box).toEqual({ west: 2, south: 48, east: 2.1, north: 48.1 });
  });

  test('gives a cluster that is not fully counted the bounds of its cell', async () => {
    await acme.addPhotos(Array.from({ length: MAX_COUNTED + 1 }, () => at(1, 1)));
    const [cluster] = await readMap(here, { customerId: acme.id }, earth);
    expect(cluster).toMatchObject({ photos: MAX_COUNTED, box: { west: 0, south: 0, east: 22.5, north: 22.5 } });
  });

  test('shows nothing to another customer', async () => {
    await acme.addPhotos([at(48, 2)]);
    expect(await readMap(here, { customerId: (await Tenant.of(here)).id }, earth)).toEqual([]);
  });
});
