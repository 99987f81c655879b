/**
 * The format of instants in responses: RFC 3339, UTC, milliseconds. Built here, in half the time of `toISOString`: a page of photos has
 * hundreds of them.
 */
export function instant(at: Date): string {
  const year = at.getUTCFullYear();
  // Others have six digits and a sign; for an invalid date it throws.
  if (!(year >= 1000 && year <= 9999)) return at.toISOString();
  const day = `${year}-${digits(at.getUTCMonth() + 1)}-${digits(at.getUTCDate())}`;
  const second = `${digits(at.getUTCHours())}:${digits(at.getUTCMinutes())}:${digits(at.getUTCSeconds())}`;
  return `${day}T${second}.${String(at.getUTCMilliseconds()).padStart(3, '0')}Z`;
}

/** Looked up, since a page has a thousand of these numbers. */
const TWO_DIGITS = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));

function digits(value: number): string {
  return TWO_DIGITS[value] as string;
}

export function optionalInstant(at: Date | null): string | null {
  return at && instant(at);
}
