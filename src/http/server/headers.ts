import type { IncomingMessage } from 'node:http';
import { invalid } from '../../core/shared/errors.js';

/**
 * The longest value of each header that is read, and what becomes of a longer one: it is refused, or taken for one that was not sent where
 * it only advises or none is valid. All headers together have at most 16 KiB (`maxHeaderSize` of Node).
 */
const headers = {
  accept: { max: 2000, excess: 'ignored' },
  'accept-language': { max: 2000, excess: 'ignored' },
  authorization: { max: 1000, excess: 'ignored' },
  'content-encoding': { max: 200, excess: 'refused' },
  'content-length': { max: 20, excess: 'refused' },
  'content-type': { max: 500, excess: 'refused' },
  // Other programs of the same host share it. Proxies add to the end of X-Forwarded-For, which is what counts.
  cookie: { max: 16 * 1024, excess: 'ignored' },
  host: { max: 300, excess: 'refused' },
  'idempotency-key': { max: 1000, excess: 'refused' },
  'if-match': { max: 8000, excess: 'refused' },
  'if-modified-since': { max: 100, excess: 'ignored' },
  'if-none-match': { max: 8000, excess: 'ignored' },
  'if-range': { max: 200, excess: 'refused' },
  'if-unmodified-since': { max: 100, excess: 'refused' },
  origin: { max: 2000, excess: 'refused' },
  prefer: { max: 500, excess: 'ignored' },
  range: { max: 1000, excess: 'ignored' },
  referer: { max: 4000, excess: 'ignored' },
  'sec-fetch-site': { max: 100, excess: 'refused' },
  traceparent: { max: 200, excess: 'ignored' },
  'transfer-encoding': { max: 200, excess: 'refused' },
  'tus-resumable': { max: 20, excess: 'ignored' },
  'upload-offset': { max: 20, excess: 'refused' },
  'user-agent': { max: 2000, excess: 'ignored' },
  'x-background': { max: 100, excess: 'ignored' },
  'x-csrf-token': { max: 100, excess: 'ignored' },
  'x-forwarded-for': { max: 16 * 1024, excess: 'ignored' },
} as const;

export type RequestHeader = keyof typeof headers;

/** The length of the longest value that is read. */
export function headerLength(name: RequestHeader): number {
  return headers[name].max;
}

/** The only way to read a header: undefined when it was not sent. Errors: `invalid_request` when it is too long. */
export function headerOf(request: Pick<IncomingMessage, 'headers'>, name: RequestHeader): string | undefined {
  const value = request.headers[name];
  return bounded(Array.isArray(value) ? value.join(', ') : value, name);
}

/** The values of a header that was sent several times. Errors: as of `headerOf`. */
export function headersOf(
  request: Pick<IncomingMessage, 'headersDistinct'>,
  name: RequestHeader,
): readonly string[] | undefined {
  const values = request.headersDistinct[name];
  return values === undefined || bounded(values.join(','), name) === undefined ? undefined : values;
}

function bounded(value: string | undefined, name: RequestHeader): string | undefined {
  const { max, excess } = headers[name];
  if (value === undefined || value.length <= max) return value;
  if (excess === 'ignored') return undefined;
  const field = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  throw invalid({ field, code: 'too_long', message: `${field} can have at most ${max} characters.`, max });
}
