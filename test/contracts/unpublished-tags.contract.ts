import type { Import, ImportStatus } from '../../src/core/imports/import.js';
import type { ImportPhoto, ImportPhotoStatus } from '../../src/core/imports/import-photo.js';
import type { Id } from '../../src/core/shared/ids.js';
import { sampleExif, samplePhoto } from '../support/samples.js';
import { atOnce, Gate, present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const unpublished: readonly ImportStatus[] = ['open', 'processing'];
const ended: readonly ImportStatus[] = ['completed', 'completed_with_errors', 'cancelled', 'expired'];

/** What `UnpublishedTags` promises, and `ImportRepository` of sharing an import. */
export function unpublishedTagsContract(newTenant: NewTenant): void {
  const tagIds = async (tenant: Tenant, ...names: readonly string[]) =>
    (await tenant.addTags(...names)).map(({ id }) => id) as [Id, Id, Id, Id];
  const importNow = async (tenant: Tenant, { id }: Import) =>
    present(await tenant.query((reader) => reader.imports.find(id)));
  const itemNow = async (tenant: Tenant, { importId, id }: ImportPhoto) =>
    present(await tenant.query((reader) => reader.importPhotos.get(importId, id)));
  const replace = (tenant: Tenant, from: readonly Id[], into: Id) =>
    tenant.transaction(async ({ unpublishedTags }) => {
      await unpublishedTags.lockUnpublished(from);
      await unpublishedTags.replaceTags(from, into);
    });

  describe('replaceTags', () => {
    it.each(unpublished)('replaces tags by one in an import that is %s and in its items', async (status) => {
      const tenant = await newTenant();
      const [a, b, into, other] = await tagIds(tenant, 'a', 'b', 'into', 'other');
      const subject = await tenant.addImport({ status, tagIds: [a, b, other] });
      const statuses: ImportPhotoStatus[] = ['awaiting_upload', 'processing', 'ready', 'duplicate', 'failed'];
      const items = await tenant.addItems(subject, ...statuses.map((each) => ({ status: each, tagIds: [a, into] })));
      const without = await tenant.addItem(subject, { tagIds: [other] });
      await replace(tenant, [a, b], into);
      expect(await importNow(tenant, subject)).toEqual({ ...subject, tagIds: [into, other] });
      for (const item of items) expect(await itemNow(tenant, item)).toEqual({ ...item, tagIds: [into] });
      expect(await itemNow(tenant, without)).toEqual(without);
    });

    it.each(ended)('leaves an import that is %s unchanged', async (status) => {
      const tenant = await newTenant();
      const [a, into] = await tagIds(tenant, 'a', 'into');
      const subject = await tenant.addImport({ status, expiresAt: null, tagIds: [a] });
      const item = await tenant.addItem(subject, { tagIds: [a] });
      await replace(tenant, [a], into);
      expect(await importNow(tenant, subject)).toEqual(subject);
      expect(await itemNow(tenant, item)).toEqual(item);
    });

    it('leaves imports of another customer unchanged', async () => {
      const [tenant, stranger] = [await newTenant(), await newTenant()];
      const [a] = await tagIds(stranger, 'a');
      const [into] = await tagIds(tenant, 'into');
      const subject = await stranger.addImport({ tagIds: [a] });
      const item = await stranger.addItem(subject, { tagIds: [a] });
      await replace(tenant, [a], into);
      expect(await importNow(stranger, subject)).toEqual(subject);
      expect(await itemNow(stranger, item)).toEqual(item);
    });
  });

  describe('lockUnpublished', () => {
    it('prevents changes of the imports and their items meanwhile', async () => {
      const tenant = await newTenant();
      const [a, into] = await tagIds(tenant, 'a', 'into');
      const subject = await tenant.addImport({ tagIds: [a] });
      const item = await tenant.addItem(subject, { tagIds: [a] });
      const [held, goOn] = [new Gate(), new Gate()];
      const replacing = tenant.transaction(async ({ unpublishedTags }) => {
        await unpublishedTags.lockUnpublished([a]);
        held.open();
        await goOn.opened;
        await unpublishedTags.replaceTags([a], into);
      });
      await held.opened;
      const touching = tenant.transaction(async ({ imports }) => {
        const seen = present(await imports.lock(subject.id));
        await imports.update({ ...seen, name: 'touched' });
      });
      const failing = tenant.transaction(async ({ importPhotos }) => {
        const seen = present(await importPhotos.lock(subject.id, item.id));
        await importPhotos.update({ ...seen, title: 'touched' });
      });
      goOn.open();
      await Promise.all([replacing, touching, failing]);
      expect(await importNow(tenant, subject)).toEqual({ ...subject, name: 'touched', tagIds: [into] });
      expect(await itemNow(tenant, item)).toEqual({ ...item, title: 'touched', tagIds: [into] });
    });

    it('loses no change that comes at the same time', async () => {
      const tenant = await newTenant();
      const all = await tagIds(tenant, '0', '1', '2', '3');
      const subject = await tenant.addImport({ tagIds: [all[0]] });
      const items = await tenant.addItems(subject, ...Array.from({ length: 5 }, () => ({ tagIds: [all[0]] })));
      await atOnce(9, (number) => {
        if (number % 3 === 0) return replace(tenant, [present(all[number / 3])], present(all[number / 3 + 1]));
        return tenant.transaction(async ({ imports, importPhotos }) => {
          const held = present(await imports.lock(subject.id));
          for (const { id } of items) {
            const item = present(await importPhotos.lock(subject.id, id));
            await importPhotos.update({ ...item, rating: (item.rating ?? 0) + 1 });
          }
          await imports.update({ ...held, version: held.version + 1 });
        });
      });
      // Whichever replacement came first, no tag came back that was replaced.
      const { version, tagIds: left } = await importNow(tenant, subject);
      expect(version).toBe(7);
      expect(left).toHaveLength(1);
      expect(left).not.toContain(all[0]);
      for (const item of items) expect(await itemNow(tenant, item)).toEqual({ ...item, rating: 6, tagIds: left });
    });
  });

  describe('a shared lock of an import', () => {
    it('reads an import as lock does', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport({ name: 'shared' });
      expect(await tenant.transaction(({ imports }) => imports.share(subject.id))).toEqual(subject);
      expect(await tenant.transaction(({ imports }) => imports.share(9e15))).toBeNull();
    });

    it('delays an exclusive lock until all shared ones have ended', async () => {
      const tenant = await newTenant();
      const subject = await tenant.addImport();
      const addedAll = atOnce(6, () =>
        tenant.transaction(async ({ imports, importPhotos, photos }) => {
          const held = await imports.share(subject.id);
          if (held?.status !== 'open') return 0;
          const [id] = await importPhotos.allocateIds(1);
          await photos.insert(samplePhoto(tenant.id, present(id), { importId: subject.id }), [], sampleExif);
          return 1;
        }),
      );
      const counted = tenant.transaction(async ({ imports, photos }) => {
        const held = present(await imports.lock(subject.id));
        await imports.update({ ...held, status: 'processing', expiresAt: null });
        const window = { after: null, limit: 100 };
        const filters = { trashed: 'any', importId: subject.id } as const;
        return (await photos.list({ filters, sort: 'id', window })).length;
      });
      const added = (await addedAll).reduce((sum: number, one) => sum + one, 0);
      expect(await counted).toBe(added);
    });
  });
}
