import type { LibraryModel, ModelImport, ModelItem } from './library-model.js';
import { titleOf } from './model-files.js';

/** What the API shows of an item. */
export type Seen = Pick<ModelItem, 'status' | 'photoId'>;

/** An item fails, and those of its import that relied on its bytes. */
function fail(subject: ModelImport, item: ModelItem, error: string): void {
  Object.assign(item, { status: 'failed', error, photoId: null });
  failDependants(subject, item);
}

export function failDependants(subject: ModelImport, source: ModelItem): void {
  for (const other of subject.items) {
    if (other.source === source && other.status === 'duplicate') fail(subject, other, 'duplicate_of_failed');
  }
}

/** Finalizing an import: the status of the answer, with an error's code. */
export function finalized(subject: ModelImport, action: string, missing: string): number | string {
  const { items, status } = subject;
  if (status !== 'open') {
    if ((action === 'discard') !== (status === 'cancelled')) return '409 import_not_open';
    return status === 'processing' ? 202 : 200;
  }
  if (action === 'discard') {
    for (const item of items) item.status = 'cancelled';
    subject.status = 'cancelled';
    return 200;
  }
  const waiting = items.filter((item) => item.status === 'awaiting_upload');
  if (waiting.length > 0 && missing === 'reject') return '409 uploads_incomplete';
  for (const item of waiting) fail(subject, item, 'upload_missing');
  const left = items.some((item) => ['processing', 'ready', 'duplicate'].includes(item.status));
  subject.status = left ? 'processing' : endOf(subject);
  return left ? 202 : 200;
}

/**
 * All jobs are done. Which of several imports came first, and of several photos with the same bytes which one a duplicate is
 * tied to, is the service's choice: `seen` tells, and is believed only where either would be right.
 */
export function work(model: LibraryModel, at: number, seen: (item: ModelItem) => Seen): void {
  const inspected = model.imports.flatMap((subject) => inspect(model, subject, seen));
  const committed = model.imports.filter(({ status }) => status === 'processing');
  const ready = (subject: ModelImport) => subject.items.filter(({ status }) => status === 'ready');
  for (const policy of ['skip', 'allow'] as const) {
    for (const subject of committed.filter(({ duplicatePolicy }) => duplicatePolicy === policy)) {
      for (const item of ready(subject)) {
        const isFirst = model.photosWith(item.file.sha256).length === 0;
        if (policy === 'allow' || (isFirst && seen(item).status === 'imported')) publish(model, subject, item, at);
      }
    }
  }
  const late = inspected.filter((item) => item.status === 'ready' && seen(item).status === 'duplicate');
  for (const item of [...late, ...committed.flatMap(ready)]) tie(model, item, seen);
  for (const subject of committed) {
    for (const item of subject.items.filter(({ status }) => status === 'duplicate')) resolve(model, subject, item, at);
    subject.status = endOf(subject);
  }
}

/** Looks at what has arrived; answers the items that may yet turn out to be duplicates. */
function inspect(model: LibraryModel, subject: ModelImport, seen: (item: ModelItem) => Seen): ModelItem[] {
  const items = subject.items.filter(({ status }) => status === 'processing');
  for (const item of items) {
    item.status = 'ready';
    if (item.file.ends !== 'photo') fail(subject, item, item.file.ends);
    else if (subject.duplicatePolicy === 'skip') tie(model, item, seen);
  }
  return subject.duplicatePolicy === 'skip' ? items.filter(({ status }) => status === 'ready') : [];
}

/** Where there are photos with its bytes, the item is a duplicate of one of them. */
function tie(model: LibraryModel, item: ModelItem, seen: (item: ModelItem) => Seen): void {
  const same = model.photosWith(item.file.sha256);
  if (same.length === 0) return;
  const winner = same.find(({ id }) => id === seen(item).photoId) ?? same[0];
  Object.assign(item, { status: 'duplicate', photoId: winner?.id ?? null });
}

function publish(model: LibraryModel, subject: ModelImport, item: ModelItem, at: number): void {
  const { id, file } = item;
  const said = { filename: file.filename, title: titleOf(file), rating: null, trashed: false, version: 1 };
  const tagIds = new Set([...subject.tagIds, ...item.tagIds]);
  model.photos.set(id, { id, file, importId: subject.id, ...said, tagIds, createdAt: at, updatedAt: at });
  model.photoIds.push(id);
  Object.assign(item, { status: 'imported', photoId: id });
}

function resolve(model: LibraryModel, subject: ModelImport, item: ModelItem, at: number): void {
  item.photoId ??= item.source?.photoId ?? null;
  const photo = model.photos.get(item.photoId ?? 0);
  if (!photo) fail(subject, item, item.photoId === null ? 'duplicate_of_failed' : 'duplicate_source_gone');
  else if (photo.trashed && subject.restoreTrashed) {
    model.change(photo, at, { trashed: false });
    item.restored = true;
  }
}

function endOf({ items }: ModelImport): 'completed' | 'completed_with_errors' {
  return items.some(({ status }) => status === 'failed') ? 'completed_with_errors' : 'completed';
}
