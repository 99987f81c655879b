import type { EnvironmentReader } from './environment-reader.js';

/** Segments of a path in characters that no proxy encodes or resolves. */
const PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*$/;

/** First segments of paths of the service that would be another one of its paths without what is in front. */
const taken = ['.well-known', 'docs', 'healthz', 'openapi.json', 'operator', 'readyz', 'settings'];

/** The address that clients use, without a trailing slash. Problems say what to do, without the value: it may contain a password. */
export function readPublicUrl(read: EnvironmentReader, fallback: string): string {
  const name = 'PUBLIC_URL';
  // A URL would resolve `..`, and drop an empty query.
  const text = read.url(name, ['http:', 'https:']);
  if (text === null) return fallback;
  const { origin, username, password } = new URL(text);
  if (username !== '' || password !== '' || text.includes('@')) {
    read.problem(`${name} must not contain a user name or password: remove everything from the slashes to the @.`);
    return fallback;
  }
  if (/[?#]/.test(text)) {
    read.problem(`${name} must end with its host or its path: remove everything from the first ? or # on.`);
    return fallback;
  }
  const path = text.replace(/^[^:]*:\/\/[^/\\]*/, '').replace(/\/{1,9}$/, '');
  if (!PATH.test(path)) {
    read.problem(
      `${name}: choose a path of letters, digits, ".", "_", "~" and "-", such as https://example.com/photos, without "..", empty segments and encoded characters.`,
    );
    return fallback;
  }
  if (/\/api\/v1(\/|$)/.test(path)) {
    read.problem(`${name} must not contain /api/v1, which clients add themselves: remove it.`);
    return fallback;
  }
  const root = path.split('/')[1] ?? '';
  if (taken.includes(root)) {
    read.problem(
      `${name}: the path must not begin with /${root}, which the service uses itself. Choose another one, such as /photos.`,
    );
    return fallback;
  }
  return `${origin}${path}`;
}
