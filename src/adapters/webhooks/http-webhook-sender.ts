import { lookup as systemLookup } from 'node:dns/promises';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { WebhookAnswer, WebhookMessage, WebhookSender } from '../../core/events/webhook-sender.js';
import { isPublicAddress, urlProblem } from '../../core/events/webhook-url.js';
import { reasonOf } from './reasons.js';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface HttpWebhookSenderOptions {
  /** For home networks: any address, and http as well. */
  readonly allowPrivate: boolean;
  /** All addresses that a name leads to; the system's resolver when absent. */
  readonly lookup?: (hostname: string) => Promise<readonly Address[]>;
  /** For the whole request, the name's addresses included. Milliseconds; 15 seconds when absent (API.md §10). */
  readonly timeout?: number;
}

/** Of a receiver's answer so much is read, and dropped, before the connection is cut. */
const MAX_BODY_BYTES = 64 * 1024;
const TIMEOUT_MS = 15_000;

/** Thrown and caught in here: a URL that leads to where nothing may be sent. */
class Refused extends Error {}

/** Sends over the network. Keeps no connections, and goes through no proxy that the environment names. */
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
   * Where the URL leads. Every address must be allowed: of several, nobody knows to which the connection will go. The URL parser has
   * written every spelling of an IPv4 address (127.1, 0x7f000001, 2130706433) as four decimal numbers.
   */
  private async addressesOf(url: string): Promise<readonly Address[]> {
    const problem = urlProblem(url, this.allowPrivate);
    if (problem !== null) throw new Refused(problem);
    const hostname = new URL(url).hostname.replace(/^\[|\]$/g, '');
    const family = isIP(hostname);
    const addresses = family > 0 ? [{ address: hostname, family }] : await this.lookup(hostname);
    if (addresses.length === 0) throw new Refused('The name of the host leads to no address.');
    if (this.allowPrivate || addresses.every(({ address }) => isPublicAddress(address))) return addresses;
    throw new Refused('url must lead to a public address, and to nothing else.');
  }
}

/** The status of the answer. The connection goes to one of the addresses that were looked at: no name is asked for again. */
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
      // It has answered, whatever becomes of the rest.
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

/** Resolves when the body has ended, however it did, or enough of it has come: its status was there before. */
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

/** A look-up cannot be taken back; its answer is not waited for any longer. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function reasonFor(error: unknown, signal: AbortSignal): string {
  if (error instanceof Refused) return error.message;
  return signal.aborted ? 'The receiver did not answer in time.' : reasonOf(error);
}
