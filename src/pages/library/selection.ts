import type { Caller } from '../../core/access/caller.js';
import type { BulkActionInput } from '../../core/bulk-edits/bulk-action.js';
import type { BulkEdit } from '../../core/bulk-edits/bulk-edit.js';
import { runBulkEdit } from '../../core/bulk-edits/run-bulk-edit.js';
import { readBulkEdit, startBulkEdit } from '../../core/bulk-edits/start-bulk-edit.js';
import { listPhotos } from '../../core/photos/list-photos.js';
import type { PhotoFilters } from '../../core/photos/photo-query.js';
import { purgePhotos } from '../../core/photos/trash.js';
import type { Ports } from '../../core/ports.js';
import { invalid } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { createTag } from '../../core/tags/create-tags.js';
import { editTag } from '../../core/tags/edit-tag.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { type Formats } from '../formats.js';

/** Maximum number of photos that one form deletes or shares. */
const MAX_AT_ONCE = 1000;

/** Photos that were chosen one by one, or the filters that all match. */
export type Selection = readonly Id[] | PhotoFilters;

/** Errors: `invalid_request` when too many are selected. Invalid ids are ignored. */
export function selectedIds(texts: readonly string[], most = MAX_AT_ONCE): readonly Id[] {
  const ids = [...new Set(texts.flatMap((text) => parseId(text) ?? []))];
  if (ids.length <= most) return ids;
  const message = `Select at most ${most} photos at once.`;
  throw invalid({ field: 'ids', code: 'too_many', message, max: most });
}

/** Their ids. Errors: `invalid_request` when more photos are selected than can be deleted or shared at once. */
export async function fewSelected(ports: Ports, caller: Caller, selection: Selection): Promise<readonly Id[]> {
  const ids = 'length' in selection ? selection : await matchingIds(ports, caller, selection);
  if (ids.length <= MAX_AT_ONCE) return ids;
  const message = `Select at most ${MAX_AT_ONCE} photos for this.`;
  throw invalid({ field: 'ids', code: 'too_many', message, max: MAX_AT_ONCE });
}

/** At most one more than are allowed at once. */
async function matchingIds(ports: Ports, caller: Caller, filters: PhotoFilters): Promise<readonly Id[]> {
  const request = { filters, sort: 'id', limit: MAX_AT_ONCE + 1, cursor: null } as const;
  return (await listPhotos(ports, caller, request)).data.map(({ id }) => id);
}

/**
 * Starts an edit of the selection, and makes its first changes: of few photos, those are all, and the page that follows shows them. Errors:
 * those of `startBulkEdit`.
 */
export async function editSelected(
  ports: Ports,
  caller: Caller,
  action: BulkActionInput,
  selection: Selection,
): Promise<BulkEdit> {
  const chosen = 'length' in selection ? { photoIds: selection } : { filters: selection };
  const { id } = await startBulkEdit(ports, caller, action, chosen);
  await runBulkEdit(ports, caller.customerId, id);
  return readBulkEdit(ports, caller, id);
}

/** Permanently deletes photos, and says how many there were. */
export async function deleteSelected(
  formats: Formats,
  ports: Ports,
  caller: Caller,
  ids: readonly Id[],
): Promise<string> {
  const results = await purgePhotos(ports, caller, ids);
  const removed = results.filter(({ outcome }) => outcome === 'deleted');
  return `${formats.pluralize(removed.length, 'photo')} permanently deleted.`;
}

/** Adds the tag of this name to one photo; it is created if necessary. Errors: `invalid_request`, `limit_reached`. */
export async function addTag(ports: Ports, caller: Caller, id: Id, name: string): Promise<void> {
  const { tag } = await createTag(ports, caller, { name }, 'return');
  await editTag(ports, caller, tag.id, { addPhotoIds: [id] });
}

export const editButtons = [
  'tag',
  'untag',
  'rate',
  'shift',
  'rotate-left',
  'rotate-half',
  'rotate-right',
  'trash',
  'restore',
] as const;
export type EditButton = (typeof editButtons)[number];

export function isEditButton(text: string): text is EditButton {
  return (editButtons as readonly string[]).includes(text);
}

/** The action of a button, with the fields beside it. What is not a number is out of range. */
export function sentAction(button: EditButton, form: FormFields): BulkActionInput {
  switch (button) {
    case 'tag':
      return { kind: 'add_tags', tagNames: [form.text('tag', FieldLength.line)] };
    case 'untag':
      return { kind: 'remove_tags', tagNames: [form.text('tag', FieldLength.line)] };
    case 'rate': {
      const rating = form.text('rating', FieldLength.word);
      return { kind: 'set_rating', rating: rating === '' ? null : Number(rating) };
    }
    case 'shift':
      return {
        kind: 'shift_time',
        seconds: sentSeconds(form),
        timeZone: form.text('timeZone', FieldLength.line).trim() || null,
      };
    case 'rotate-left':
      return { kind: 'rotate', degrees: 270 };
    case 'rotate-half':
      return { kind: 'rotate', degrees: 180 };
    case 'rotate-right':
      return { kind: 'rotate', degrees: 90 };
    case 'trash':
    case 'restore':
      return { kind: button };
  }
}

const unitSeconds = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const;

/** Later by so many seconds, or earlier if negative, as `ShiftFields` sends them. */
export function sentSeconds(form: FormFields): number {
  const sum = Object.entries(unitSeconds).reduce(
    (total, [name, length]) => total + Number(form.text(name, FieldLength.line)) * length,
    0,
  );
  // No −0.
  return form.text('direction', FieldLength.word) === 'back' ? 0 - sum : sum;
}
