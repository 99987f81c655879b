import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from '../../core/blobs/blob-store.js';
import { readOnce } from '../../core/blobs/open-blob.js';
import { onDisk } from './storage-error.js';

/** Large enough that the calls cost little beside the copying, small enough for hundreds of readers. */
const CHUNK_BYTES = 256 * 1024;

/** Readers that nobody finished or returned: their files are closed when the collector finds them. A net, not the way. */
const forgotten = new FinalizationRegistry<FileHandle>((handle) => {
  handle.close().catch(() => undefined);
});

/**
 * The bytes of an open file from `range.start` to `range.end`, once. Takes the handle over: it is closed at the end, at a failure and
 * by return(), also when not one byte was asked for.
 */
export async function fileBytes(handle: FileHandle, range: ByteRange): Promise<AsyncIterable<Uint8Array>> {
  const reader = chunks(handle, range);
  // A generator that was never entered skips its `finally` when it is returned: go in, as far as the first yield.
  await reader.next();
  forgotten.register(reader, handle, handle);
  return readOnce(reader);
}

async function* chunks(handle: FileHandle, range: ByteRange): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield new Uint8Array(0);
    for (let position = range.start; position <= range.end; ) {
      const chunk = await readChunk(handle, position, Math.min(CHUNK_BYTES, range.end + 1 - position));
      position += chunk.length;
      yield chunk;
    }
  } finally {
    forgotten.unregister(handle);
    await handle.close();
  }
}

async function readChunk(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(length);
  const { bytesRead } = await onDisk(() => handle.read(buffer, 0, length, position));
  if (bytesRead === 0) throw new Error(`A stored file ends at byte ${position}, before its recorded end.`);
  return buffer.subarray(0, bytesRead);
}
