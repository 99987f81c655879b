import type { Caller } from '../../../core/access/caller.js';
import { editPhotos } from '../../../core/photos/edit-photos.js';
import type { PhotoDeletionResult } from '../../../core/photos/photo-deletions.js';
import { purgePhotos } from '../../../core/photos/purge-photos.js';
import { trashPhotos } from '../../../core/photos/trash-photos.js';
import type { Ports } from '../../../core/ports.js';
import { invalid } from '../../../core/shared/errors.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { createTag } from '../../../core/tags/create-tag.js';
import { editTag } from '../../../core/tags/edit-tag.js';
import type { Flash } from '../browser-session.js';
import { pluralize } from '../counted.js';

/** Maximum number of photos that one form changes; the same as for the bulk tools of tags. */
const MAX_SELECTED = 1000;

/** Errors: `invalid_request` when too many are selected. Invalid ids are ignored. */
export function selectedIds(texts: readonly string[]): readonly Id[] {
  const ids = [...new Set(texts.flatMap((text) => parseId(text) ?? []))];
  if (ids.length <= MAX_SELECTED) return ids;
  const message = `Select at most ${MAX_SELECTED} photos at once.`;
  throw invalid({ field: 'ids', code: 'too_many', message, max: MAX_SELECTED });
}

/** The actions whose buttons are below the photos. */
export type SelectionAction = 'tag' | 'trash' | 'restore' | 'delete';

interface Selection {
  readonly ids: readonly Id[];
  /** For the action `tag`. */
  readonly tag: string;
  /** The form of an action on other photos of the same list. */
  readonly path: (what: SelectionAction) => string;
}

/** Applies a person's action to these photos, and reports what was done. Photos that no longer exist are ignored. */
export async function changeSelected(
  ports: Ports,
  caller: Caller,
  what: string,
  { ids, tag, path }: Selection,
): Promise<Omit<Flash, 'kind'>> {
  if (what === 'tag') return { text: await addTag(ports, caller, ids, tag) };
  if (what === 'trash') {
    const moved = deleted(await trashPhotos(ports, caller, ids));
    const text = `${pluralize(moved.length, 'photo')} moved to the trash.`;
    if (moved.length === 0) return { text };
    return { text, undo: { action: path('restore'), field: 'ids', values: moved.map(String) } };
  }
  if (what === 'restore') {
    const results = await editPhotos(ports, caller, ids, { trashed: false });
    return { text: `${pluralize(results.filter(({ outcome }) => outcome === 'updated').length, 'photo')} restored.` };
  }
  if (what === 'delete') {
    const removed = deleted(await purgePhotos(ports, caller, ids));
    return { text: `${pluralize(removed.length, 'photo')} permanently deleted.` };
  }
  throw invalid({ field: 'do', code: 'invalid_format', message: 'Choose an action for these photos.' });
}

/** Adds the tag of this name to photos; it is created if necessary. Errors: `invalid_request`, `limit_reached`. */
export async function addTag(ports: Ports, caller: Caller, ids: readonly Id[], name: string): Promise<string> {
  const { tag } = await createTag(ports, caller, { name }, 'return');
  const { changes } = await editTag(ports, caller, tag.id, { addPhotoIds: ids });
  const full = changes?.full.length ?? 0;
  const said = `${pluralize(changes?.added ?? 0, 'photo')} tagged “${tag.name}”.`;
  return full === 0 ? said : `${said} ${pluralize(full, 'photo')} already had the maximum number of tags.`;
}

function deleted(results: readonly PhotoDeletionResult[]): readonly Id[] {
  return results.filter(({ outcome }) => outcome === 'deleted').map(({ id }) => id);
}
