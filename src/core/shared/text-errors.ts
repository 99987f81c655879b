import type { FieldError } from './errors.js';
import { codePoints } from './text.js';

/** For text that is stored as `cleanText` returns it: at most `max` code points. */
export function textErrors(field: string, text: string | null | undefined, max: number): FieldError[] {
  return verbatimErrors(field, text?.normalize('NFC').trim(), max);
}

/** For text that is stored unchanged, because it belongs to the client. */
export function verbatimErrors(field: string, text: string | null | undefined, max: number): FieldError[] {
  if (text === null || text === undefined) return [];
  if (text.includes('\u0000') || !text.isWellFormed()) {
    return [{ field, code: 'invalid_format', message: `${field} must be valid Unicode text without NUL.` }];
  }
  if (codePoints(text) <= max) return [];
  return [{ field, code: 'too_long', message: `${field} must have at most ${max} characters.`, max }];
}
