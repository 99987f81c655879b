/** How instants look on the wire: RFC 3339, UTC, milliseconds (API.md §4.1). */
export function instant(at: Date): string {
  return at.toISOString();
}

export function optionalInstant(at: Date | null): string | null {
  return at?.toISOString() ?? null;
}
