import type { IncomingMessage, ServerResponse } from 'node:http';
import { LEAST_RATE, notSlower, RATE_OVER_MS } from '../../core/blobs/blob-bytes.js';
import { DomainError } from '../../core/shared/errors.js';
import { headerOf } from './headers.js';

/** Bytes of an unwanted body that are read and discarded, so that the client receives the response. */
const DISCARDED_BYTES = 16 * 1024 * 1024;

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
  if (Number(headerOf(request, 'content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyOf(request)) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
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

/** Reads and discards, up to a limit, then closes the connection. */
export function discardBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let left = DISCARDED_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
  request.on('error', () => undefined);
  request.resume();
}

export function tooLarge(maxBytes: number): DomainError {
  return new DomainError('payload_too_large', `The body of this request can have at most ${maxBytes} bytes.`, {
    maxBytes,
  });
}
