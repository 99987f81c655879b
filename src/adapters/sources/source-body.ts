import type { IncomingMessage } from 'node:http';
import { failureOf, TooQuiet, unreachable } from './source-failures.js';

/**
 * The bytes of a response. Throws `SourceFailure` when it breaks off, when nothing arrives for `idleTimeout` milliseconds although it is
 * waited for, and when it ends before `expected` bytes, if their number is known.
 */
export async function* bodyOf(
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
