import type { Clock } from '../../shared/clock.js';

/** A part ends when nothing has arrived for so many milliseconds. */
const QUIET_MS = 1000;
/** It ends after so many times as long in any case: what has arrived by then survives the death of this process. */
const MAX_QUIETS = 10;

/**
 * Cuts the bytes of a sender into parts. That they break off is an end like any other: what arrived before is worth storing. Why they did is
 * in `failure`.
 */
export class PartReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private fetching: Promise<void> | null = null;
  private chunk: Uint8Array | null = null;
  private chunks = 0;
  private hasEnded = false;
  failure: { readonly error: unknown } | null = null;

  constructor(
    bytes: AsyncIterable<Uint8Array>,
    private readonly clock: Pick<Clock, 'pause'>,
  ) {
    this.source = bytes[Symbol.asyncIterator]();
  }

  /** Whether it is known that no more bytes come. */
  get isDone(): boolean {
    return this.hasEnded && this.chunk === null;
  }

  /** Whether there are more bytes; waits for them. */
  async hasMore(): Promise<boolean> {
    while (this.chunk === null && !this.hasEnded) await this.fetch();
    return this.chunk !== null;
  }

  /** The next bytes, at most so many. Once there are some, it does not wait long for more. Only after `hasMore`. */
  async *part(maxBytes: number): AsyncGenerator<Uint8Array, void, void> {
    const cut = new Cut();
    void this.watch(cut);
    try {
      for (let left = maxBytes; left > 0; ) {
        // What is there already is taken: a part is never empty.
        const isFirst = left === maxBytes;
        if (!isFirst && (cut.isMade || !(await cut.unless(() => this.hasMore())))) return;
        const chunk = this.chunk as Uint8Array;
        const piece = chunk.subarray(0, left);
        this.chunk = piece.length < chunk.length ? chunk.subarray(piece.length) : null;
        left -= piece.length;
        yield piece;
      }
    } finally {
      cut.make();
    }
  }

  /** Not awaited: a sender that sends nothing would block it. */
  close(): void {
    void this.source.return?.().catch(() => undefined);
  }

  private fetch(): Promise<void> {
    this.fetching ??= this.source
      .next()
      .then(
        ({ done, value }) => {
          if (done) this.hasEnded = true;
          else if (value.length > 0) this.chunk = value;
          this.chunks += 1;
        },
        (error: unknown) => {
          this.hasEnded = true;
          this.failure = { error };
        },
      )
      .finally(() => {
        this.fetching = null;
      });
    return this.fetching;
  }

  private async watch(cut: Cut): Promise<void> {
    for (let quiets = 0; quiets < MAX_QUIETS && !cut.isMade; quiets += 1) {
      const before = this.chunks;
      await this.clock.pause(QUIET_MS);
      if (this.chunks === before) break;
    }
    cut.make();
  }
}

/** The end of a part, made while it waits for bytes. These are not lost: they begin the next part. */
class Cut {
  isMade = false;
  private interrupt: () => void = () => undefined;

  make(): void {
    this.isMade = true;
    this.interrupt();
  }

  /** The result of `work`, or false if the end comes first. */
  unless(work: () => Promise<boolean>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.interrupt = () => resolve(false);
      work().then(resolve, reject);
    });
  }
}
