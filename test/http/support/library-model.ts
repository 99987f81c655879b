import { brokenPictureBytes } from '../../../src/adapters/memory/memory-media-reader.js';
import type { PhotoSort } from '../../../src/core/photos/photo-query.js';
import { compareText, foldKey } from '../../../src/core/shared/text.js';
import { picture, sha256 } from './photos.js';

/** A file that clients send, and what its bytes come to. */
export interface ModelFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly ends: 'photo' | 'decode_failed' | 'not_an_image';
}

function file(filename: string, bytes: Uint8Array, ends: ModelFile['ends'] = 'photo'): ModelFile {
  return { filename, bytes, sha256: sha256(bytes), ends };
}

export const files: readonly ModelFile[] = [
  ...['b.jpg', 'A.jpg', 'a.jpg', 'ß.jpg'].map((name, at) => file(name, picture('x'.repeat(at % 3) + name))),
  file('broken.jpg', brokenPictureBytes(), 'decode_failed'),
  file('note.jpg', Buffer.from('a note'), 'not_an_image'),
];

export interface ModelPhoto {
  readonly id: number;
  readonly file: ModelFile;
  readonly importId: number;
  readonly createdAt: number;
  readonly tagIds: Set<number>;
  filename: string;
  title: string | null;
  rating: number | null;
  trashed: boolean;
  updatedAt: number;
  version: number;
}

export interface ModelItem {
  readonly id: number;
  readonly clientRef: string;
  readonly file: ModelFile;
  status: 'awaiting_upload' | 'processing' | 'ready' | 'imported' | 'duplicate' | 'failed' | 'cancelled';
  photoId: number | null;
  /** The earlier item of its import that brings its bytes. */
  source: ModelItem | null;
  error: string | null;
  upload: { url: string; headers: Record<string, string> } | null;
}

export interface ModelImport {
  readonly id: number;
  readonly tagIds: Set<number>;
  readonly items: ModelItem[];
  status: 'open' | 'processing' | 'completed' | 'completed_with_errors' | 'cancelled';
}

export interface ModelFilters {
  readonly tagIds?: number[];
  readonly excludeTagIds?: number[];
  readonly untagged?: boolean;
  readonly minRating?: number;
  readonly filename?: string;
  readonly importId?: number;
  readonly trashed?: 'false' | 'true' | 'any';
}

/** What the API promises of one customer's library (API.md §6), without requests, rows, jobs or blobs. */
export class LibraryModel {
  readonly tags = new Map<number, string>();
  readonly photos = new Map<number, ModelPhoto>();
  readonly imports: ModelImport[] = [];
  /** Ids of everything that was ever there. */
  readonly photoIds: number[] = [];
  readonly tagIds: number[] = [];

  /** What tags, photos and import of these ids are shown as; tags by name. */
  tagsOf({ tagIds }: { tagIds: ReadonlySet<number> }) {
    const named = [...tagIds].map((id) => ({ id, name: this.tags.get(id) ?? '' }));
    return named.sort((a, b) => compareText(foldKey(a.name), foldKey(b.name)));
  }

  tagNamed(name: string): number | undefined {
    return [...this.tags].find(([, other]) => foldKey(other) === foldKey(name))?.[0];
  }

  photoWith(hash: string): ModelPhoto | undefined {
    return [...this.photos.values()].find((photo) => photo.file.sha256 === hash);
  }

  change(photo: ModelPhoto, at: number, values: Partial<ModelPhoto> = {}): void {
    Object.assign(photo, values, { updatedAt: at, version: photo.version + 1 });
  }

  deleteTag(id: number, at: number): void {
    this.tags.delete(id);
    for (const { tagIds } of this.imports) tagIds.delete(id);
    for (const photo of this.photos.values()) if (photo.tagIds.delete(id)) this.change(photo, at);
  }

  /** What registering a file comes to: its item is there, or new in the state that its hash decides. */
  placeOf(subject: ModelImport, { sha256: hash }: ModelFile): Pick<ModelItem, 'status' | 'photoId' | 'source'> {
    const photo = this.photoWith(hash);
    if (photo) return { status: 'duplicate', photoId: photo.id, source: null };
    const live = ['awaiting_upload', 'processing', 'ready'];
    const source = subject.items.find((item) => item.file.sha256 === hash && live.includes(item.status)) ?? null;
    return { status: source ? 'duplicate' : 'awaiting_upload', photoId: null, source };
  }

  fail(subject: ModelImport, item: ModelItem, error: string): void {
    Object.assign(item, { status: 'failed', error, photoId: null });
    this.failDependants(subject, item);
  }

  failDependants(subject: ModelImport, source: ModelItem): void {
    for (const other of subject.items) {
      if (other.source === source && other.status === 'duplicate') this.fail(subject, other, 'duplicate_of_failed');
    }
  }

  /**
   * All jobs are done. Which of several imports came first is the queue's choice: `seen` tells what became of an item, and is
   * believed only where both ends are right.
   */
  work(at: number, seen: (item: ModelItem) => ModelItem['status']): void {
    const inspected = this.imports.flatMap((subject) => this.inspect(subject));
    const committed = this.imports.filter(({ status }) => status === 'processing');
    const ready = (subject: ModelImport) => subject.items.filter(({ status }) => status === 'ready');
    for (const subject of committed) {
      for (const item of ready(subject)) {
        if (!this.photoWith(item.file.sha256) && seen(item) === 'imported') this.publish(subject, item, at);
      }
    }
    const late = inspected.filter((item) => item.status === 'ready' && seen(item) === 'duplicate');
    for (const item of [...late, ...committed.flatMap(ready)]) {
      const winner = this.photoWith(item.file.sha256);
      if (winner) Object.assign(item, { status: 'duplicate', photoId: winner.id });
    }
    for (const subject of committed) {
      for (const item of subject.items.filter(({ status }) => status === 'duplicate')) this.resolve(subject, item, at);
      subject.status = endOf(subject);
    }
  }

  private inspect(subject: ModelImport): ModelItem[] {
    const items = subject.items.filter(({ status }) => status === 'processing');
    for (const item of items) {
      const photo = this.photoWith(item.file.sha256);
      if (item.file.ends !== 'photo') this.fail(subject, item, item.file.ends);
      else Object.assign(item, photo ? { status: 'duplicate', photoId: photo.id } : { status: 'ready' });
    }
    return items;
  }

  private publish(subject: ModelImport, item: ModelItem, at: number): void {
    const { id, file: sent } = item;
    const said = { filename: sent.filename, title: titleOf(sent), rating: null, trashed: false, version: 1 };
    const tagIds = new Set(subject.tagIds);
    this.photos.set(id, { id, file: sent, importId: subject.id, ...said, tagIds, createdAt: at, updatedAt: at });
    this.photoIds.push(id);
    Object.assign(item, { status: 'imported', photoId: id });
  }

  private resolve(subject: ModelImport, item: ModelItem, at: number): void {
    item.photoId ??= item.source?.photoId ?? null;
    const photo = this.photos.get(item.photoId ?? 0);
    if (!photo) this.fail(subject, item, item.photoId === null ? 'duplicate_of_failed' : 'duplicate_source_gone');
    else if (photo.trashed) this.change(photo, at, { trashed: false });
  }

  /** The ids of GET /photos, in order. */
  list(filters: ModelFilters, sort: PhotoSort): number[] {
    const { tagIds = [], excludeTagIds = [], untagged, minRating, filename, importId, trashed = 'false' } = filters;
    const shown = [...this.photos.values()].filter(
      (photo) =>
        (trashed === 'any' || String(photo.trashed) === trashed) &&
        tagIds.every((id) => photo.tagIds.has(id)) &&
        !excludeTagIds.some((id) => photo.tagIds.has(id)) &&
        (untagged === undefined || untagged === (photo.tagIds.size === 0)) &&
        (minRating === undefined || (photo.rating ?? -1) >= minRating) &&
        (filename === undefined || foldKey(photo.filename) === foldKey(filename)) &&
        (importId === undefined || photo.importId === importId),
    );
    const direction = sort.startsWith('-') ? -1 : 1;
    return shown.sort((a, b) => direction * (compare(a, b, sort.replace('-', '')) || a.id - b.id)).map(({ id }) => id);
  }
}

export function endOf({ items }: ModelImport): 'completed' | 'completed_with_errors' {
  return items.some(({ status }) => status === 'failed') ? 'completed_with_errors' : 'completed';
}

/** What the picture says of itself. */
export function titleOf({ bytes }: ModelFile): string | null {
  return JSON.parse(Buffer.from(bytes).toString()).picture.title ?? null;
}

function compare(a: ModelPhoto, b: ModelPhoto, by: string): number {
  if (by === 'filename') return compareText(foldKey(a.filename), foldKey(b.filename));
  if (by === 'sizeBytes') return a.file.bytes.length - b.file.bytes.length;
  if (by === 'createdAt') return a.createdAt - b.createdAt;
  if (by === 'updatedAt') return a.updatedAt - b.updatedAt;
  return 0;
}
