import { isDeepStrictEqual } from 'node:util';
import { applyPatch, changedBy, type PhotoPatch } from '../photos/edit-photo.js';
import { isTrashed, type Photo, type PhotoWithTags, type Rotation, restore, rotate, trash } from '../photos/photo.js';
import type { Place } from '../photos/places.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Reader } from '../shared/transactional.js';
import type { BulkAction, TagAction } from './bulk-action.js';
import type { BulkChange, BulkFailureReason, ChangedValues } from './bulk-edit.js';

/** A photo after an action, not stored yet. */
interface EditedPhoto {
  readonly photo: Photo;
  /** Null: it keeps its tags. */
  readonly tagIds: readonly Id[] | null;
  readonly change: Omit<BulkChange, 'photoId'>;
}

/** The values that are the same for all photos of a batch. */
export interface EditContext {
  readonly transaction: Reader<'customer'>;
  readonly at: Date;
  readonly retentionDays: number;
  readonly tagsPerPhoto: number;
  /** The action's tags that still exist. */
  readonly tagIds: readonly Id[];
  /** The names of the action's location. */
  readonly place: Place | null;
}

/** The photo after the action, or why it stays as it is. */
export async function edited(
  context: EditContext,
  action: BulkAction,
  photo: PhotoWithTags,
): Promise<EditedPhoto | 'unchanged' | BulkFailureReason> {
  if (action.kind === 'trash' || action.kind === 'restore') {
    if (isTrashed(photo) === (action.kind === 'trash')) return 'unchanged';
  } else if (isTrashed(photo)) return 'in_trash';
  if ('tags' in action) return tagged(context, action.kind, photo);
  if (action.kind === 'trash') return withChange(action, photo, trash(photo, context.at, context.retentionDays));
  const patch = patchOf(action, photo);
  if (patch === null) return 'no_capture_time';
  try {
    const patched = await applyPatch(context.transaction, photo, patch);
    const next = action.kind === 'set_location' ? { ...patched, place: context.place } : patched;
    return isDeepStrictEqual(next, photo) ? 'unchanged' : withChange(action, photo, next);
  } catch (error) {
    // The only rule of a patch without errors that depends on the photo.
    if (error instanceof DomainError && error.code === 'invalid_request') return 'capture_time_out_of_range';
    throw error;
  }
}

/**
 * The photo as it was before one change of an edit that is undone, or null if it is left alone (`kept`): the photo no longer has what the edit set,
 * nothing is left to take back, it is in the trash (unless that is undone), or it would have too many tags. Other changes since do not matter.
 * `undoBulkEdit` (manage-bulk-edits.ts) begins an undo, `revertPhotos` (run-bulk-edit.ts) asks this for each change.
 */
export function reverted(
  { at, retentionDays, tagIds, tagsPerPhoto }: EditContext,
  { kind }: BulkAction,
  photo: PhotoWithTags,
  { before, after }: Omit<BulkChange, 'photoId'>,
): Pick<EditedPhoto, 'photo' | 'tagIds'> | null {
  if (kind === 'add_tags' || kind === 'remove_tags') {
    if (isTrashed(photo)) return null;
    const had = photo.tags.map(({ id }) => id);
    const added = idsIn(before).filter((id) => tagIds.includes(id) && !had.includes(id));
    const next = [...had.filter((id) => !idsIn(after).includes(id)), ...added];
    const isSame = added.length === 0 && next.length === had.length;
    return isSame || next.length > tagsPerPhoto ? null : { photo, tagIds: next };
  }
  if (!isDeepStrictEqual(valuesOf(kind, photo), after)) return null;
  if (kind === 'trash') return { photo: restore(photo), tagIds: null };
  if (isTrashed(photo)) return null;
  if (kind === 'restore') return { photo: trash(photo, at, retentionDays), tagIds: null };
  const { takenAt, ...values } = before;
  const turned = kind === 'rotate' ? rotate(photo, before['rotation'] as Rotation) : photo;
  const time = takenAt === undefined ? {} : { takenAt: takenAt === null ? null : new Date(String(takenAt)) };
  return { photo: { ...turned, ...values, ...time }, tagIds: null };
}

function tagged(
  { tagIds, tagsPerPhoto }: EditContext,
  kind: 'add_tags' | 'remove_tags',
  photo: PhotoWithTags,
): EditedPhoto | 'unchanged' | BulkFailureReason {
  if (tagIds.length === 0) return 'tag_deleted';
  const had = photo.tags.map(({ id }) => id);
  const added = kind === 'add_tags' ? tagIds.filter((id) => !had.includes(id)) : [];
  const removed = kind === 'remove_tags' ? tagIds.filter((id) => had.includes(id)) : [];
  if (added.length + removed.length === 0) return 'unchanged';
  const next = [...had.filter((id) => !removed.includes(id)), ...added];
  if (next.length > tagsPerPhoto) return 'too_many_tags';
  return { photo, tagIds: next, change: { before: { tagIds: removed }, after: { tagIds: added } } };
}

/** Null: a photo without a capture time has none that could be shifted. */
function patchOf(action: Exclude<BulkAction, TagAction | { kind: 'trash' }>, photo: Photo): PhotoPatch | null {
  switch (action.kind) {
    case 'set_rating':
      return { rating: action.rating };
    case 'set_location':
      return { location: action.location };
    case 'rotate':
      return { rotation: (photo.rotation + action.degrees) % 360 };
    case 'restore':
      return { trashed: false };
    case 'shift_time': {
      if (photo.takenAtLocal === null) return null;
      const { seconds, timeZone } = action;
      return { ...(timeZone !== null && { timeZone }), ...(seconds !== 0 && { shiftTakenAt: { seconds } }) };
    }
  }
}

function withChange({ kind }: Exclude<BulkAction, TagAction>, photo: PhotoWithTags, next: Photo): EditedPhoto {
  return { photo: next, tagIds: null, change: { before: valuesOf(kind, photo), after: valuesOf(kind, next) } };
}

/** The fields that an action concerns, but for tags. What follows from a rotation is turned back with it. */
const concerned: Readonly<Record<Exclude<BulkAction['kind'], TagAction['kind']>, readonly (keyof Photo)[]>> = {
  set_rating: changedBy.rating,
  set_location: changedBy.location,
  shift_time: changedBy.shiftTakenAt,
  rotate: ['rotation'],
  trash: ['trashedAt'],
  restore: ['trashedAt'],
};

/** The values of these fields, instants as text. */
function valuesOf(kind: keyof typeof concerned, photo: Photo): ChangedValues {
  const values = concerned[kind].map((name) => [
    name,
    photo[name] instanceof Date ? photo[name].toISOString() : photo[name],
  ]);
  return Object.fromEntries(values);
}

function idsIn({ tagIds }: ChangedValues): readonly Id[] {
  return Array.isArray(tagIds) ? tagIds : [];
}
