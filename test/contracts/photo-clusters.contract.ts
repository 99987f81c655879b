import type { GeoBox } from '../../src/core/media/picture-metadata.js';
import { boxOfCell, cellAt, gridOf } from '../../src/core/photos/map/map.js';
import { later } from '../support/samples.js';
import { present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const world: GeoBox = { west: -180, south: -90, east: 180, north: 90 };
const at = (latitude: number, longitude: number) => ({ location: { latitude, longitude, altitude: null } });

export function photoClustersContract(newTenant: NewTenant): void {
  const clusters = (tenant: Tenant, box = world, counted = 10) =>
    tenant.query((reader) => reader.clusters.inCells(gridOf(box), counted));

  it('are the photos of each occupied cell, with their centre and bounds', async () => {
    const tenant = await newTenant();
    const [first] = await tenant.addPhotos([at(48, 2), at(49, 3), at(-18, 178), {}]);
    await tenant.addPhotos([{ ...at(48, 2), trashedAt: later(1), purgeAt: later(2) }]);
    const found = (await clusters(tenant)).toSorted((a, b) => b.photos - a.photos);
    expect(found.map(({ photos }) => photos)).toEqual([2, 1]);
    const box = { west: 2, south: 48, east: 3, north: 49 };
    expect(found[0]).toMatchObject({ latitude: 48.5, longitude: 2.5, box, ...cellAt(4, 48, 2) });
    expect(found[0]?.photoId).toBe(present(first).id);
  });

  it('are found at every zoom level, at the edges of cells and of the earth', async () => {
    const tenant = await newTenant();
    const points = [
      [0, 0],
      [90, 180],
      [-90, -180],
      [90, -180],
      [48.85837, 2.294481],
      [-33.856784, 151.215297],
      [0.00034332275390625, 22.5],
    ] as const;
    for (const [latitude, longitude] of points) {
      const { id } = await tenant.addPhoto(at(latitude, longitude));
      for (let level = 0; level <= 20; level += 1) {
        const grid = { level, cells: [cellAt(level, latitude, longitude)] };
        const found = await tenant.query((reader) => reader.clusters.inCells(grid, 1000));
        const { west, south, east, north } = boxOfCell(level, present(grid.cells[0]));
        expect([level, found.length]).toEqual([level, 1]);
        expect(latitude >= south && latitude <= north && longitude >= west && longitude <= east).toBe(true);
      }
      await tenant.transaction(({ photos }) => photos.delete(id));
    }
  });

  it('are counted up to a limit', async () => {
    const tenant = await newTenant();
    await tenant.addPhotos([at(1, 1), at(1, 1), at(1, 1)]);
    expect((await clusters(tenant, world, 2)).map(({ photos }) => photos)).toEqual([2]);
  });

  it('of a part of the earth across 180° are those on both sides', async () => {
    const tenant = await newTenant();
    await tenant.addPhotos([at(-18, 179), at(-18, -179), at(-18, 0)]);
    const found = await clusters(tenant, { west: 170, south: -30, east: -170, north: 0 });
    expect(found.map(({ longitude }) => longitude).sort((a, b) => a - b)).toEqual([-179, 179]);
  });

  it('are those of one customer', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    await other.addPhotos([at(48, 2)]);
    expect(await clusters(tenant)).toEqual([]);
  });
}
