import type { ImportPhoto } from '../../src/core/imports/import-photo.js';
import { newResumableUpload, type ResumableUpload } from '../../src/core/imports/receive/resumable-upload.js';
import { later } from '../support/samples.js';
import { present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

/** What `ResumableUploadRepository` promises. */
export function resumableUploadsContract(newTenant: NewTenant): void {
  const get = (tenant: Tenant, { id }: ImportPhoto) => tenant.query(({ resumableUploads }) => resumableUploads.get(id));
  const change = (tenant: Tenant, item: ImportPhoto, values: Partial<ResumableUpload> = {}) =>
    tenant.transaction(async ({ importPhotos, resumableUploads }) => {
      await importPhotos.lock(item.importId, item.id);
      const upload = { ...newResumableUpload(item, later(0)), ...values };
      await resumableUploads.put(upload);
      return upload;
    });
  const parts = [
    { uploadId: 2 ** 47 - 1, sizeBytes: 8_388_608 },
    { uploadId: 5, sizeBytes: 1 },
  ];

  it('keep one upload for an item, the one that was put last', async () => {
    const tenant = await newTenant();
    const item = await tenant.addItem(await tenant.addImport());
    expect(await get(tenant, item)).toBeNull();
    const first = await change(tenant, item);
    expect(await get(tenant, item)).toEqual(first);
    const second = await change(tenant, item, { parts, sender: 2 ** 47 - 2, updatedAt: later(1) });
    expect(await get(tenant, item)).toEqual(second);
    await change(tenant, item, { sender: null });
    expect(await get(tenant, item)).toEqual(first);
  });

  it('show an upload to no other customer', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const item = await tenant.addItem(await tenant.addImport());
    await change(tenant, item);
    expect(await get(other, item)).toBeNull();
    await other.transaction(({ resumableUploads }) => resumableUploads.delete(item.id));
    expect(await get(tenant, item)).not.toBeNull();
  });

  it('are deleted, also when there is none', async () => {
    const tenant = await newTenant();
    const item = await tenant.addItem(await tenant.addImport());
    await change(tenant, item);
    for (let times = 0; times < 2; times += 1) {
      await tenant.transaction(({ resumableUploads }) => resumableUploads.delete(item.id));
      expect(await get(tenant, item)).toBeNull();
    }
  });

  it('are deleted with their item', async () => {
    const tenant = await newTenant();
    const ended = { status: 'completed', expiresAt: null, completedAt: later(-1) } as const;
    const subject = await tenant.addImport(ended);
    const item = await tenant.addItem(subject);
    await change(tenant, item);
    await tenant.transaction(async ({ imports }) => {
      await imports.lock(subject.id);
      await imports.forgetItems(subject.id, 10);
    });
    expect(await get(tenant, item)).toBeNull();
  });

  it('are found when they were not changed for long, or when their items do not wait for them', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const subject = await tenant.addImport();
    const [active, fetched, old, done, renewed] = await tenant.addItems(
      subject,
      { uploadId: 1 },
      { uploadId: 5, status: 'fetching' },
      { uploadId: 2 },
      { uploadId: 3, status: 'cancelled' },
      { uploadId: 4 },
    );
    await change(tenant, present(active), { updatedAt: later(1) });
    await change(tenant, present(fetched), { updatedAt: later(1) });
    await change(tenant, present(old), { updatedAt: later(0) });
    await change(tenant, present(done), { updatedAt: later(1), parts });
    await change(tenant, present(renewed), { updatedAt: later(1), uploadId: 9 });
    const foreign = await other.addItem(await other.addImport());
    await change(other, foreign, { updatedAt: later(0) });
    const abandoned = async (limit: number) =>
      (await tenant.query(({ resumableUploads }) => resumableUploads.abandoned(later(0), limit))).map(
        ({ itemId }) => itemId,
      );
    const expected = [old, done, renewed].map((item) => present(item).id);
    expect(await abandoned(10)).toEqual(expected);
    expect(await abandoned(2)).toEqual(expected.slice(0, 2));
    const [first] = await other.query(({ resumableUploads }) => resumableUploads.abandoned(later(0), 10));
    expect(first).toEqual(await get(other, foreign));
  });
}
