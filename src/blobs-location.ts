import type { EnvironmentReader } from './environment-reader.js';

/** Null unless nginx, as the only trusted proxy, sends stored files itself. */
export function readBlobsLocation(read: EnvironmentReader): string | null {
  const name = 'NGINX_BLOBS_LOCATION';
  if (!read.has(name)) return null;
  const location = read.text(name, '');
  if (!/^(\/[A-Za-z0-9_-]+)+$/.test(location)) {
    read.problem(`${name} must be a path such as /stored-blobs, without a trailing slash, not "${location}".`);
  }
  if (!read.has('TRUSTED_PROXIES'))
    read.problem(`TRUSTED_PROXIES must be set because ${name} is: only trusted proxies may use it.`);
  if (read.text('BLOB_STORE', 'local') !== 'local')
    read.problem(`${name} requires BLOB_STORE=local: nginx reads files.`);
  return location;
}
