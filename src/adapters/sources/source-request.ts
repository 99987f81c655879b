import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { SourceRequest } from '../../core/imports/fetch/source-reader.js';
import type { Address } from '../outgoing/customer-names.js';
import { pinnedTo } from '../outgoing/permitted-addresses.js';
import { TooQuiet } from './source-failures.js';

/** A file, or what follows the bytes of it that are stored. */
export type RequestedPart = Pick<SourceRequest, 'url' | 'from'>;

interface Getting extends RequestedPart {
  /** Checked; the connection goes to one of them. */
  readonly addresses: readonly Address[];
  /** Milliseconds until the response must have begun. */
  readonly idleTimeout: number;
}

/** One GET, whose response has begun. The signal ends it, also later. */
export function getOnce({ url, from, addresses, idleTimeout }: Getting, signal: AbortSignal): Promise<IncomingMessage> {
  const begin = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
  const range = from && { range: `bytes=${from.offset}-`, 'if-range': from.validator };
  // Compressed bytes could not be continued, and would have another size.
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'photo-service', ...range };
  return new Promise((resolve, reject) => {
    const request = begin(url, { method: 'GET', headers, lookup: pinnedTo(addresses), agent: false, signal });
    const waiting = setTimeout(() => request.destroy(new TooQuiet()), idleTimeout);
    request.on('response', (response) => {
      clearTimeout(waiting);
      // It has responded; what breaks from here on is reported by its body.
      request.removeListener('error', reject).on('error', () => undefined);
      response.on('error', () => undefined);
      resolve(response);
    });
    request.on('error', reject);
    request.on('close', () => clearTimeout(waiting));
    request.end();
  });
}
