import type { FieldError } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import { expiryErrors, textErrors } from '../shared/value-errors.js';
import type { KeySettings } from './api-key.js';
import { readIpList } from './read-ip-list.js';

export const MAX_KEY_NAME = 100;

/**
 * The settings of a key as they are stored, or all problems with them. @param before The settings that they replace: an expiry in the past
 * may stay.
 */
export function readKeySettings(
  settings: KeySettings,
  now: Date,
  before: Pick<KeySettings, 'expiresAt'> | null = null,
): { settings: KeySettings; errors: readonly FieldError[] } {
  const name = cleanText(settings.name);
  const { ipList, errors: ofIpList } = readIpList(settings.ipList);
  const isSameExpiry = before?.expiresAt?.getTime() === settings.expiresAt?.getTime();
  const errors = [
    ...nameErrors(settings.name),
    ...(isSameExpiry ? [] : expiryErrors(settings.expiresAt, now)),
    ...ofIpList,
    ...limitErrors('readLimit', settings.readLimit),
    ...limitErrors('writeLimit', settings.writeLimit),
  ];
  return { settings: { ...settings, name, ipList }, errors };
}

/** Of settings as they were read, those that were given: another person or program may have changed the others by now. */
export function givenSettings<Settings extends object>(read: Settings, given: Partial<Settings>): Partial<Settings> {
  const isGiven = ([name]: [string, unknown]) => given[name as keyof Settings] !== undefined;
  return Object.fromEntries(Object.entries(read).filter(isGiven)) as Partial<Settings>;
}

function nameErrors(name: string): FieldError[] {
  if (cleanText(name) !== '') return textErrors('name', name, MAX_KEY_NAME);
  return [{ field: 'name', code: 'required', message: `name must have 1 to ${MAX_KEY_NAME} characters.` }];
}

/** Requests per minute that a key can be granted. */
export const MAX_KEY_LIMIT = 1_000_000;

function limitErrors(field: string, limit: number | null): FieldError[] {
  if (limit === null || (Number.isInteger(limit) && limit >= 0 && limit <= MAX_KEY_LIMIT)) return [];
  const message = `${field} must be 0 to ${MAX_KEY_LIMIT} requests per minute.`;
  return [{ field, code: 'out_of_range', message, min: 0, max: MAX_KEY_LIMIT }];
}
