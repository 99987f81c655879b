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
  return `${day}T${second}.${digits(at.getUTCMilliseconds(), 3)}Z`;
}

function digits(value: number, count = 2): string {
  return String(value).padStart(count, '0');
}

export function optionalInstant(at: Date | null): string | null {
  return at && instant(at);
}
