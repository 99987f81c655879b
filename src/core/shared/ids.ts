/** A whole number from 1 to 2^53−1, never reused. */
export type Id = number;

/** Parses an id in a path or list: decimal ASCII digits, no sign, no leading zero. Null for anything else. */
export function parseId(text: string): Id | null {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

export function isId(value: unknown): value is Id {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}
