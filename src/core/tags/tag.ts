import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { CONTROL_CHARACTERS, codePoints, compareText, foldKey, normalized } from '../shared/text.js';

export interface Tag {
  readonly id: Id;
  readonly customerId: Id;
  readonly name: string;
  /** Unique per customer: `foldKey` of the name. Also the sort key of names. */
  readonly nameKey: string;
  /** `#rrggbb`, lower case. */
  readonly color: string | null;
  readonly description: string | null;
  /** Photos outside the trash that have it; updated in the transaction that changes it. */
  readonly photoCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

export interface TagName {
  readonly id: Id;
  readonly name: string;
}

export type NewTag = Pick<Tag, 'name' | 'nameKey' | 'color' | 'description' | 'createdAt'>;

export const MAX_TAG_NAME = 100;
export const MAX_TAG_DESCRIPTION = 1000;

/** NFC, trimmed, inner white space collapsed; 1 to 100 code points of valid Unicode, no control characters. Errors: `invalid_request`. */
export function parseTagName(name: string, field: string): string {
  const error = tagNameError(name, field);
  if (error !== null) throw invalid(error);
  return cleanName(name);
}

/** Why `parseTagName` refuses a name, or null. */
export function tagNameError(name: string, field: string): FieldError | null {
  if (hasForbiddenCharacters(name)) {
    const message = `${field} must be valid Unicode text without control characters.`;
    return { field, code: 'invalid_format', message };
  }
  const length = codePoints(cleanName(name));
  if (length >= 1 && length <= MAX_TAG_NAME) return null;
  return {
    field,
    code: length === 0 ? 'too_short' : 'too_long',
    message: `${field} must have 1 to ${MAX_TAG_NAME} characters.`,
    min: 1,
    max: MAX_TAG_NAME,
  };
}

/** The key of what `parseTagName` would return; null if it would refuse characters of the name. */
export function nameKeyOf(name: string): string | null {
  return hasForbiddenCharacters(name) ? null : foldKey(cleanName(name));
}

function hasForbiddenCharacters(name: string): boolean {
  return CONTROL_CHARACTERS.test(name) || !name.isWellFormed();
}

function cleanName(name: string): string {
  return normalized(name, 'NFC').trim().replace(/\s+/gu, ' ');
}

/** By name key, then id: the order of tags wherever they are listed. */
export function byName(a: TagName, b: TagName): number {
  return compareText(foldKey(a.name), foldKey(b.name)) || a.id - b.id;
}
