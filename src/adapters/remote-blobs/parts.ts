/** A part of a blob in memory, so that it can be sent more than once. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

const FIRST_ROOM = 64 * 1024;

/**
 * Cuts bytes into parts of exactly `partBytes` except for the last, of which there is always one. Errors of `bytes` are rethrown unchanged.
 */
export async function* inParts(bytes: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Part, void, void> {
  let filled = new Filling(partBytes);
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      if (filled.isFull) {
        yield { bytes: filled.take(), isLast: false };
        filled = new Filling(partBytes);
      }
      at += filled.add(chunk.subarray(at));
    }
  }
  yield { bytes: filled.take(), isLast: true };
}

/** A buffer that grows with its content, so that small blobs take little memory. */
class Filling {
  private buffer: Buffer;
  private length = 0;

  constructor(private readonly max: number) {
    this.buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_ROOM, max));
  }

  get isFull(): boolean {
    return this.length === this.max;
  }

  /** Copies what fits: the source may reuse its chunk. */
  add(chunk: Uint8Array): number {
    const taken = Math.min(chunk.length, this.max - this.length);
    this.reserve(this.length + taken);
    this.buffer.set(chunk.subarray(0, taken), this.length);
    this.length += taken;
    return taken;
  }

  take(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(needed: number): void {
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.min(this.max, Math.max(needed, this.buffer.length * 2)));
    grown.set(this.take());
    this.buffer = grown;
  }
}
