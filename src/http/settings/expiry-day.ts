import { after, DAY } from '../../core/shared/clock.js';
import { type FieldError, invalid } from '../../core/shared/errors.js';

/** The problem of a form whose expiry date is none. */
export const wrongExpiryDay: FieldError = {
  field: 'expiresAt',
  code: 'invalid_format',
  message: 'Enter a date such as 2027-01-31.',
};

/** The last day, in UTC, on which something works that expires then; empty if it never does. */
export function lastDay(expiresAt: Date | null): string {
  return expiresAt === null ? '' : after(expiresAt, -1).toISOString().slice(0, 10);
}

/** The end of a day in UTC; undefined when it is not a date. */
export function endOf(day: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const at = new Date(`${day}T00:00:00.000Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day ? undefined : after(at, DAY);
}

/** When something expires by its last day as typed into a form; null for none. Errors: `invalid_request`. */
export function expiryOf(day: string): Date | null {
  if (day === '') return null;
  const end = endOf(day);
  if (end === undefined) throw invalid(wrongExpiryDay);
  return end;
}
