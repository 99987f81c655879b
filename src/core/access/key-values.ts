import type { FieldError } from '../shared/errors.js';
import { cleanText, codePoints } from '../shared/text.js';
import type { KeySettings } from './api-key.js';
import { explainRange } from './explain-range.js';
import { MAX_IP_ENTRIES, normalizeRange } from './ip-list.js';

export const MAX_KEY_NAME = 100;

/** The settings of a key as they are stored, or all problems with them. */
export function readKeySettings(settings: KeySettings): { settings: KeySettings; errors: readonly FieldError[] } {
  const name = cleanText(settings.name);
  const ranges = settings.ipList.map(normalizeRange);
  const errors = [
    ...nameErrors(name),
    ...rangeErrors(settings.ipList, ranges),
    ...limitErrors('readLimit', settings.readLimit),
    ...limitErrors('writeLimit', settings.writeLimit),
  ];
  const ipList = [...new Set(ranges.filter((range) => range !== null))];
  return { settings: { ...settings, name, ipList }, errors };
}

function nameErrors(name: string): FieldError[] {
  const length = codePoints(name);
  if (length >= 1 && length <= MAX_KEY_NAME) return [];
  return [
    {
      field: 'name',
      code: length === 0 ? 'required' : 'too_long',
      message: `name must have 1 to ${MAX_KEY_NAME} characters.`,
    },
  ];
}

function rangeErrors(entries: readonly string[], ranges: readonly (string | null)[]): FieldError[] {
  if (entries.length > MAX_IP_ENTRIES) {
    return [{ field: 'ipList', code: 'too_many', message: `An IP list has at most ${MAX_IP_ENTRIES} entries.` }];
  }
  return entries
    .filter((_, at) => ranges[at] === null)
    .map((entry) => ({ field: 'ipList', code: 'invalid_format', message: explainRange(entry) }));
}

/** Requests per minute that a key can be granted. */
export const MAX_KEY_LIMIT = 1_000_000;

function limitErrors(field: string, limit: number | null): FieldError[] {
  if (limit === null || (Number.isInteger(limit) && limit >= 0 && limit <= MAX_KEY_LIMIT)) return [];
  const message = `${field} must be 0 to ${MAX_KEY_LIMIT} requests per minute.`;
  return [{ field, code: 'out_of_range', message, min: 0, max: MAX_KEY_LIMIT }];
}
