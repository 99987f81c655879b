import { randomUUID } from 'node:crypto';
import type { StagingName } from '../../src/core/blobs/blob-key.js';
import type { ImportPhoto, ImportPhotoStatus } from '../../src/core/imports/import-photo.js';
import { newResumableUpload } from '../../src/core/imports/receive/resumable-upload.js';
import { giveUp } from '../../src/core/integrity/collect-garbage.js';
import type { CustomerStore } from '../../src/core/ports.js';
import { later } from '../support/samples.js';
import { Gate, present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const statuses: readonly ImportPhotoStatus[] = [
  'awaiting_upload',
  'fetching',
  'processing',
  'ready',
  'imported',
  'duplicate',
  'failed',
  'cancelled',
];

/** An item in each of the states, in an open import. */
async function itemsOf(tenant: Tenant) {
  const subject = await tenant.addImport();
  const values = statuses.map((status, at) => ({ status, uploadId: 1000 + at, blobName: randomUUID() }));
  const items = await tenant.addItems(subject, ...values);
  return { subject, items };
}

const nameOf = (item: ImportPhoto): StagingName => ({
  kind: 'staging',
  customerId: item.customerId,
  importId: item.importId,
  itemId: item.id,
  uploadId: item.uploadId,
});

/** What `BlobOwners` and `BlobOwnership` promise. */
export function blobOwnersContract(newTenant: NewTenant): void {
  describe('names of blobs in staging', () => {
    const states = (tenant: Tenant, ...names: StagingName[]) =>
      tenant.query(({ blobOwners }) => blobOwners.staging(names));
    const held = async (tenant: Tenant, ...names: StagingName[]) =>
      (await states(tenant, ...names)).filter((state) => state.held).map((state) => state.uploadId);

    it('belong to items that wait for their bytes, or whose bytes are being inspected', async () => {
      const tenant = await newTenant();
      const { items } = await itemsOf(tenant);
      expect((await held(tenant, ...items.map(nameOf))).sort()).toEqual([1000, 1002]);
    });

    it('belong only to that uploadId of that item of that import of that customer', async () => {
      const [tenant, other] = [await newTenant(), await newTenant()];
      const { items } = await itemsOf(tenant);
      const name = nameOf(present(items[0]));
      const elsewhere = [
        { ...name, uploadId: 7 },
        { ...name, itemId: present(items[2]).id },
        { ...name, importId: (await tenant.addImport()).id },
      ];
      expect(await held(tenant, ...elsewhere)).toEqual([]);
      expect(await states(other, name)).toEqual([{ uploadId: name.uploadId, held: false, open: false }]);
      expect(await states(tenant)).toEqual([]);
    });

    it('belong to the resumable upload that has them as parts', async () => {
      const [tenant, other] = [await newTenant(), await newTenant()];
      const item = await tenant.addItem(await tenant.addImport(), { uploadId: 1 });
      const part = { uploadId: 2 ** 47 - 1, sizeBytes: 10 };
      await tenant.transaction(async ({ importPhotos, resumableUploads }) => {
        await importPhotos.lock(item.importId, item.id);
        const upload = newResumableUpload(item, later(0));
        await resumableUploads.put({ ...upload, parts: [{ uploadId: 7, sizeBytes: 1 }, part] });
      });
      const name = { ...nameOf(item), uploadId: part.uploadId };
      expect(await held(tenant, name)).toEqual([part.uploadId]);
      expect(await held(tenant, { ...name, uploadId: 8 }, { ...name, itemId: item.id + 1 })).toEqual([]);
      expect(await held(tenant, { ...name, importId: (await tenant.addImport()).id })).toEqual([]);
      expect(await held(other, name)).toEqual([]);
    });

    it('may still be used as long as their import is open', async () => {
      const tenant = await newTenant();
      const name = (importId: number): StagingName => ({
        kind: 'staging',
        customerId: tenant.id,
        importId,
        itemId: 1,
        uploadId: importId,
      });
      const open = await tenant.addImport();
      const ended = await tenant.addImport({ status: 'processing', expiresAt: null, finalizedAt: later(1) });
      const known = await states(tenant, name(open.id), name(ended.id), name(9e15));
      expect([...known].sort((a, b) => a.uploadId - b.uploadId)).toEqual([
        { uploadId: open.id, held: false, open: true },
        { uploadId: ended.id, held: false, open: false },
        { uploadId: 9e15, held: false, open: false },
      ]);
    });
  });

  describe('blobs of originals', () => {
    const owned = (tenant: Tenant, names: readonly string[]) =>
      tenant.query(({ blobOwners }) => blobOwners.originals(names));

    it('belong to photos, in the trash or not, and to items that may become photos', async () => {
      const [tenant, other] = [await newTenant(), await newTenant()];
      const photos = [
        await tenant.addPhoto(),
        await tenant.addPhoto({ trashedAt: later(1), purgeAt: later(2) }),
        await other.addPhoto(),
      ];
      const { items } = await itemsOf(tenant);
      const names = [
        ...photos.map(({ blobKey }) => present(blobKey.split('/')[2])),
        ...items.map(({ blobName }) => blobName),
        randomUUID(),
      ];
      expect([...(await owned(tenant, names))].sort()).toEqual([names[0], names[1], ...names.slice(3, 7)].sort());
      expect(await owned(other, names)).toEqual([names[2]]);
      expect(await owned(tenant, [])).toEqual([]);
    });

    it('belong to no photo once it is deleted', async () => {
      const tenant = await newTenant();
      const photo = await tenant.addPhoto();
      await tenant.transaction(async ({ photos }) => {
        await photos.lock([photo.id]);
        await photos.delete(photo.id);
      });
      expect(await owned(tenant, [present(photo.blobKey.split('/')[2])])).toEqual([]);
    });
  });

  it('renditions belong to photos in the rotation that is shown, and to items that may become photos', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const plain = await tenant.addPhoto();
    const turned = await tenant.addPhoto({ rotation: 270, trashedAt: later(1), purgeAt: later(2) });
    const lost = await tenant.addPhoto({ rotation: 90, originalLostAt: later(1) });
    const foreign = await other.addPhoto();
    const { items } = await itemsOf(tenant);
    const ids = [plain, turned, lost, foreign, ...items].map(({ id }) => id);
    const shown = await tenant.query(({ blobOwners }) => blobOwners.renditions([...ids, 9e15]));
    expect([...shown].sort((a, b) => a.id - b.id)).toEqual([
      { id: plain.id, rotation: 0 },
      { id: turned.id, rotation: 270 },
      { id: lost.id, rotation: null },
      ...items.slice(0, 4).map(({ id }) => ({ id, rotation: 0 })),
    ]);
    expect(await tenant.query(({ blobOwners }) => blobOwners.renditions([]))).toEqual([]);
  });

  it('items that rely on bytes are listed by id, of all imports, a page at a time', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const all = [...(await itemsOf(tenant)).items, ...(await itemsOf(tenant)).items];
    await itemsOf(other);
    const page = (after: number | null, limit: number) =>
      tenant.query(({ importPhotos }) => importPhotos.withBytes(after, limit));
    const expected = all.filter(({ status }) => status === 'processing' || status === 'ready');
    expect(await page(null, 100)).toEqual(expected);
    expect(await page(null, 3)).toEqual(expected.slice(0, 3));
    expect(await page(present(expected[2]).id, 3)).toEqual(expected.slice(3));
  });

  describe('upload attempts that were given up', () => {
    it('are known as given up from then on, in their import', async () => {
      const [tenant, other] = [await newTenant(), await newTenant()];
      const [subject, beside] = [await tenant.addImport(), await tenant.addImport()];
      const drop = (uploadId: number) =>
        tenant.transaction(async ({ imports, blobOwners }) => {
          await imports.lock(subject.id);
          await blobOwners.drop(subject.id, uploadId);
        });
      await drop(2 ** 47 - 1);
      await drop(5);
      await drop(5);
      const asked = [5, 6, 2 ** 47 - 1];
      const dropped = (owner: Tenant, importId: number) =>
        owner.query(({ blobOwners }) => blobOwners.dropped(importId, asked));
      expect([...(await dropped(tenant, subject.id))].sort((a, b) => a - b)).toEqual([5, 2 ** 47 - 1]);
      expect([await dropped(tenant, beside.id), await dropped(other, subject.id)]).toEqual([[], []]);
    });

    it('do not include those that another request is just using', async () => {
      const tenant = await newTenant();
      const item = await tenant.addItem(await tenant.addImport(), { status: 'awaiting_upload', uploadId: 1 });
      const name = { ...nameOf(item), uploadId: 2 };
      const [taken, go] = [new Gate(), new Gate()];
      const taking = tenant.transaction(async ({ importPhotos, blobOwners }) => {
        await importPhotos.lock(item.importId, item.id);
        expect(await blobOwners.dropped(item.importId, [2])).toEqual([]);
        await importPhotos.update({ ...item, status: 'processing', uploadId: 2 });
        taken.open();
        await go.opened;
      });
      await taken.opened;
      const store: CustomerStore = {
        transaction: (_, work) => tenant.transaction(work),
        query: (_, look) => tenant.query(look),
      };
      const givingUp = giveUp({ store }, name);
      go.open();
      await taking;
      expect(await givingUp).toBe(false);
      expect(await tenant.query(({ blobOwners }) => blobOwners.dropped(item.importId, [2]))).toEqual([]);
      expect(await giveUp({ store }, { ...name, uploadId: 3 })).toBe(true);
      expect(await tenant.query(({ blobOwners }) => blobOwners.dropped(item.importId, [2, 3]))).toEqual([3]);
    });

    it('are not given up when the transaction fails', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      const failing = tenant.transaction(async ({ imports, blobOwners }) => {
        await imports.lock(subject.id);
        await blobOwners.drop(subject.id, 5);
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      expect(await tenant.query(({ blobOwners }) => blobOwners.dropped(subject.id, [5]))).toEqual([]);
    });
  });
}
