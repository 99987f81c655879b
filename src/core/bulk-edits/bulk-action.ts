import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { isTimeZone } from '../media/capture-time.js';
import { givenErrors, photoFields } from '../media/photo-fields.js';
import type { GeoPoint } from '../media/picture-metadata.js';
import { MAX_SHIFT_SECONDS } from '../photos/photo.js';
import { DAY, HOUR, MINUTE, SECOND } from '../shared/clock.js';
import { type FieldError, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { resolveTags } from '../tags/resolve-tags.js';
import { nameErrors, nameKeyOf, type TagName } from '../tags/tag.js';

/** The change to be made to each photo. Tags are stored with the names that they had. */
export type BulkAction = TagAction | ValueAction;
export type TagAction = { readonly kind: 'add_tags' | 'remove_tags'; readonly tags: readonly TagName[] };
type ValueAction =
  | { readonly kind: 'set_rating'; readonly rating: number | null }
  /** Without an altitude; null removes it. */
  | { readonly kind: 'set_location'; readonly location: Pick<GeoPoint, 'latitude' | 'longitude'> | null }
  /** Sets the clock forward or back, sets its zone, or both. A zone alone leaves the clock as it is. */
  | { readonly kind: 'shift_time'; readonly seconds: number; readonly timeZone: string | null }
  /** Clockwise, from how the photo is turned now. */
  | { readonly kind: 'rotate'; readonly degrees: number }
  | { readonly kind: 'trash' }
  | { readonly kind: 'restore' };

/** The action as a person asks for it: tags by their names. */
export type BulkActionInput = { readonly kind: TagAction['kind']; readonly tagNames: readonly string[] } | ValueAction;

const MAX_BULK_TAGS = 20;

/** Problems that do not depend on any photo. */
export function actionErrors(action: BulkActionInput): readonly FieldError[] {
  switch (action.kind) {
    case 'add_tags':
    case 'remove_tags':
      if (action.tagNames.length > 0 && action.tagNames.length <= MAX_BULK_TAGS) return [];
      return [range('tagNames', `Name 1 to ${MAX_BULK_TAGS} tags.`)];
    case 'set_rating':
      return givenErrors({ rating: action.rating });
    case 'set_location':
      return givenErrors({ location: action.location });
    case 'rotate':
      return [90, 180, 270].includes(action.degrees) ? [] : [range('degrees', 'degrees must be 90, 180 or 270.')];
    case 'shift_time':
      return shiftErrors(action.seconds, action.timeZone);
    default:
      return [];
  }
}

function shiftErrors(seconds: number, timeZone: string | null): readonly FieldError[] {
  if (!Number.isInteger(seconds) || Math.abs(seconds) > MAX_SHIFT_SECONDS) {
    return [range('seconds', 'Capture times can be shifted by at most a hundred years, in whole seconds.')];
  }
  if (timeZone !== null && !isTimeZone(timeZone)) {
    return [{ field: 'timeZone', code: 'invalid_format', message: 'timeZone must look like +01:00 or Europe/Paris.' }];
  }
  if (seconds !== 0 || timeZone !== null) return [];
  return [
    { field: 'seconds', code: 'required', message: 'Say by how much to shift capture times, or name a time zone.' },
  ];
}

function range(field: string, message: string): FieldError {
  return { field, code: 'out_of_range', message };
}

/** For people, as a heading. */
export function actionTitle(action: BulkAction): string {
  switch (action.kind) {
    case 'add_tags':
      return `Add ${tagNames(action.tags)}`;
    case 'remove_tags':
      return `Remove ${tagNames(action.tags)}`;
    case 'set_rating':
      return action.rating === null ? 'Remove rating' : `Rate ${action.rating} of ${photoFields.rating.max} stars`;
    case 'set_location':
      return action.location === null
        ? 'Remove location'
        : `Set location to ${action.location.latitude}, ${action.location.longitude}`;
    case 'shift_time': {
      const zone = action.timeZone && `set time zone ${action.timeZone}`;
      const shift = action.seconds !== 0 && `shift capture time by ${durationText(action.seconds)}`;
      const text = [shift, zone].filter(Boolean).join(' and ');
      return text.charAt(0).toUpperCase() + text.slice(1);
    }
    case 'rotate':
      return `Rotate by ${action.degrees}°`;
    case 'trash':
      return 'Move to the trash';
    case 'restore':
      return 'Restore from the trash';
  }
}

function tagNames(tags: readonly TagName[]): string {
  return `${tags.length === 1 ? 'tag' : 'tags'} ${tags.map(({ name }) => `“${name}”`).join(', ')}`;
}

/** `+1 d 2 h`, `−30 min` */
function durationText(seconds: number): string {
  const units = [
    [DAY, 'd'],
    [HOUR, 'h'],
    [MINUTE, 'min'],
    [SECOND, 's'],
  ] as const;
  let rest = Math.abs(seconds) * SECOND;
  const parts = units.flatMap(([length, unit]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? [] : [`${count} ${unit}`];
  });
  return `${seconds < 0 ? '−' : '+'}${parts.join(' ')}`;
}

/**
 * The action with the tags that it names: those that are to be added are created if necessary, those that are to be removed must exist. The
 * customer must be locked. Errors: `invalid_request` (`unknown_tag`), `scope_required`, `limit_reached`.
 */
export async function storedAction(
  transaction: Transaction<'tags' | 'customer' | 'outbox'>,
  caller: Caller,
  input: BulkActionInput,
  options: { limits: Limits; at: Date },
): Promise<BulkAction> {
  if (!('tagNames' in input)) return input;
  const { kind, tagNames } = input;
  requireValid(nameErrors({ tagNames }));
  const { tags } = transaction;
  let ids: readonly Id[];
  if (kind === 'add_tags') ids = await resolveTags(transaction, caller, { tagNames }, options);
  else {
    const keys = tagNames.map((name) => nameKeyOf(name) ?? '');
    const known = await tags.findByNameKeys([...new Set(keys)]);
    const unknown = tagNames.filter((_, at) => !known.some(({ nameKey }) => nameKey === keys[at]));
    const error = { field: 'tagNames', code: 'unknown_tag' } as const;
    requireValid(unknown.map((name) => ({ ...error, message: `There is no tag “${name}”.` })));
    ids = known.map(({ id }) => id);
  }
  return { kind, tags: (await tags.getMany(ids)).map(({ id, name }) => ({ id, name })) };
}
