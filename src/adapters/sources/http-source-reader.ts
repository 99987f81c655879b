import type { IncomingMessage } from 'node:http';
import { urlProblem } from '../../core/access/outgoing-url.js';
import {
  MAX_REDIRECTS,
  type OpenSource,
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
} from '../outgoing/permitted-addresses.js';
import { bodyOf } from './source-body.js';
import { failureOf, failureOfStatus, forbidden, unreachable } from './source-failures.js';
import { getOnce, type RequestedPart } from './source-request.js';
import { readResponse } from './source-response.js';

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

type Following = RequestedPart & { readonly customerId: Id };

const IDLE_TIMEOUT_MS = 30_000;
const TIMEOUT_MS = 15 * 60_000;
const REDIRECTS = [301, 302, 303, 307, 308];

const field = { name: 'sourceUrl', example: 'https://example.com/photo.jpg' };

/** Reads over the network. Keeps no connections and no cookies, sends no credentials, and ignores proxies of the environment. */
export class HttpSourceReader implements SourceReader {
  private readonly allowPrivate: boolean;
  private readonly lookup: Lookup;
  private readonly permits: AddressRule;
  readonly idleTimeout: number;
  readonly now: () => number;
  private readonly timeout: number;

  constructor({ allowPrivate, lookup, permits, idleTimeout, timeout, now }: HttpSourceReaderOptions) {
    this.now = now ?? (() => performance.now());
    this.allowPrivate = allowPrivate;
    this.lookup = lookup ?? new CustomerNames().lookup;
    this.permits = permits ?? addressRule(allowPrivate);
    this.idleTimeout = idleTimeout ?? IDLE_TIMEOUT_MS;
    this.timeout = timeout ?? TIMEOUT_MS;
  }

  problem(sourceUrl: string): string | null {
    return urlProblem(sourceUrl, this.allowPrivate, field);
  }

  async open(request: SourceRequest, stopping: AbortSignal): Promise<OpenSource> {
    const over = new AbortController();
    const signal = AbortSignal.any([stopping, over.signal, AbortSignal.timeout(this.timeout)]);
    try {
      const response = await this.follow(request, signal);
      const { offset, sizeBytes, validator } = readResponse(request, response);
      const bytes = bodyOf(response, this, sizeBytes === null ? null : sizeBytes - offset, signal);
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
      // What is stored does not continue in this file any more, or is all of it: it is read from the beginning.
      if (status === 416 && from !== null) return this.follow({ ...request, from: null }, signal);
      const { location } = response.headers;
      if (!REDIRECTS.includes(status) || location === undefined) throw failureOfStatus(status, response.headers);
      url = redirected(url, location);
    }
    throw unreachable(`The source redirects more than ${MAX_REDIRECTS} times.`, true);
  }

  /** Each URL on the way follows the same rules. */
  private async get({ url, from, customerId }: Following, signal: AbortSignal): Promise<IncomingMessage> {
    const problem = this.problem(url);
    if (problem !== null) throw forbidden(problem);
    const late = AbortSignal.any([signal, AbortSignal.timeout(this.idleTimeout)]);
    const by = { permits: this.permits, lookup: this.lookup, field: field.name, customerId, signal: late };
    const addresses = await permittedAddresses(url, by).catch((error: unknown) => {
      throw error instanceof ForbiddenAddress ? forbidden(error.message) : error;
    });
    return getOnce({ url, from, addresses, idleTimeout: this.idleTimeout }, signal);
  }
}

/** A fragment is for readers of the page, and is never sent. */
function redirected(url: string, location: string): string {
  if (!URL.canParse(location, url)) throw unreachable('The source redirects to an invalid URL.', true);
  const target = new URL(location, url);
  target.hash = '';
  return target.href;
}
