/** Both, one after the other. */
export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** RFC 4648, section 5, without padding. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}

/** Throws for a text that is not base64url. */
export function fromBase64url(text: string): Uint8Array {
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
}

/** Throws for a text that is not base64. */
export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** The minimum rate of bytes from outside, in bytes a second, over each of so many milliseconds. */
export const LEAST_RATE = 1024;
export const RATE_OVER_MS = 60_000;

/**
 * The same bytes, unless they arrive too slowly: who sends them occupies something that others wait for. Silence is for the caller to limit:
 * the rate is looked at when bytes arrive. @param now Milliseconds of a monotonic clock.
 */
export async function* notSlower<T extends Uint8Array>(
  bytes: AsyncIterable<T>,
  tooSlow: () => Error,
  now: () => number,
): AsyncGenerator<T, void, undefined> {
  let [since, received] = [now(), 0];
  for await (const chunk of bytes) {
    received += chunk.length;
    const elapsed = now() - since;
    if (elapsed >= RATE_OVER_MS) {
      if (received < (LEAST_RATE * elapsed) / 1000) throw tooSlow();
      [since, received] = [now(), 0];
    }
    yield chunk;
  }
}

/** One spelling for equal plain data: the order of keys does not matter, absent and undefined are the same. */
export function canonical(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
    .join()}}`;
}
