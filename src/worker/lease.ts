import { pause } from './pause.js';

/**
 * Maintains the lease of work while it runs: extends it at a third of its length. `lost` fires when the queue reports that the lease is
 * lost, and when the queue has been unavailable for the length of a lease: by then another worker may have the work.
 */
export class Lease {
  private readonly losing = new AbortController();
  private readonly dropping = new AbortController();
  private readonly milliseconds: number;
  private expiry: NodeJS.Timeout | undefined;

  /**
   * @param extendInQueue Extends it in the queue; false when it is lost.
   * @param since The value of `performance.now()` before the work was claimed. The wall clock may jump and is not used.
   */
  constructor(
    private readonly extendInQueue: (seconds: number) => Promise<boolean>,
    private readonly seconds: number,
    since: number,
    private readonly onQueueError: (error: unknown) => void,
  ) {
    this.milliseconds = seconds * 1000;
    this.heldSince(since);
    void this.keep();
  }

  get lost(): AbortSignal {
    return this.losing.signal;
  }

  /** The work has ended: the lease is neither extended nor monitored any more. */
  drop(): void {
    clearTimeout(this.expiry);
    this.dropping.abort();
  }

  private async keep(): Promise<void> {
    const over = AbortSignal.any([this.losing.signal, this.dropping.signal]);
    for (;;) {
      await pause(this.milliseconds / 3, over);
      if (over.aborted) return;
      const asked = performance.now();
      const held = await this.extend();
      if (over.aborted) return;
      if (held === false) return this.lose();
      if (held) this.heldSince(asked);
    }
  }

  /** Null when the queue is unavailable. */
  private async extend(): Promise<boolean | null> {
    try {
      return await this.extendInQueue(this.seconds);
    } catch (error) {
      this.onQueueError(error);
      return null;
    }
  }

  private heldSince(moment: number): void {
    clearTimeout(this.expiry);
    this.expiry = setTimeout(() => this.lose(), moment + this.milliseconds - performance.now());
  }

  private lose(): void {
    clearTimeout(this.expiry);
    this.losing.abort(new Error('The lease was lost.'));
  }
}
