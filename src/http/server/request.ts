import type { IncomingMessage, ServerResponse } from 'node:http';
import { LEAST_RATE, notSlower, RATE_OVER_MS } from '../../core/blobs/blob-bytes.js';
import { DomainError, invalid } from '../../core/shared/errors.js';

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

/** The client disconnected before its request was complete. No one is left to receive a response. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export function hasBody(request: IncomingMessage): boolean {
  const isChunked = headerOf(request, 'transfer-encoding') !== undefined;
  return isChunked || Number(headerOf(request, 'content-length') ?? 0) > 0;
}

/** The whole body. Errors: `payload_too_large` at the first byte over `maxBytes`, or immediately when its length is announced. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(headerOf(request, 'content-length') ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  return collect(bodyOf(request), maxBytes);
}

/** The bytes of a body, or of a part of one. Errors: `payload_too_large` at the first byte over `maxBytes`. */
export async function collect(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/**
 * The bytes of a body as they arrive. Ending early does not close the connection, so that a response can still be sent. Errors:
 * `ClientGone`, and `tooSlow` if they arrive too slowly: unless another error is given, the connection is closed then, too.
 */
export async function* bodyOf(
  request: IncomingMessage,
  tooSlow: () => Error = () => new ClientGone('the body arrived too slowly'),
): AsyncGenerator<Buffer, void, undefined> {
  (request as WaitingRequest).askForBody?.();
  try {
    // The socket's timeout handles silence (`limitSockets`).
    yield* notSlower(request.iterator({ destroyOnReturn: false }), tooSlow, () => performance.now());
  } catch (error) {
    const isOurs = error instanceof ClientGone || error instanceof DomainError;
    throw request.complete || isOurs ? error : new ClientGone('the request was aborted', { cause: error });
  }
  if (!request.complete) throw new ClientGone('the request was aborted');
}

/** A request whose client waits to be asked for the body. */
interface WaitingRequest extends IncomingMessage {
  askForBody?: (() => void) | undefined;
}

/**
 * Leaves the client of a request with `Expect: 100-continue` waiting until its body is read (RFC 9110, 10.1.1). One that was not asked for may
 * be sent or not after the response, so the connection ends with it.
 */
export function awaitContinue(request: WaitingRequest, response: ServerResponse): void {
  response.setHeader('Connection', 'close');
  request.askForBody = () => {
    request.askForBody = undefined;
    response.removeHeader('Connection');
    response.writeContinue();
  };
}

/** For clients that may send the same body again. */
export function requestTimeout(): DomainError {
  const message = `The body arrived more slowly than ${LEAST_RATE} bytes per second for ${RATE_OVER_MS / 1000} seconds. Send it again over a faster connection.`;
  return new DomainError('request_timeout', message);
}

/** Reads and discards an unwanted body, so that the client receives the response; up to 16 MiB, then it closes the connection. */
export function discardBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let left = 16 * 1024 * 1024;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
  request.on('error', () => undefined);
  request.resume();
}

export function bodyTooLarge(maxBytes: number): DomainError {
  const message = `The body of this request can have at most ${maxBytes} bytes.`;
  return new DomainError('payload_too_large', message, { maxBytes });
}
