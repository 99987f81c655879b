import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { urlProblem } from '../../core/access/outgoing-url.js';
import { notSlower } from '../../core/blobs/blob-bytes.js';
import {
  MAX_REDIRECTS,
  type OpenSource,
  SourceFailure,
  type SourceReader,
  type SourceRequest,
} from '../../core/imports/fetch/source-reader.js';
import type { Id } from '../../core/shared/ids.js';
import { CustomerNames, type Lookup } from '../outgoing/customer-names.js';
import {
  type AddressRule,
  addressRule,
  ForbiddenAddress,
  permittedAddresses,
  pinnedTo,
  reasonOf,
} from '../outgoing/permitted-addresses.js';

export interface HttpSourceReaderOptions {
  /** For home networks: any address, and http as well. */
  readonly allowPrivate: boolean;
  /** Default: `CustomerNames` of its own. */
  readonly lookup?: Lookup;
  /** Default: every address, or only public ones, as `allowPrivate` says. */
  readonly permits?: AddressRule;
  /** Milliseconds in which nothing arrives, before the response or in it; default 30 seconds. */
  readonly idleTimeout?: number;
  /** For a whole try, with all redirects. Milliseconds; default 15 minutes. */
  readonly timeout?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** A file of a customer, or what follows the bytes of it that are stored. */
type Following = Pick<SourceRequest, 'url' | 'from'> & { readonly customerId: Id };

const REDIRECTS = [301, 302, 303, 307, 308];

const field = { name: 'sourceUrl', example: 'https://example.com/photo.jpg' };

/** Reads over the network. Keeps no connections and no cookies, sends no credentials, and ignores proxies of the environment. */
export class HttpSourceReader implements SourceReader {
  private readonly options: Required<HttpSourceReaderOptions>;

  constructor(options: HttpSourceReaderOptions) {
    this.options = {
      lookup: new CustomerNames().lookup,
      permits: addressRule(options.allowPrivate),
      idleTimeout: 30_000,
      timeout: 15 * 60_000,
      now: () => performance.now(),
      ...options,
    };
  }

  problem(sourceUrl: string): string | null {
    return urlProblem(sourceUrl, this.options.allowPrivate, field);
  }

  async open(request: SourceRequest, stopping: AbortSignal): Promise<OpenSource> {
    const over = new AbortController();
    const signal = AbortSignal.any([stopping, over.signal, AbortSignal.timeout(this.options.timeout)]);
    try {
      const response = await this.follow(request, signal);
      const { offset, sizeBytes, validator } = readResponse(request, response);
      const expected = sizeBytes === null ? null : sizeBytes - offset;
      const tooSlow = () => unreachable('The source sent less than 1 KB per second for a minute.', false);
      const bytes = notSlower(bodyOf(response, this.options.idleTimeout, expected, signal), tooSlow, this.options.now);
      return { offset, sizeBytes, validator, bytes, close: () => over.abort() };
    } catch (error) {
      over.abort();
      throw failureOf(error);
    }
  }

  /** The response to this request, or to the one that it leads to. */
  private async follow(request: Following, signal: AbortSignal): Promise<IncomingMessage> {
    const { url: first, from, customerId } = request;
    let url = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await this.get({ url, from, customerId }, signal);
      const status = response.statusCode ?? 0;
      if (status === 200 || (status === 206 && from !== null)) return response;
      // Its body is of no interest.
      response.destroy();
      // What is stored no longer continues in this file, or is all of it: it is read from the beginning.
      if (status === 416 && from !== null) return this.follow({ ...request, from: null }, signal);
      const { location } = response.headers;
      if (!REDIRECTS.includes(status) || location === undefined) throw failureOfStatus(status, response.headers);
      if (!URL.canParse(location, url)) throw unreachable('The source redirects to an invalid URL.', true);
      const target = new URL(location, url);
      // A fragment is for readers of the page, and is never sent.
      target.hash = '';
      url = target.href;
    }
    throw unreachable(`The source redirects more than ${MAX_REDIRECTS} times.`, true);
  }

  /** One GET, whose response has begun. The signal ends it, also later. Each URL on the way follows the same rules. */
  private async get({ url, from, customerId }: Following, signal: AbortSignal): Promise<IncomingMessage> {
    const problem = this.problem(url);
    if (problem !== null) throw forbidden(problem);
    const late = AbortSignal.any([signal, AbortSignal.timeout(this.options.idleTimeout)]);
    const by = {
      permits: this.options.permits,
      lookup: this.options.lookup,
      field: field.name,
      customerId,
      signal: late,
    };
    const addresses = await permittedAddresses(url, by).catch((error: unknown) => {
      throw error instanceof ForbiddenAddress ? forbidden(error.message) : error;
    });
    const begin = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
    const range = from && { range: `bytes=${from.offset}-`, 'if-range': from.validator };
    // Compressed bytes could not be continued, and would have another size.
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'photo-service', ...range };
    return new Promise((resolve, reject) => {
      const request = begin(url, { method: 'GET', headers, lookup: pinnedTo(addresses), agent: false, signal });
      const waiting = setTimeout(() => request.destroy(new TooQuiet()), this.options.idleTimeout);
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
}

/** Seconds after a change in which `Last-Modified` may be the same for two versions of a file. */
const WEAK_SECONDS = 60;

/** Returns what a 200 or 206 says about the file. Throws `SourceFailure`. */
function readResponse(
  { from, maxBytes }: SourceRequest,
  { statusCode, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>,
): Pick<OpenSource, 'offset' | 'sizeBytes' | 'validator'> {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity' && coding !== '') {
    throw unreachable('The source sends the file compressed, although it was asked not to.', true);
  }
  const length = headers['content-length'] ?? '';
  const sizeBytes = /^\d{1,15}$/.test(length) ? Number(length) : null;
  const whole = statusCode === 206 ? continued(from, headers) : { offset: 0, sizeBytes };
  if (whole.sizeBytes !== null && whole.sizeBytes > maxBytes) {
    const message = `The file is larger than ${maxBytes} bytes, the maximum.`;
    throw new SourceFailure({ code: 'file_too_large', message }, true);
  }
  return { ...whole, validator: validatorOf(headers) };
}

/** The rest of the file, from where it was asked for. */
function continued(from: SourceRequest['from'], headers: IncomingHttpHeaders): { offset: number; sizeBytes: number } {
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers['content-range'] ?? '') ?? [];
  const isRest = from !== null && Number(first) === from.offset && Number(last) === Number(total) - 1;
  if (!isRest) throw unreachable('The source sent another part of the file than it was asked for.', false);
  return { offset: from.offset, sizeBytes: Number(total) };
}

/** Returns what `If-Range` takes: a strong ETag, or a time long enough ago (RFC 9110, 8.8.2.2). */
function validatorOf(headers: IncomingHttpHeaders): string | null {
  if (headers['accept-ranges']?.toLowerCase() === 'none') return null;
  const { etag, date, 'last-modified': modified } = headers;
  if (etag !== undefined) return etag.length <= 502 && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(etag) ? etag : null;
  if (modified === undefined || date === undefined || modified.length > 50) return null;
  return Date.parse(date) - Date.parse(modified) >= WEAK_SECONDS * 1000 ? modified : null;
}

/**
 * The bytes of a response. Throws `SourceFailure` when it breaks off, when nothing arrives for too long although it is waited for, and when it
 * ends before `expected` bytes, if their number is known.
 */
async function* bodyOf(
  response: IncomingMessage,
  idleTimeout: number,
  expected: number | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const chunks = response[Symbol.asyncIterator]();
  let received = 0;
  try {
    for (;;) {
      const waiting = setTimeout(() => response.destroy(new TooQuiet()), idleTimeout);
      const next: IteratorResult<Uint8Array> = await chunks.next().finally(() => clearTimeout(waiting));
      if (next.done) break;
      received += next.value.length;
      yield next.value;
    }
  } catch (error) {
    throw failureOf(signal.aborted ? signal.reason : error);
  } finally {
    response.destroy();
  }
  if (expected !== null && received < expected) throw unreachable('The connection was closed too early.', false);
}

/** Nothing has arrived for too long. */
class TooQuiet extends Error {}

function unreachable(message: string, isFinal: boolean, retryAfterSeconds: number | null = null): SourceFailure {
  return new SourceFailure({ code: 'source_unreachable', message }, isFinal, retryAfterSeconds);
}

function forbidden(message: string): SourceFailure {
  return new SourceFailure({ code: 'source_forbidden', message }, true);
}

/** For an error of a request. Messages contain neither URLs nor addresses: the query of a URL may be a secret. */
function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (error instanceof TooQuiet) return unreachable('The source sent nothing for too long.', false);
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  return unreachable(isLate ? 'The source took too long.' : reasonOf(error), false);
}

const FORBIDDEN = [401, 403, 407, 451];
/** The same request may succeed later. */
const PASSING = [408, 421, 425, 429];

function failureOfStatus(status: number, headers: IncomingHttpHeaders): SourceFailure {
  const message = `The source responded with status ${status}.`;
  if (FORBIDDEN.includes(status)) return forbidden(message);
  if (status === 404 || status === 410) return new SourceFailure({ code: 'source_not_found', message }, true);
  const retryAfter = headers['retry-after'] ?? '';
  // In seconds only: a date is rarely sent, and clocks differ.
  const seconds = /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null;
  return unreachable(message, !PASSING.includes(status) && status < 500, seconds);
}
