import type { NewTenant } from './customer-store.contract.js';

/** Of photos that an earlier version stored. That there are any, only the store itself can arrange: its own tests do. */
export function outdatedPhotosContract(newTenant: NewTenant): void {
  it('do not include photos that this version stores', async () => {
    const tenant = await newTenant();
    await tenant.addPhoto();
    expect(await tenant.query(({ photos }) => photos.outdated(10))).toEqual([]);
  });

  it('do not include photos that were marked current', async () => {
    const tenant = await newTenant();
    const { id } = await tenant.addPhoto();
    await tenant.transaction(async ({ photos }) => {
      await photos.lock([id]);
      await photos.markCurrent([id]);
    });
    expect(await tenant.query(({ photos }) => photos.outdated(10))).toEqual([]);
  });
}
