import { createHash } from 'node:crypto';

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

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
