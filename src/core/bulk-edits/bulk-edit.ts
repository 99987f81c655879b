import type { Actor } from '../audit/audit-entry.js';
import type { GeoPoint } from '../media/picture-metadata.js';
import type { PhotoFilters } from '../photos/photo-query.js';
import type { Place } from '../photos/places.js';
import { DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { BulkAction } from './bulk-action.js';

/** One action on many photos, applied in the background. */
export interface BulkEdit {
  readonly customerId: Id;
  readonly id: Id;
  readonly action: BulkAction;
  /** It concerns the photos that match; null: photos that were chosen one by one (`BulkEditReads.chosenPhotos`). */
  readonly filters: PhotoFilters | null;
  /** Number of photos that it concerned when it was started. */
  readonly total: number;
  /** `undoing` follows when a person undoes it, also before its end; `failed` when it was given up halfway. */
  readonly state: 'running' | 'done' | 'failed' | 'undoing' | 'undone';
  /** Photos up to this id have been processed in this state; null: none. */
  readonly lastPhotoId: Id | null;
  readonly changed: number;
  readonly unchanged: number;
  readonly failures: readonly BulkFailure[];
  /** Photos that are again as they were. */
  readonly undone: number;
  /** Photos that undoing left alone, because they have been changed in the same respect, moved to the trash or deleted since. */
  readonly kept: number;
  readonly actor: Actor;
  readonly undoneBy: Actor | null;
  readonly createdAt: Date;
  /** When all photos had been processed, in the last state that needs work. */
  readonly endedAt: Date | null;
}

export type NewBulkEdit = Pick<BulkEdit, 'action' | 'filters' | 'total' | 'actor' | 'createdAt'>;

export const bulkFailureReasons = [
  'not_found',
  'in_trash',
  'tag_deleted',
  'too_many_tags',
  'no_capture_time',
  'capture_time_out_of_range',
] as const;
export type BulkFailureReason = (typeof bulkFailureReasons)[number];

export interface BulkFailure {
  readonly reason: BulkFailureReason;
  readonly count: number;
  /** The first ones. */
  readonly photoIds: readonly Id[];
}

/** The fields that an action concerns, as JSON; of tags, only the ids of those that it removed (before) and added (after). */
export type ChangedValues = Readonly<Record<string, string | number | null | readonly Id[] | GeoPoint | Place>>;

export interface BulkChange {
  readonly photoId: Id;
  readonly before: ChangedValues;
  readonly after: ChangedValues;
}

/** Photos that can be chosen one by one for one edit. A query may match more. */
export const MAX_CHOSEN_PHOTOS = 10_000;
/** Edits of one customer that may be in progress at a time. */
export const MAX_ACTIVE_EDITS = 5;
/** Period in which an edit can be undone; afterwards it is deleted. */
export const BULK_EDIT_MS = 7 * DAY;
/** Photos per transaction: a fraction of a second, during which no one else can change them. */
export const BULK_BATCH = 100;
/** Photos that are named for each reason. */
export const NAMED_FAILURES = 20;

export function isActive({ state }: Pick<BulkEdit, 'state'>): boolean {
  return state === 'running' || state === 'undoing';
}

export function canBeUndone({ state, changed }: Pick<BulkEdit, 'state' | 'changed'>): boolean {
  return state === 'running' || ((state === 'done' || state === 'failed') && changed > 0);
}

/** Returns how many photos have been processed, and of how many, in the present state. */
export function progressOf(edit: BulkEdit): { readonly processed: number; readonly total: number } {
  if (edit.state === 'undoing' || edit.state === 'undone') {
    return { processed: edit.undone + edit.kept, total: edit.changed };
  }
  const failed = edit.failures.reduce((sum, { count }) => sum + count, 0);
  return { processed: edit.changed + edit.unchanged + failed, total: edit.total };
}
