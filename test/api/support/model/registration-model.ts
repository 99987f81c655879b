import type { LibraryModel, ModelImport, ModelItem } from './library-model.js';
import type { ModelFile } from './model-files.js';

/** A file that a client announces. */
export interface Announced {
  readonly clientRef: string;
  readonly file: ModelFile;
  readonly tagIds: readonly number[];
}

export interface Registered {
  readonly outcome: 'created' | 'existing' | 'duplicate' | 'rejected';
  readonly item: ModelItem | null;
  /** The item is a duplicate of a photo; which of those with its bytes is told, and is one of these. */
  readonly photoIds: readonly number[] | null;
}

const holding = ['awaiting_upload', 'processing', 'ready'];

/** What is used of the quota: photos, in the trash or not, and items that may become one. */
export function used({ photos, imports }: LibraryModel): { photos: number; storageBytes: number } {
  const items = imports.flatMap((subject) => subject.items).filter(({ status }) => holding.includes(status));
  const sizes = [...photos.values(), ...items].map(({ file }) => file.bytes.length);
  return { photos: sizes.length, storageBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/**
 * What registering files with an open import comes to, as a status, with an error's code, and the outcome of
 * each. Where it is an error, nothing is stored. The ids of new items are to be told.
 */
export function registered(
  model: LibraryModel,
  subject: ModelImport,
  all: readonly Announced[],
): { code: number | string; results: readonly Registered[] } {
  const before = subject.items.map((item) => ({ item, values: { ...item } }));
  const results: Registered[] = [];
  const unknown = all.some((one) => {
    const result = register(model, subject, one, results);
    const takesTags = result.outcome === 'created' || result.outcome === 'duplicate' || isRetried(result, before);
    results.push(result);
    return takesTags && one.tagIds.some((id) => !model.tags.has(id));
  });
  const none = results.every(({ outcome }) => outcome === 'rejected');
  if (unknown || none) {
    subject.items.length = before.length;
    for (const { item, values } of before) Object.assign(item, values);
    return { code: unknown ? '400 invalid_request' : '403 quota_exceeded', results };
  }
  const isNew = results.some(({ outcome }) => outcome === 'created' || outcome === 'duplicate');
  return { code: isNew ? 201 : 200, results };
}

function register(
  model: LibraryModel,
  subject: ModelImport,
  { clientRef, file, tagIds }: Announced,
  earlier: readonly Registered[],
): Registered {
  const known = subject.items.find((item) => item.clientRef === clientRef);
  if (known && known.status !== 'failed') return { outcome: 'existing', item: known, photoIds: null };
  const place = known ? null : placeOf(model, subject, file, earlier);
  if (place === null && !hasRoom(model, file)) return { outcome: 'rejected', item: null, photoIds: null };
  if (known) {
    Object.assign(known, { status: 'awaiting_upload', error: null, source: null, tagIds: new Set(tagIds) });
    return { outcome: 'existing', item: known, photoIds: null };
  }
  const kept = { id: 0, clientRef, file, tagIds: new Set(tagIds), restored: false, error: null, upload: null };
  const waiting = { status: 'awaiting_upload', photoId: null, source: null } as const;
  const item: ModelItem = { ...kept, ...waiting, ...(place && { status: 'duplicate', source: place.source }) };
  subject.items.push(item);
  return { outcome: place ? 'duplicate' : 'created', item, photoIds: place?.photoIds ?? null };
}

/** Whose bytes a new item with this file has; null when it has to bring its own. */
function placeOf(model: LibraryModel, subject: ModelImport, file: ModelFile, earlier: readonly Registered[]) {
  if (subject.duplicatePolicy === 'allow') return null;
  const photoIds = model.photosWith(file.sha256).map(({ id }) => id);
  if (photoIds.length > 0) return { photoIds, source: null };
  const bringing = (item: ModelItem | null) => item?.file === file && holding.includes(item.status);
  // The one that the request itself has named last comes before those of earlier ones.
  const named = earlier.map(({ item }) => item).findLast(bringing);
  const source = named ?? subject.items.findLast(bringing) ?? null;
  return source && { photoIds: null, source };
}

function hasRoom(model: LibraryModel, file: ModelFile): boolean {
  const { photos, storageBytes } = used(model);
  const fits = (amount: number, limit: number | null) => limit === null || amount <= limit;
  return fits(photos + 1, model.quota.photos) && fits(storageBytes + file.bytes.length, model.quota.storageBytes);
}

function isRetried({ item }: Registered, before: readonly { item: ModelItem; values: ModelItem }[]): boolean {
  return before.some((one) => one.item === item && one.values.status === 'failed');
}
