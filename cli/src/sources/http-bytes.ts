import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { FileProblem } from 'photo-service-sdk';
import { AccessError } from '../exit-codes.js';
import { without } from './streams.js';

/** The answer to a request, or why there is none that can be used. */
export type Send = (headers: Readonly<Record<string, string>>) => Promise<Response>;

const MAX_ATTEMPTS = 4;
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/**
 * A response with status 200 or 206, if need be after some attempts.
 * @throws FileProblem for any other.
 */
export async function answered(send: Send, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await send(headers).catch((error: Error) => {
      // Asking again would not help.
      if (error instanceof AccessError || error.name === 'AbortError') throw error;
      return error;
    });
    if (response instanceof Response && response.ok) return response;
    const isPassing = response instanceof Error || PASSING.has(response.status);
    if (!(response instanceof Error)) await response.body?.cancel();
    if (isPassing && attempt < MAX_ATTEMPTS) {
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
      continue;
    }
    // The problem of a failed fetch is in its cause.
    const problem =
      response instanceof Error
        ? ((response.cause as NodeJS.ErrnoException | undefined)?.code ?? response.message)
        : `it answered ${response.status}`;
    throw new FileProblem('unreadable', `The file cannot be fetched: ${problem}.`);
  }
}

/** The bytes of a file from a position on, whether the server can begin there or not. */
export async function bytesFrom(send: Send, start: number): Promise<Readable> {
  const response = await answered(send, start === 0 ? {} : { Range: `bytes=${start}-` });
  if (response.body === null) throw new FileProblem('unreadable', 'The file cannot be fetched: it has no content.');
  const stream = Readable.fromWeb(response.body as ReadableStream);
  return start === 0 || response.status === 206 ? stream : without(stream, start);
}
