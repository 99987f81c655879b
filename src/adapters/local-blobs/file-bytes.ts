import type { FileHandle } from 'node:fs/promises';
import type { ByteRange } from '../../core/blobs/blob-store.js';
import { inOneChunk, readOnce } from '../../core/blobs/open-blob.js';
import { onDisk } from './storage-error.js';

/** Large enough that the calls cost little beside the copying, small enough for hundreds of readers and a processor's cache. */
const CHUNK_BYTES = 128 * 1024;
const MOST_SPARE = 128;

/**
 * Memory that readers gave back. Each new piece of memory brings the next collection of all garbage nearer, and that takes as long in a
 * service of this size as the reading of tens of pieces.
 */
const spare = new Set<Uint8Array>();

export function releaseChunk(chunk: Uint8Array): void {
  const isWhole = chunk.byteLength === CHUNK_BYTES && chunk.buffer.byteLength === CHUNK_BYTES;
  if (isWhole && spare.size < MOST_SPARE) spare.add(chunk);
}

function memoryFor(length: number): Uint8Array {
  const [chunk] = length === CHUNK_BYTES ? spare : [];
  if (chunk === undefined) return Buffer.allocUnsafeSlow(length);
  spare.delete(chunk);
  return chunk;
}

/** Readers that nobody finished or returned: their files are closed when the collector finds them. A net, not the way. */
const forgotten = new FinalizationRegistry<FileHandle>((handle) => {
  handle.close().catch(() => undefined);
});

/**
 * The bytes of an open file from `range.start` to `range.end`, once. Takes the handle over: it is closed at the end, at a failure and
 * by return(), also when not one byte was asked for.
 */
export async function fileBytes(handle: FileHandle, range: ByteRange): Promise<AsyncIterable<Uint8Array>> {
  const length = range.end + 1 - range.start;
  // At once: most files are thumbs, and to keep one open until somebody has read it is most of the work.
  if (0 < length && length <= CHUNK_BYTES) return readOnce(inOneChunk(await readAndClose(handle, range.start, length)));
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

async function readAndClose(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const bytes = await readChunk(handle, position, length);
  await handle.close();
  return bytes;
}

async function readChunk(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = memoryFor(length);
  for (let got = 0; got < length; ) {
    const { bytesRead } = await onDisk(() => handle.read(buffer, got, length - got, position + got));
    if (bytesRead === 0) throw new Error(`A stored file ends at byte ${position + got}, before its recorded end.`);
    got += bytesRead;
  }
  return buffer;
}
