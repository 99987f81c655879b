import { read } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { inOneChunk, readOnce } from '../../core/blobs/blob-bytes.js';
import type { ByteRange } from '../../core/blobs/blob-store.js';
import { BufferPool } from './buffer-pool.js';
import { onDisk } from './storage-error.js';

/** Large enough that system calls cost little compared to copying, small enough for hundreds of readers and a processor's cache. */
const CHUNK_BYTES = 256 * 1024;
const MAX_SPARE = 64;

/** For the chunks of `fileBytes`. */
export function newChunkPool(): BufferPool {
  return new BufferPool(CHUNK_BYTES, MAX_SPARE);
}

/** Readers that were neither finished nor returned: their files are closed by the garbage collector. A safety net only. */
const forgotten = new FinalizationRegistry<FileHandle>((handle) => {
  handle.close().catch(() => undefined);
});

/**
 * The bytes of an open file from `range.start` to `range.end`, once. Takes ownership of the handle: it is closed at the end, on failure and
 * by return(), even if no byte was requested. Chunks come from the pool, to which readers may return them.
 */
export async function fileBytes(
  handle: FileHandle,
  range: ByteRange,
  pool: BufferPool,
): Promise<AsyncIterable<Uint8Array>> {
  const length = range.end + 1 - range.start;
  // Immediately: most files are thumbs, and keeping one open until somebody has read it is most of the work.
  if (0 < length && length <= CHUNK_BYTES)
    return readOnce(inOneChunk(await readAndClose(handle, range.start, length, pool)));
  const reader = chunks(handle, range, pool);
  // A generator that was never entered skips its `finally` when it is returned: enter it, up to the first yield.
  await reader.next();
  forgotten.register(reader, handle, handle);
  return readOnce(reader);
}

async function* chunks(handle: FileHandle, range: ByteRange, pool: BufferPool): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield new Uint8Array(0);
    for (let position = range.start; position <= range.end; ) {
      const chunk = await readChunk(handle, position, Math.min(CHUNK_BYTES, range.end + 1 - position), pool);
      position += chunk.length;
      yield chunk;
    }
  } finally {
    forgotten.unregister(handle);
    await handle.close();
  }
}

async function readAndClose(
  handle: FileHandle,
  position: number,
  length: number,
  pool: BufferPool,
): Promise<Uint8Array> {
  const bytes = await readChunk(handle, position, length, pool);
  await handle.close();
  return bytes;
}

async function readChunk(handle: FileHandle, position: number, length: number, pool: BufferPool): Promise<Uint8Array> {
  const buffer = length === CHUNK_BYTES ? pool.take() : Buffer.allocUnsafeSlow(length);
  for (let got = 0; got < length; ) {
    const bytesRead = await onDisk(() => readInto(buffer, got, length - got, { handle, position: position + got }));
    if (bytesRead === 0) throw new Error(`A stored file ends at byte ${position + got}, before its recorded end.`);
    got += bytesRead;
  }
  return buffer;
}

/** Without the promises of `FileHandle.read`, which take as long as reading thirty kilobytes. */
function readInto(
  buffer: Uint8Array,
  offset: number,
  length: number,
  { handle, position }: { readonly handle: FileHandle; readonly position: number },
): Promise<number> {
  return new Promise((resolve, reject) => {
    read(handle.fd, buffer, offset, length, position, (error, bytesRead) =>
      error ? reject(error) : resolve(bytesRead),
    );
  });
}
