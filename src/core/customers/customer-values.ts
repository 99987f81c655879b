import { isTimeZone } from '../media/capture-time.js';
import type { FieldError } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import { textErrors } from '../shared/value-errors.js';

export const MAX_CUSTOMER_NAME = 200;

export function nameErrors(name: string): FieldError[] {
  if (cleanText(name) !== '') return textErrors('name', name, MAX_CUSTOMER_NAME);
  return [{ field: 'name', code: 'required', message: `name must have 1 to ${MAX_CUSTOMER_NAME} characters.` }];
}

export function zoneErrors(timeZone: string, field = 'timeZone'): FieldError[] {
  if (isTimeZone(timeZone) && !/^[+-]/.test(timeZone)) return [];
  const message = `${field} must be an IANA name such as Europe/Paris.`;
  return [{ field, code: 'invalid_format', message }];
}

export const MAX_RETENTION_DAYS = 365;

export function retentionErrors(days: number): FieldError[] {
  if (Number.isInteger(days) && days >= 1 && days <= MAX_RETENTION_DAYS) return [];
  const message = `The trash retention must be 1 to ${MAX_RETENTION_DAYS} days.`;
  return [{ field: 'trashRetentionDays', code: 'out_of_range', message, min: 1, max: MAX_RETENTION_DAYS }];
}

/** Null is no quota. */
export function quotaErrors(field: string, quota: number | null): FieldError[] {
  if (quota === null || (Number.isSafeInteger(quota) && quota >= 0)) return [];
  return [{ field, code: 'out_of_range', message: `${field} must be a whole number, 0 or greater.`, min: 0 }];
}
