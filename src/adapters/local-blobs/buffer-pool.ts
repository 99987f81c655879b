/** Buffers of one size, used again after they were returned: new memory has to be cleared, and brings the next garbage collection closer. */
export class BufferPool {
  private readonly spare = new Set<Uint8Array>();

  constructor(
    readonly bufferBytes: number,
    private readonly maxSpare: number,
  ) {}

  take(): Uint8Array {
    const [buffer] = this.spare;
    if (buffer === undefined) return Buffer.allocUnsafeSlow(this.bufferBytes);
    this.spare.delete(buffer);
    return buffer;
  }

  /** Anything else than a whole buffer of this size is left to the garbage collector. */
  giveBack(buffer: Uint8Array): void {
    const isWhole = buffer.byteLength === this.bufferBytes && buffer.buffer.byteLength === this.bufferBytes;
    if (isWhole && this.spare.size < this.maxSpare) this.spare.add(buffer);
  }
}
