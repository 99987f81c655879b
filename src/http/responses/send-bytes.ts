import type { ServerResponse } from 'node:http';

/**
 * Writes bytes to a response, no faster than the client reads, and ends it. When their source fails the connection is closed and the error
 * is thrown: a partial response can never be taken for the whole. A client that disconnects is not an error.
 * @param length As announced in the headers; null when unknown.
 * @param release Called with each chunk but the last once the system has it, if the source wants it back.
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
      // Returning tells the source that no more is needed.
      if (response.destroyed) return;
      left -= chunk.length;
      if (left < 0) throw new Error(`There are more bytes than the declared ${length}.`);
      // The last ones with the end: a small body is sent together with its headers.
      if (left === 0) response.end(chunk);
      else if (!response.write(chunk, (error) => !error && release?.(chunk))) await waitForDrain(response);
    }
    if (length !== null && left > 0) throw new Error(`${left} of ${length} bytes are missing.`);
    if (!response.writableEnded) response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Waits until the client has read what was written, or has disconnected. */
function waitForDrain(response: ServerResponse): Promise<void> {
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

/** Waits for the first bytes, so that a source that has none still becomes a proper error. */
export async function withFirstChunk(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  return continueFrom(first, iterator);
}

async function* continueFrom(
  first: IteratorResult<Uint8Array>,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
