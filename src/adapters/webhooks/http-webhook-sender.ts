import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isPublicAddress, urlProblem } from '../../core/access/outgoing-url.js';
import type { Clock } from '../../core/shared/clock.js';
import type { Id } from '../../core/shared/ids.js';
import { cleanText } from '../../core/shared/text.js';
import {
  MAX_ANSWER_BYTES,
  type WebhookAnswer,
  type WebhookMessage,
  type WebhookSender,
} from '../../core/webhooks/webhook-sender.js';
import { type Address, type Asking, CustomerNames, type Lookup } from '../outgoing/customer-names.js';
import {
  addressRule,
  ForbiddenAddress,
  permittedAddresses,
  pinnedTo,
  reasonOf,
} from '../outgoing/permitted-addresses.js';
import { SystemClock } from '../system-clock.js';

export interface HttpWebhookSenderOptions {
  /** For home networks: any address, and http as well. */
  readonly allowPrivate: boolean;
  /** Whether bodies of private addresses are passed on, too. Otherwise anyone who may create endpoints could read what is behind them. */
  readonly readPrivate?: boolean;
  /** Default: `CustomerNames` of its own. */
  readonly lookup?: Lookup;
  /** For the whole request, including name resolution. Milliseconds; default 15 seconds. */
  readonly timeout?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

/** So much of a receiver's response is read before the connection is closed. */
const MAX_BODY_BYTES = 64 * 1024;
const TIMEOUT_MS = 15_000;

/** Sends over the network. Keeps no connections, and ignores proxies of the environment. */
export class HttpWebhookSender implements WebhookSender {
  private readonly options: Required<HttpWebhookSenderOptions>;

  constructor(options: HttpWebhookSenderOptions) {
    const { lookup } = new CustomerNames();
    this.options = { readPrivate: false, lookup, timeout: TIMEOUT_MS, clock: new SystemClock(), ...options };
  }

  async refusal(url: string, customerId: Id): Promise<string | null> {
    const signal = AbortSignal.timeout(this.options.timeout);
    try {
      await this.addressesOf(url, { customerId, signal });
      return null;
    } catch (error) {
      return reasonFor(error, signal);
    }
  }

  async post(message: WebhookMessage): Promise<WebhookAnswer> {
    const signal = AbortSignal.timeout(this.options.timeout);
    try {
      const addresses = await this.addressesOf(message.url, { customerId: message.customerId, signal });
      const { body, ...answer } = await send(message, addresses, { signal, clock: this.options.clock });
      const isReadable = this.options.readPrivate || addresses.every(({ address }) => isPublicAddress(address));
      return { ...answer, reason: null, body: isReadable ? body : null };
    } catch (error) {
      return { status: null, reason: reasonFor(error, signal), body: null };
    }
  }

  private addressesOf(url: string, asking: Asking): Promise<readonly Address[]> {
    const problem = urlProblem(url, this.options.allowPrivate);
    if (problem !== null) return Promise.reject(new ForbiddenAddress(problem));
    const permits = addressRule(this.options.allowPrivate);
    return permittedAddresses(url, { permits, lookup: this.options.lookup, field: 'url', ...asking });
  }
}

/**
 * The status of the response and the beginning of its body. The connection goes to one of the checked addresses: the name is not resolved
 * again.
 */
function send(
  { url, headers, body }: WebhookMessage,
  addresses: readonly Address[],
  { signal, clock }: { signal: AbortSignal; clock: Clock },
): Promise<Pick<WebhookAnswer, 'status' | 'body' | 'retryAfterMs'>> {
  const begin = new URL(url).protocol === 'https:' ? requestHttps : requestHttp;
  const length = { 'content-length': String(new TextEncoder().encode(body).length) };
  const options = {
    method: 'POST',
    headers: { ...headers, ...length },
    lookup: pinnedTo(addresses),
    agent: false,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request: ClientRequest = begin(url, options, (response) => {
      // It has answered, whatever happens to the rest.
      request.removeListener('error', reject).on('error', () => undefined);
      beginningOf(response).then((body) => {
        request.destroy();
        const retryAfterMs = retryAfterOf(response, clock);
        resolve({ status: response.statusCode ?? 0, body, ...(retryAfterMs !== null && { retryAfterMs }) });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** Seconds or a date (RFC 9110, 10.2.3), in milliseconds from now. */
function retryAfterOf({ statusCode = 0, headers }: IncomingMessage, clock: Clock): number | null {
  const written = headers['retry-after'];
  if ((statusCode !== 429 && statusCode !== 503) || written === undefined || written.length > 40) return null;
  const wait = /^\d+$/.test(written) ? Number(written) * 1000 : Date.parse(written) - clock.now().getTime();
  return wait > 0 ? wait : null;
}

/**
 * Resolves when the body has ended, in whatever way, or enough of it has arrived: its status was received before. The rest is dropped; a
 * character that was cut is left out.
 */
function beginningOf(response: IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
    const text = new TextDecoder();
    let [bytes, beginning] = [0, ''];
    const end = () => resolve(answerText(beginning));
    response.on('data', (chunk: Uint8Array) => {
      beginning += text.decode(chunk.subarray(0, Math.max(0, MAX_ANSWER_BYTES - bytes)), { stream: true });
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) end();
    });
    response.on('close', end);
    response.on('error', end);
  });
}

function reasonFor(error: unknown, signal: AbortSignal): string {
  if (error instanceof ForbiddenAddress) return error.message;
  return signal.aborted ? 'The receiver did not respond in time.' : reasonOf(error);
}

/** The secrets that receivers might answer with and that must not be readable in a log: each pattern keeps its first group. */
const secrets: readonly RegExp[] = [
  /\b(phs_[a-z]+_|whsec_)[\w+/=-]+/g,
  /\b((?:Bearer|Basic)\s+)[\w.~+/=-]+/gi,
  /((?:token|secret|password|api_?key)=)[^&\s"<]+/gi,
  /\b(ey)J[\w.-]+/g,
];

/** A text of JSON with its name. */
const MEMBER = /"([^"]*)"(\s*:\s*")((?:[^"\\]|\\.)*)/g;
const SECRET_NAME = /token|secret|passw|api_?key|authorization|cookie|credential/i;

/** The characters that would act on a terminal, or turn the text round. Lines and tabs stay. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu;

/** The beginning of a response for the delivery log: readable, without what looks like a secret; null when nothing is left. */
export function answerText(body: string): string | null {
  const readable = cleanText(body).replaceAll('\r\n', '\n').replace(UNSEEN, '�');
  const named = readable.replace(MEMBER, (member: string, name: string, between: string) => {
    return SECRET_NAME.test(name) ? `"${name}"${between}…` : member;
  });
  return secrets.reduce((text, secret) => text.replace(secret, '$1…'), named) || null;
}
