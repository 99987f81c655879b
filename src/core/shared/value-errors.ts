import type { FieldError } from './errors.js';
import { cleanText, codePoints, normalized } from './text.js';

/** For text that is stored as `cleanText` returns it: at most `max` code points. */
export function textErrors(field: string, text: string | null | undefined, max: number): FieldError[] {
  return verbatimErrors(field, text && normalized(text, 'NFC').trim(), max);
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

/** For a name or title, which must not be empty. */
export function requiredTextErrors(field: string, text: string | undefined, max: number): FieldError[] {
  if (text === undefined || cleanText(text) !== '') return textErrors(field, text, max);
  return [{ field, code: 'too_short', message: `${field} must not be empty.`, min: 1 }];
}

/** For the end of something that is being made, or kept: none, or in the future. */
export function expiryErrors(expiresAt: Date | null | undefined, now: Date): FieldError[] {
  if (expiresAt === null || expiresAt === undefined || expiresAt.getTime() > now.getTime()) return [];
  return [{ field: 'expiresAt', code: 'out_of_range', message: 'expiresAt must be in the future.' }];
}
