import type { ServerResponse } from 'node:http';

/**
 * Writes bytes into an answer, as fast as the client reads and no faster, and ends it. When their source breaks the connection is cut
 * and the error comes out: what arrived can never be taken for the whole. A client that goes away is no error.
 * @param length What the head says of them; null when it says nothing.
 * @param release Given each piece but the last when the system has it, if the source wants it back.
 */
export async function sendBytes(
  response: ServerResponse,
  bytes: AsyncIterable<Uint8Array>,
  length: number | null = null,
  release?: (piece: Uint8Array) => void,
): Promise<void> {
  let left = length ?? Number.POSITIVE_INFINITY;
  try {
    for await (const chunk of bytes) {
      // By leaving, the source is told that no more is wanted.
      if (response.destroyed) return;
      left -= chunk.length;
      if (left < 0) throw new Error(`There are more bytes than the ${length} that were told.`);
      // The last ones with the end: a small body goes out together with its head.
      if (left === 0) response.end(chunk);
      else if (!response.write(chunk, (error) => !error && release?.(chunk))) await drained(response);
    }
    if (length !== null && left > 0) throw new Error(`${left} of ${length} bytes are missing.`);
    if (!response.writableEnded) response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Waits until the client has taken what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      response.off('drain', goOn);
      response.off('close', goOn);
      resolve();
    };
    response.on('drain', goOn);
    response.on('close', goOn);
  });
}

/** Waits for the first bytes, so that a source that has none still becomes an honest error. */
export async function begun(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  return rest(first, iterator);
}

async function* rest(
  first: IteratorResult<Uint8Array>,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
