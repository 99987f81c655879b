import { createHash } from 'node:crypto';
import { joined } from '../shared/bytes.js';

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

/** Passes bytes on, and throws what `check` throws at their end: so whoever stores them stores nothing that is wrong. */
export async function* checkedAtEnd(
  bytes: AsyncIterable<Uint8Array>,
  check: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  yield* bytes;
  check();
}
