/** Buffers of one size, used again after they were returned: new memory has to be cleared, and brings the next garbage collection closer. */
export class BufferPool {
  /** The one that was returned last is taken first: it is most likely still in the processor's cache. */
  private readonly spare: Uint8Array[] = [];

  constructor(
    readonly bufferBytes: number,
    private readonly maxSpare: number,
  ) {}

  take(): Uint8Array {
    return this.spare.pop() ?? Buffer.allocUnsafeSlow(this.bufferBytes);
  }

  /** Anything else than a whole buffer of this size is left to the garbage collector. */
  giveBack(buffer: Uint8Array): void {
    const isWhole = buffer.byteLength === this.bufferBytes && buffer.buffer.byteLength === this.bufferBytes;
    if (isWhole && this.spare.length < this.maxSpare && !this.spare.includes(buffer)) this.spare.push(buffer);
  }
}
