import type { IncomingMessage } from 'node:http';
import { notSlower } from '../../core/shared/bytes.js';
import { failureOf, TooQuiet, unreachable } from './source-failures.js';

export interface BodyLimits {
  /** Milliseconds in which nothing arrives. */
  readonly idleTimeout: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * The bytes of a response. Throws `SourceFailure` when it breaks off, when nothing arrives for too long although it is waited for, when
 * it is slower than the minimum rate, and when it ends before `expected` bytes, if their number is known.
 */
export async function* bodyOf(
  response: IncomingMessage,
  { idleTimeout, now }: BodyLimits,
  expected: number | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const tooSlow = () => unreachable('The source sent less than 1 KB per second for a minute.', false);
  yield* notSlower(read(response, idleTimeout, expected, signal), tooSlow, now);
}

async function* read(
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
