import type { Actor } from '../../src/core/audit/audit-entry.js';
import type { BulkEdit, NewBulkEdit } from '../../src/core/bulk-edits/bulk-edit.js';
import type { Id } from '../../src/core/shared/ids.js';
import { later, sampleInstant } from '../support/samples.js';
import { present, type Tenant } from '../support/tenant.js';
import type { NewTenant } from './customer-store.contract.js';

const actor: Actor = { kind: 'person', id: 7, name: 'É@example.com', address: null };
const sample: NewBulkEdit = { action: { kind: 'trash' }, filters: null, total: 3, actor, createdAt: sampleInstant };

/** What the repository of bulk edits promises. */
export function bulkEditsContract(newTenant: NewTenant): void {
  const add = (tenant: Tenant, values: Partial<NewBulkEdit> = {}, photoIds: readonly Id[] = []) =>
    tenant.transaction(({ bulkEdits }) => bulkEdits.insert({ ...sample, ...values }, photoIds));
  const list = (tenant: Tenant) => tenant.query(({ bulkEdits }) => bulkEdits.list(null, 100));
  const change = (tenant: Tenant, { id }: BulkEdit, values: Partial<BulkEdit>) =>
    tenant.transaction(async ({ bulkEdits }) => {
      const edit = present(await bulkEdits.lock(id));
      await bulkEdits.update({ ...edit, ...values });
    });
  const changeOf = (photoId: Id) => ({ photoId, before: { rating: null }, after: { rating: 3 } });

  it('are stored under a new id, running, with nothing processed', async () => {
    const tenant = await newTenant();
    const full: NewBulkEdit = {
      action: { kind: 'add_tags', tags: [{ id: 2 ** 40, name: 'É "q" 📷' }] },
      filters: {
        trashed: 'false',
        words: ['é'],
        tagIds: [1],
        ...{ takenAfter: later(1), takenBefore: later(2), createdAfter: later(3), createdBefore: later(4) },
        ...{ updatedAfter: later(5), updatedBefore: later(6) },
        bbox: [-1.5, 0, 1, 2],
        similar: { photoId: 2 ** 40, phash: '9f8b3a4c61d2e507', maxDistance: 6 },
      },
      total: 12_345,
      actor,
      createdAt: later(9),
    };
    const begun = { state: 'running', lastPhotoId: null, changed: 0, unchanged: 0, failures: [], undone: 0, kept: 0 };
    const none = { ...begun, customerId: tenant.id, undoneBy: null, endedAt: null };
    const [first, second] = [await add(tenant), await add(tenant, full)];
    expect(first).toEqual({ ...sample, ...none, id: first.id });
    expect(second).toEqual({ ...full, ...none, id: second.id });
    expect(await list(tenant)).toEqual([second, first]);
    const found = await tenant.query(async ({ bulkEdits }) => [
      await bulkEdits.list(second.id, 1),
      await bulkEdits.list(null, 1),
      await bulkEdits.active(),
      [await bulkEdits.get(second.id)],
    ]);
    expect(found).toEqual([[first], [second], [first, second], [second]]);
  });

  it('return the chosen photos in parts', async () => {
    const tenant = await newTenant();
    const edit = await add(tenant, {}, [3, 5, 2 ** 41]);
    const chosen = (after: Id | null, limit: number) =>
      tenant.query(({ bulkEdits }) => bulkEdits.chosenPhotos(edit.id, after, limit));
    expect([await chosen(null, 2), await chosen(3, 9), await chosen(2 ** 41, 9)]).toEqual([[3, 5], [5, 2 ** 41], []]);
  });

  it('are changed in their progress, and in nothing else', async () => {
    const tenant = await newTenant();
    const edit = await add(tenant, {}, [1, 2]);
    const failures = [{ reason: 'not_found', count: 2, photoIds: [1, 2] }] as const;
    const counts = { changed: 1, unchanged: 2, failures, undone: 3, kept: 4 };
    const reached = { state: 'undone', lastPhotoId: 2 ** 40, ...counts, undoneBy: actor, endedAt: later(1) } as const;
    await change(tenant, edit, { ...reached, total: 9, action: { kind: 'restore' }, createdAt: later(5) });
    expect(await list(tenant)).toEqual([{ ...edit, ...reached }]);
    expect(await tenant.query(({ bulkEdits }) => bulkEdits.active())).toEqual([]);
    expect(await tenant.query(({ bulkEdits }) => bulkEdits.chosenPhotos(edit.id, null, 9))).toEqual([1, 2]);
  });

  it('are changed by one transaction at a time, and the next one reads what the first stored', async () => {
    const tenant = await newTenant();
    const { id } = await add(tenant);
    const count = () =>
      tenant.transaction(async ({ bulkEdits }) => {
        const edit = present(await bulkEdits.lock(id));
        await bulkEdits.update({ ...edit, changed: edit.changed + 1 });
      });
    await Promise.all([count(), count(), count()]);
    expect(await list(tenant)).toMatchObject([{ changed: 3 }]);
  });

  it('store what they did to photos, each once', async () => {
    const tenant = await newTenant();
    const [edit, other] = [await add(tenant), await add(tenant)];
    const addChanges = (...ids: readonly Id[]) =>
      tenant.transaction(({ bulkEdits }) => bulkEdits.addChanges(edit.id, ids.map(changeOf)));
    const changes = (after: Id | null, limit: number) =>
      tenant.query(({ bulkEdits }) => bulkEdits.changes(edit.id, after, limit));
    await addChanges(9, 3);
    await addChanges();
    await expect(addChanges(3)).rejects.toThrow();
    expect(await changes(null, 9)).toEqual([changeOf(3), changeOf(9)]);
    expect(await changes(null, 1)).toEqual([changeOf(3)]);
    expect(await changes(3, 9)).toEqual([changeOf(9)]);
    expect(await tenant.query(({ bulkEdits }) => bulkEdits.changes(other.id, null, 9))).toEqual([]);
  });

  it('are deleted with their changes, a limited number at a time, once they are old', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const [old, recent] = [await add(tenant), await add(tenant, { createdAt: later(1) })];
    const theirs = await add(other);
    for (const { id } of [old, recent]) {
      await tenant.transaction(({ bulkEdits }) => bulkEdits.addChanges(id, [1, 2, 3].map(changeOf)));
    }
    const forget = () => tenant.transaction(({ bulkEdits }) => bulkEdits.forget(later(1), 2));
    expect(await forget()).toBe(false);
    expect(await list(tenant)).toHaveLength(2);
    expect(await forget()).toBe(true);
    expect(await list(tenant)).toEqual([recent]);
    expect(await tenant.query(({ bulkEdits }) => bulkEdits.changes(recent.id, null, 9))).toHaveLength(3);
    expect(await tenant.query(({ bulkEdits }) => bulkEdits.changes(old.id, null, 9))).toEqual([]);
    expect(await list(other)).toEqual([theirs]);
  });

  it('of another customer are not found', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    const edit = await add(tenant, {}, [1]);
    await tenant.transaction(({ bulkEdits }) => bulkEdits.addChanges(edit.id, [changeOf(1)]));
    await other.transaction(async ({ bulkEdits }) => {
      expect(await bulkEdits.get(edit.id)).toBeNull();
      expect(await bulkEdits.lock(edit.id)).toBeNull();
      expect(await bulkEdits.list(null, 9)).toEqual([]);
      expect(await bulkEdits.active()).toEqual([]);
      expect(await bulkEdits.chosenPhotos(edit.id, null, 9)).toEqual([]);
      expect(await bulkEdits.changes(edit.id, null, 9)).toEqual([]);
      await bulkEdits.update({ ...edit, changed: 9 });
      expect(await bulkEdits.forget(later(9), 9)).toBe(true);
    });
    const change = other.transaction(({ bulkEdits }) => bulkEdits.addChanges(edit.id, [changeOf(2)]));
    await expect(change).rejects.toThrow();
    expect(await list(tenant)).toEqual([edit]);
  });

  it('count the photos that match', async () => {
    const tenant = await newTenant();
    const tag = await tenant.addTag('Paris');
    await tenant.addPhotos(
      [{ rating: 5 }, { rating: 1 }, { rating: 5, trashedAt: later(0), purgeAt: later(1) }],
      [tag.id],
    );
    await (await newTenant()).addPhoto();
    const count = (filters: NonNullable<BulkEdit['filters']>) => tenant.query(({ photos }) => photos.count(filters));
    expect(await count({ trashed: 'false' })).toBe(2);
    expect(await count({ trashed: 'any' })).toBe(3);
    expect(await count({ trashed: 'false', minRating: 4, tagIds: [tag.id] })).toBe(1);
    expect(await count({ trashed: 'false', words: ['par'] })).toBe(2);
    expect(await count({ trashed: 'true', minRating: 6 })).toBe(0);
    const [near] = await tenant.addPhotos([
      { phash: '9f8b3a4c61d2e507' },
      { phash: '9f8b3a4c61d2e506' },
      { phash: '0000000000000000' },
    ]);
    const similar = { photoId: present(near).id, phash: '9f8b3a4c61d2e507', maxDistance: 6 };
    expect(await count({ trashed: 'false', similar })).toBe(1);
  });
}
