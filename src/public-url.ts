import type { EnvironmentReader } from './environment-reader.js';

/** Segments of a path in characters that no proxy encodes or resolves. */
const PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*$/;

/** First segments of paths of the service that would be another one of its paths without what is in front. */
const taken = ['.well-known', 'docs', 'healthz', 'openapi.json', 'operator', 'readyz', 'settings'];

/** The address that clients use, without a trailing slash. */
export function readPublicUrl(read: EnvironmentReader, fallback: string): string {
  const text = read.url('PUBLIC_URL', ['http:', 'https:']);
  if (text === null) return fallback;
  // Not of a URL, which would resolve `..`, and encode what it does not take.
  const path = text.replace(/^[^:]*:\/\/[^/\\]*/, '').replace(/\/{1,9}$/, '');
  const problem = problemOf(text, path);
  if (problem !== null) read.problem(`PUBLIC_URL ${problem}`);
  return problem === null ? `${new URL(text).origin}${path}` : fallback;
}

/** What to do about the value, which is not repeated: it may contain a password. */
function problemOf(text: string, path: string): string | null {
  if (text.includes('@'))
    return 'must not contain a user name or password: remove everything from the slashes to the @.';
  if (/[?#]/.test(text)) return 'must end with its host or its path: remove everything from the first ? or # on.';
  if (!PATH.test(path)) {
    return 'must have a path of letters, digits, ".", "_", "~" and "-", such as https://example.com/photos, without "..", empty segments and encoded characters, or none.';
  }
  if (/\/api\/v1(\/|$)/.test(path)) return 'must not contain /api/v1, which clients add themselves: remove it.';
  const root = path.split('/')[1] ?? '';
  if (!taken.includes(root)) return null;
  return `must not have a path that begins with /${root}, which the service uses itself: choose another one, such as /photos.`;
}
