import { lookup as systemLookup } from 'node:dns/promises';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { WebhookAnswer, WebhookMessage, WebhookSender } from '../../core/webhooks/webhook-sender.js';
import { isPublicAddress, urlProblem } from '../../core/webhooks/webhook-url.js';
import { reasonOf } from './reasons.js';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface HttpWebhookSenderOptions {
  /** For home networks: any address, and http as well. */
  readonly allowPrivate: boolean;
  /** All addresses of a name; default: the system's resolver. */
  readonly lookup?: (hostname: string) => Promise<readonly Address[]>;
  /** For the whole request, including name resolution. Milliseconds; default 15 seconds. */
  readonly timeout?: number;
}

/** So much of a receiver's response is read, and dropped, before the connection is closed. */
const MAX_BODY_BYTES = 64 * 1024;
const TIMEOUT_MS = 15_000;

/** Thrown and caught here: the URL leads to a forbidden address. */
class Refused extends Error {}

/** Sends over the network. Keeps no connections, and ignores proxies of the environment. */
export class HttpWebhookSender implements WebhookSender {
  private readonly allowPrivate: boolean;
  private readonly lookup: (hostname: string) => Promise<readonly Address[]>;
  private readonly timeout: number;

  constructor({ allowPrivate, lookup, timeout }: HttpWebhookSenderOptions) {
    this.allowPrivate = allowPrivate;
    this.lookup = lookup ?? ((hostname) => systemLookup(hostname, { all: true }));
    this.timeout = timeout ?? TIMEOUT_MS;
  }

  async refusal(url: string): Promise<string | null> {
    const signal = AbortSignal.timeout(this.timeout);
    try {
      await orAborted(this.addressesOf(url), signal);
      return null;
    } catch (error) {
      return reasonFor(error, signal);
    }
  }

  async post(message: WebhookMessage): Promise<WebhookAnswer> {
    const signal = AbortSignal.timeout(this.timeout);
    try {
      const addresses = await orAborted(this.addressesOf(message.url), signal);
      return { status: await send(message, addresses, signal), reason: null };
    } catch (error) {
      return { status: null, reason: reasonFor(error, signal) };
    }
  }

  /**
   * Where the URL leads. Every address must be allowed: of several, it is unknown which one the connection will use. The URL parser has
   * normalized every spelling of an IPv4 address (127.1, 0x7f000001, 2130706433) to four decimal numbers.
   */
  private async addressesOf(url: string): Promise<readonly Address[]> {
    const problem = urlProblem(url, this.allowPrivate);
    if (problem !== null) throw new Refused(problem);
    const hostname = new URL(url).hostname.replace(/^\[|\]$/g, '');
    const family = isIP(hostname);
    const addresses = family > 0 ? [{ address: hostname, family }] : await this.lookup(hostname);
    if (addresses.length === 0) throw new Refused('The host name resolves to no address.');
    if (this.allowPrivate || addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new Refused('url must resolve to public addresses only.');
  }
}

/** The status of the response. The connection goes to one of the checked addresses: the name is not resolved again. */
function send(
  { url, headers, body }: WebhookMessage,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<number> {
  const pinned: LookupFunction = (_hostname, { all }, answer) => {
    if (all)
      return answer(
        null,
        addresses.map(({ address, family }) => ({ address, family })),
      );
    const [first] = addresses;
    answer(null, first?.address ?? '', first?.family);
  };
  const begin = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
  const length = { 'content-length': String(new TextEncoder().encode(body).length) };
  const options = { method: 'POST', headers: { ...headers, ...length }, lookup: pinned, agent: false, signal };
  return new Promise((resolve, reject) => {
    const request: ClientRequest = begin(url, options, (response) => {
      // It has answered, whatever happens to the rest.
      request.removeListener('error', reject).on('error', () => undefined);
      dropped(response).then(() => {
        request.destroy();
        resolve(response.statusCode ?? 0);
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Resolves when the body has ended, in whatever way, or enough of it has arrived: its status was received before. */
function dropped(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    response.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) resolve();
    });
    response.on('close', resolve);
    response.on('error', () => resolve());
  });
}

/** A look-up cannot be cancelled; its result is no longer awaited. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function reasonFor(error: unknown, signal: AbortSignal): string {
  if (error instanceof Refused) return error.message;
  return signal.aborted ? 'The receiver did not respond in time.' : reasonOf(error);
}
