import type { PhotoSort } from '../../../../src/core/photos/photo-query.js';
import { compareText, foldKey } from '../../../../src/core/shared/text.js';
import type { Quota } from '../start-app.js';
import type { ModelFile } from './model-files.js';

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
  /** 0 until it is told. */
  id: number;
  readonly clientRef: string;
  readonly file: ModelFile;
  tagIds: Set<number>;
  status: 'awaiting_upload' | 'processing' | 'ready' | 'imported' | 'duplicate' | 'failed' | 'cancelled';
  photoId: number | null;
  restored: boolean;
  /** The earlier item of its import that brings its bytes. */
  source: ModelItem | null;
  error: string | null;
  upload: { url: string; headers: Record<string, string> } | null;
}

export interface ModelImport {
  readonly id: number;
  readonly tagIds: Set<number>;
  readonly duplicatePolicy: 'skip' | 'allow';
  readonly restoreTrashed: boolean;
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

/** What the bulk tools of a tag are told. */
export interface ModelTools {
  readonly addPhotoIds?: number[];
  readonly removePhotoIds?: number[];
  readonly mergeTagIds?: number[];
}

/** What the API promises of one customer's library, without requests, rows, jobs or blobs. */
export class LibraryModel {
  readonly tags = new Map<number, string>();
  readonly photos = new Map<number, ModelPhoto>();
  readonly imports: ModelImport[] = [];
  /** Ids of everything that was ever there. */
  readonly photoIds: number[] = [];
  readonly tagIds: number[] = [];

  constructor(readonly quota: Quota) {}

  /** What tags, photos and import of these ids are shown as; tags by name. */
  tagsOf({ tagIds }: { tagIds: ReadonlySet<number> }) {
    const named = [...tagIds].map((id) => ({ id, name: this.tags.get(id) ?? '' }));
    return named.sort((a, b) => compareText(foldKey(a.name), foldKey(b.name)));
  }

  tagNamed(name: string): number | undefined {
    return [...this.tags].find(([, other]) => foldKey(other) === foldKey(name))?.[0];
  }

  addTag(id: number, name: string): void {
    this.tags.set(id, name);
    this.tagIds.push(id);
  }

  photosWith(hash: string): ModelPhoto[] {
    return [...this.photos.values()].filter((photo) => photo.file.sha256 === hash);
  }

  change(photo: ModelPhoto, at: number, values: Partial<ModelPhoto> = {}): void {
    Object.assign(photo, values, { updatedAt: at, version: photo.version + 1 });
  }

  deleteTag(id: number, at: number): void {
    for (const photo of this.photos.values()) if (photo.tagIds.delete(id)) this.change(photo, at);
    this.forget(id);
  }

  /** Uses the bulk tools on a tag; answers what is told of it. */
  useTools(id: number, tools: ModelTools, at: number) {
    const { addPhotoIds = [], removePhotoIds = [], mergeTagIds: merged = [] } = tools;
    const hasMerged = ({ tagIds }: ModelPhoto) => merged.some((tag) => tagIds.has(tag));
    const counts = { added: 0, removed: 0, unchanged: 0 };
    for (const photo of this.photos.values()) {
      const isAdded = addPhotoIds.includes(photo.id) && !photo.trashed;
      const isRemoved = removePhotoIds.includes(photo.id) && !photo.trashed;
      const had = photo.tagIds.has(id);
      if (!isAdded && !isRemoved && !hasMerged(photo)) continue;
      const changes = isRemoved ? had || hasMerged(photo) : hasMerged(photo) || !had;
      for (const tag of merged) photo.tagIds.delete(tag);
      if (isRemoved) photo.tagIds.delete(id);
      else photo.tagIds.add(id);
      if (changes) this.change(photo, at);
      if (!photo.trashed) counts[isRemoved ? (had ? 'removed' : 'unchanged') : had ? 'unchanged' : 'added'] += 1;
    }
    for (const subject of this.imports.filter(isUnpublished)) {
      for (const { tagIds } of [subject, ...subject.items]) if (merged.some((tag) => tagIds.has(tag))) tagIds.add(id);
    }
    for (const tag of merged) this.forget(tag);
    const missing = [...addPhotoIds, ...removePhotoIds].filter((one) => this.photos.get(one)?.trashed !== false);
    return { ...counts, notFound: ascending(missing), full: [], mergedTagIds: ascending(merged) };
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

  private forget(tagId: number): void {
    this.tags.delete(tagId);
    for (const { tagIds, items } of this.imports) {
      tagIds.delete(tagId);
      for (const item of items) item.tagIds.delete(tagId);
    }
  }
}

function isUnpublished({ status }: ModelImport): boolean {
  return status === 'open' || status === 'processing';
}

function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

function compare(a: ModelPhoto, b: ModelPhoto, by: string): number {
  if (by === 'filename') return compareText(foldKey(a.filename), foldKey(b.filename));
  if (by === 'sizeBytes') return a.file.bytes.length - b.file.bytes.length;
  if (by === 'createdAt') return a.createdAt - b.createdAt;
  if (by === 'updatedAt') return a.updatedAt - b.updatedAt;
  return 0;
}
