import { after, DAY } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { ImportPhotoStatus } from './import-photo.js';

export type ImportStatus = 'open' | 'processing' | 'completed' | 'completed_with_errors' | 'cancelled' | 'expired';

/** The complete state machine. Transitions that are not listed do not happen; the last four states are final. */
const importTransitions: Readonly<Record<ImportStatus, readonly ImportStatus[]>> = {
  open: ['processing', 'completed', 'completed_with_errors', 'cancelled', 'expired'],
  processing: ['completed', 'completed_with_errors'],
  completed: [],
  completed_with_errors: [],
  cancelled: [],
  expired: [],
};

export type DuplicatePolicy = 'skip' | 'allow';

export interface Import {
  readonly id: Id;
  readonly customerId: Id;
  readonly status: ImportStatus;
  readonly name: string | null;
  readonly source: string | null;
  /** Unique among the customer's open imports. */
  readonly clientRef: string | null;
  readonly duplicatePolicy: DuplicatePolicy;
  readonly restoreTrashed: boolean;
  readonly defaultTimeZone: string | null;
  /** Added to every new photo of the import. */
  readonly tagIds: readonly Id[];
  /** Whether these, and those of an item, are also added to a photo that the library had already. */
  readonly tagDuplicates: boolean;
  /** Whether the keywords in files become tags of their photos. */
  readonly keywordsAsTags: boolean;
  /** Whether a photo whose file does not say when it was taken gets the date that its name states. */
  readonly dateFromFilename: boolean;
  readonly apiKeyId: Id | null;
  /** Whose visitors sent the photos; null if the customer did. It may be revoked by now. */
  readonly shareId: Id | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Null when not open. */
  readonly expiresAt: Date | null;
  readonly finalizedAt: Date | null;
  readonly completedAt: Date | null;
  readonly version: number;
}

export type NewImport = Omit<Import, 'id'>;

/** Number of items by state, camelCase as clients see them; `total` is their sum. Counted on read, until the items are deleted. */
export interface ImportCounts {
  readonly total: number;
  readonly awaitingUpload: number;
  readonly fetching: number;
  readonly processing: number;
  readonly ready: number;
  readonly imported: number;
  readonly duplicate: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface CountedImport extends Import {
  readonly counts: ImportCounts;
  /** Sum of the known sizes of the items. */
  readonly totalBytes: number;
}

/** Whether a file was a photo, be it new or one that the library has. */
export function hasPhotos({ imported, duplicate }: ImportCounts): boolean {
  return imported + duplicate > 0;
}

/** In code points. */
export const MAX_IMPORT_NAME = 200;
export const MAX_SOURCE = 100;
export const MAX_CLIENT_REF = 255;

/** Days an import stays open without activity. */
export const IDLE_DAYS = 7;

/** Days that the items of an import are retained after its end, and the import itself. */
const ITEM_RETENTION_DAYS = 90;
const IMPORT_RETENTION_DAYS = 365;

/** The items of imports that ended at `itemsOf` or before can be deleted, and imports that ended at `imports` or before. */
export interface OldEnough {
  readonly itemsOf: Date;
  readonly imports: Date;
}

export function oldEnough(at: Date): OldEnough {
  return { itemsOf: after(at, -ITEM_RETENTION_DAYS * DAY), imports: after(at, -IMPORT_RETENTION_DAYS * DAY) };
}

export function countItems(byStatus: ReadonlyMap<ImportPhotoStatus, number>): ImportCounts {
  const of = (status: ImportPhotoStatus) => byStatus.get(status) ?? 0;
  return {
    total: [...byStatus.values()].reduce((sum, count) => sum + count, 0),
    awaitingUpload: of('awaiting_upload'),
    fetching: of('fetching'),
    processing: of('processing'),
    ready: of('ready'),
    imported: of('imported'),
    duplicate: of('duplicate'),
    failed: of('failed'),
    cancelled: of('cancelled'),
  };
}

export function isEnded({ status }: Pick<Import, 'status'>): boolean {
  return importTransitions[status].length === 0;
}

/** 0 to 1: items with no work left ÷ all. A `duplicate` found before the import is finalized is provisional: it counts once published. */
export function progress({ status, counts }: Pick<CountedImport, 'status' | 'counts'>): number {
  if (isEnded({ status })) return 1;
  if (counts.total === 0) return 0;
  const done = counts.imported + counts.duplicate + counts.failed + counts.cancelled;
  return Math.round((done / counts.total) * 1000) / 1000;
}

export function requireOpen(subject: Import): void {
  if (subject.status === 'open') return;
  throw new DomainError('import_not_open', `This import is ${subject.status}. Start a new import.`, {
    status: subject.status,
  });
}

/** Any use keeps an import open for another week. */
export function touch(subject: Import, at: Date): Import {
  return { ...bumpVersion(subject, at), expiresAt: after(at, IDLE_DAYS * DAY) };
}

export function startProcessing(subject: Import, at: Date): Import {
  return { ...transition(subject, 'processing', at), finalizedAt: at };
}

export function cancel(subject: Import, at: Date): Import {
  return { ...transition(subject, 'cancelled', at), completedAt: at };
}

export function expire(subject: Import, at: Date): Import {
  return { ...transition(subject, 'expired', at), completedAt: at };
}

/** Completed, with or without errors, once no item has work left; otherwise unchanged. */
export function completeIfDone(subject: Import, counts: ImportCounts, at: Date): Import {
  if (subject.status !== 'processing') return subject;
  if (counts.awaitingUpload + counts.fetching + counts.processing + counts.ready > 0) return subject;
  return { ...transition(subject, counts.failed > 0 ? 'completed_with_errors' : 'completed', at), completedAt: at };
}

function transition(subject: Import, status: ImportStatus, at: Date): Import {
  if (!importTransitions[subject.status].includes(status)) {
    throw new DomainError('import_not_open', `This import is ${subject.status}.`, { status: subject.status });
  }
  return { ...bumpVersion(subject, at), status, expiresAt: null };
}

function bumpVersion(subject: Import, at: Date): Import {
  return { ...subject, updatedAt: at, version: subject.version + 1 };
}
