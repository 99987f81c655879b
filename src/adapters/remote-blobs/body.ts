import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { readOnce } from '../../core/blobs/blob-bytes.js';
import { storeOutage } from './outage.js';

interface ExpectedBody {
  /** The exact number of bytes expected. */
  readonly length: number;
  /** 64 hex digits of all of them; null when unknown. */
  readonly sha256: string | null;
  /** Milliseconds that the store may take for the next bytes, however slow the reader is. */
  readonly silence: number;
}

/**
 * The bytes of a response, once. The last ones are held back until all have been verified: a complete read is a correct one. Errors:
 * `service_unavailable` for a body that is short, long, wrong, cut off or stuck.
 */
export async function checkedBody(body: Readable, expected: ExpectedBody): Promise<AsyncIterable<Uint8Array>> {
  const reader = checked(body, expected);
  // A generator that was never entered skips its `finally` when it is returned, and the connection would stay open: enter it, up to the
  // first yield.
  await reader.next();
  return readOnce(reader);
}

async function* checked(body: Readable, expected: ExpectedBody): AsyncGenerator<Uint8Array, void, void> {
  const { length, sha256 } = expected;
  const hash = sha256 === null ? null : createHash('sha256');
  let held: Uint8Array | null = null;
  let arrived = 0;
  try {
    yield new Uint8Array(0);
    for await (const chunk of arriving(body, expected.silence)) {
      if (held !== null) yield held;
      held = chunk;
      arrived += chunk.length;
      hash?.update(chunk);
      if (arrived > length) throw storeOutage(new Error(`more than ${length} bytes arrived`));
    }
    if (arrived < length) throw storeOutage(new Error(`only ${arrived} of ${length} bytes arrived`));
    if (hash !== null && hash.digest('hex') !== sha256)
      throw storeOutage(new Error('the bytes differ from those that were stored'));
    if (held !== null) yield held;
  } finally {
    body.destroy();
  }
}

async function* arriving(body: Readable, silence: number): AsyncGenerator<Uint8Array, void, void> {
  const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  for (;;) {
    const patience = setTimeout(() => body.destroy(new Error(`no bytes within ${silence} ms`)), silence);
    try {
      const next = await iterator.next();
      if (next.done) return;
      clearTimeout(patience);
      yield next.value;
    } catch (error) {
      throw storeOutage(error);
    } finally {
      clearTimeout(patience);
    }
  }
}
