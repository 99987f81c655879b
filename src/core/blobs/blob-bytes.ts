import { createHash } from 'node:crypto';
import { joined } from '../shared/bytes.js';
import type { ByteRange, OpenBlob } from './blob-store.js';

/** For blob stores. The range, or all of a blob of this size. Errors: RangeError when it is not within the blob. */
export function checkedRange(range: ByteRange | undefined, sizeBytes: number): ByteRange {
  if (range === undefined) return { start: 0, end: sizeBytes - 1 };
  const { start, end } = range;
  if (Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end < sizeBytes) return range;
  throw new RangeError(`Bytes ${start} to ${end} are outside a blob of ${sizeBytes} bytes.`);
}

/**
 * Ensures what `OpenBlob.bytes` promises: a second reader gets an error, whereas a finished generator would look like an empty blob.
 * @param source What `reader` reads, if that is another blob's bytes.
 */
export function readOnce(
  reader: AsyncGenerator<Uint8Array, void, void>,
  source?: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let taken = false;
  return {
    [Symbol.asyncIterator]() {
      if (taken) {
        const refuse = () => Promise.reject(new Error('These bytes were already read: get the blob again.'));
        return { next: refuse, return: () => reader.return() };
      }
      taken = true;
      if (source === undefined) return reader;
      let entered = false;
      return {
        next() {
          entered = true;
          return reader.next();
        },
        // A generator that was never entered skips its `finally` when it is returned, and so would not return its source.
        async return() {
          if (!entered) await source[Symbol.asyncIterator]().return?.();
          return reader.return();
        },
      };
    },
  };
}

/**
 * Chunks for a reader that has finished with each before it requests the next, and so can be used again. Megabytes of new memory for each
 * picture that is read made the garbage collector stop everyone several times a second.
 */
export async function* recycled(
  bytes: AsyncIterable<Uint8Array>,
  release: OpenBlob['release'],
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of bytes) {
    yield chunk;
    release?.(chunk);
  }
}

/** Passes each chunk on once `note` has been told of it. */
export async function* onEach(
  bytes: AsyncIterable<Uint8Array>,
  note: (chunk: Uint8Array) => void | Promise<void>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of bytes) {
    await note(chunk);
    yield chunk;
  }
}

/** All bytes, in memory: for few. */
export async function wholeOf(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let whole: Uint8Array = new Uint8Array();
  for await (const chunk of bytes) whole = joined(whole, chunk);
  return whole;
}

/** Bytes in memory, in the form that blobs are written from. */
export async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/** The size, hash and beginning of a stream: known once the bytes were read to their end. */
export interface Measure {
  sizeBytes: number;
  /** 64 hex digits; null until the end. */
  sha256: string | null;
  /** The first bytes, for detecting the type. */
  head: Uint8Array;
}

const HEAD_BYTES = 4100;

export class TooManyBytes extends Error {
  constructor(readonly maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
  }
}

/** Passes bytes on while counting and hashing them. Throws `TooManyBytes` at the first byte over `maxBytes`. */
export function withMeasure(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): { bytes: AsyncIterable<Uint8Array>; measure: Measure } {
  const measure: Measure = { sizeBytes: 0, sha256: null, head: new Uint8Array(0) };
  return { measure, bytes: pass(bytes, maxBytes, measure) };
}

async function* pass(bytes: AsyncIterable<Uint8Array>, maxBytes: number, measure: Measure): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) {
    measure.sizeBytes += chunk.length;
    if (measure.sizeBytes > maxBytes) throw new TooManyBytes(maxBytes);
    hash.update(chunk);
    if (measure.head.length < HEAD_BYTES) measure.head = joined(measure.head, chunk.subarray(0, HEAD_BYTES));
    yield chunk;
  }
  measure.sha256 = hash.digest('hex');
}

/** Passes bytes on, and throws what `check` throws at their end: so a store stores nothing that is wrong. */
export async function* checkedAtEnd(
  bytes: AsyncIterable<Uint8Array>,
  check: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  yield* bytes;
  check();
}

/** The minimum rate of bytes from outside, in bytes a second, over each of so many milliseconds. */
export const LEAST_RATE = 1024;
export const RATE_OVER_MS = 60_000;

/**
 * The same bytes, unless they arrive too slowly: who sends them occupies something that others wait for. Silence is for the caller to limit:
 * the rate is looked at when bytes arrive. @param now Milliseconds of a monotonic clock.
 */
export async function* notSlower<T extends Uint8Array>(
  bytes: AsyncIterable<T>,
  tooSlow: () => Error,
  now: () => number,
): AsyncGenerator<T, void, undefined> {
  let [since, received] = [now(), 0];
  for await (const chunk of bytes) {
    received += chunk.length;
    const elapsed = now() - since;
    if (elapsed >= RATE_OVER_MS) {
      if (received < (LEAST_RATE * elapsed) / 1000) throw tooSlow();
      [since, received] = [now(), 0];
    }
    yield chunk;
  }
}
