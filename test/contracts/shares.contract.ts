import type { NewShare } from '../../src/core/shares/share.js';
import { later, sampleShare } from '../support/samples.js';
import { present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

/** What the repository of shares promises. */
export function sharesContract(newTenant: NewTenant): void {
  const add = (tenant: Tenant, values: Partial<NewShare> = {}) =>
    tenant.transaction(({ shares }) => shares.insert(sampleShare(values)));
  const list = (tenant: Tenant) => tenant.query(({ shares }) => shares.list());

  it('are stored with every value under a new id, without visits, and listed newest first', async () => {
    const tenant = await newTenant();
    const full = {
      ...{ title: 'É 📷', tagId: 2 ** 40, photoIds: [3, 1, 2 ** 41], mayDownload: true },
      ...{ uploadFilesLimit: 7, uploadBytesLimit: 2 ** 40 },
      ...{ passwordHash: 'hash', expiresAt: later(1) },
    };
    const given = [sampleShare(), sampleShare(full)];
    const [first, second] = [await add(tenant, given[0]), await add(tenant, given[1])];
    const uploads = { uploadedFiles: 0, uploadedBytes: 0, uploadReservations: [] };
    const stored = { customerId: tenant.id, visits: 0, lastVisitedAt: null, ...uploads };
    expect(first).toEqual({ ...given[0], ...stored, id: first.id });
    expect(second).toEqual({ ...given[1], ...stored, id: second.id });
    expect(await list(tenant)).toEqual([second, first]);
    expect(await tenant.query(({ shares }) => shares.get(second.id))).toEqual(second);
  });

  it('are changed once they are locked', async () => {
    const tenant = await newTenant();
    const [share, other] = [await add(tenant), await add(tenant)];
    const changed = {
      ...share,
      title: 'Rome',
      photoIds: [9],
      visits: 3,
      lastVisitedAt: later(2),
      uploadedFiles: 4,
      uploadedBytes: 2 ** 40,
      uploadReservations: [{ id: 'a', files: 2, bytes: 2 ** 41, until: 2 ** 41 }],
    };
    await tenant.transaction(async ({ shares }) => {
      expect(await shares.lock(share.id)).toEqual(share);
      await shares.update(changed);
    });
    expect(await list(tenant)).toEqual([other, changed]);
  });

  it('are changed by one transaction at a time, and the next one reads what the first stored', async () => {
    const tenant = await newTenant();
    const { id } = await add(tenant);
    const visit = () =>
      tenant.transaction(async ({ shares }) => {
        const share = present(await shares.lock(id));
        await shares.update({ ...share, visits: share.visits + 1 });
      });
    await Promise.all([visit(), visit(), visit()]);
    expect(await list(tenant)).toMatchObject([{ visits: 3 }]);
  });

  it('are not found after they are deleted', async () => {
    const tenant = await newTenant();
    const [share, other] = [await add(tenant), await add(tenant)];
    await tenant.transaction(({ shares }) => shares.delete(share.id));
    expect(await list(tenant)).toEqual([other]);
    expect(await tenant.transaction(({ shares }) => shares.lock(share.id))).toBeNull();
  });

  it('of another customer are not found', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const share = await add(tenant);
    await other.transaction(async ({ shares }) => {
      expect(await shares.get(share.id)).toBeNull();
      expect(await shares.lock(share.id)).toBeNull();
      expect(await shares.list()).toEqual([]);
      await shares.update({ ...share, title: 'theirs' });
      await shares.delete(share.id);
    });
    expect(await list(tenant)).toEqual([share]);
  });
}
