import { pause } from './pause.js';

/** The budget of a key that a request is charged to. */
export type BudgetName = 'read' | 'write';

/** The period for which a request counts (the service keeps exact rolling windows of this length). */
const WINDOW_MS = 60_000;
/** Tolerance for differences between clocks and for network latency. */
const SLACK_MS = 250;

/**
 * One budget of a key, as far as this client can know it: the numbers of the service's last responses, less the requests in progress. A
 * call waits here, first come, first served, instead of being refused with 429. Other clients of the same key are only seen through the
 * numbers of the responses, so a 429 remains possible and is waited out.
 */
export class Budget {
  /** Null: nothing is known yet. */
  private remaining: number | null = null;
  private limit = Number.POSITIVE_INFINITY;
  /** When the whole budget is available again at the latest, on this machine's monotonic clock. */
  private fullAt = 0;
  /** Until when the service asked not to be called. */
  private closedUntil = 0;
  private underWay = 0;
  /** When the responses to our own requests that still count arrived; oldest first. */
  private own: number[] = [];
  private turn: Promise<void> = Promise.resolve();
  /** Ends the wait of the first in the queue: a response may have brought better numbers. */
  private wake: () => void = () => {};

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Waits until a request would be admitted, and reserves its place. Every call must be followed by one of `answered` and `lost`.
   * @param onWait Called before each wait, with its length in milliseconds.
   */
  async take(signal: AbortSignal | null, onWait: (milliseconds: number) => void): Promise<void> {
    const before = this.turn;
    let done: () => void = () => {};
    this.turn = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await before;
      for (let wait = this.waitFor(); wait > 0; wait = this.waitFor()) {
        onWait(wait);
        await this.rest(wait, signal);
      }
      this.underWay += 1;
    } finally {
      done();
    }
  }

  /** The response arrived, with these headers. */
  answered(status: number, headers: Headers): void {
    const now = this.now();
    this.underWay -= 1;
    this.forget(now);
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => number(headers, name));
    if (limit === undefined || remaining === undefined || reset === undefined) return;
    // Refused calls are not counted by the service.
    if (status !== 429) this.own.push(now);
    this.limit = limit;
    // Of several responses that overlap, the lowest is right; the number of a single one is exact.
    this.remaining = this.underWay === 0 || this.remaining === null ? remaining : Math.min(this.remaining, remaining);
    this.fullAt = now + Math.min(Math.max(0, reset * 1000 - serverTime(headers)), WINDOW_MS) + SLACK_MS;
    this.wake();
  }

  /** No response arrived: the request may or may not have been counted. */
  lost(): void {
    this.underWay -= 1;
    this.own.push(this.now());
    if (this.remaining !== null) this.remaining -= 1;
  }

  /** The service asked not to be called for so many seconds. */
  close(seconds: number): void {
    this.closedUntil = Math.max(this.closedUntil, this.now() + seconds * 1000);
  }

  private async rest(milliseconds: number, signal: AbortSignal | null): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    const either = signal === null ? woken.signal : AbortSignal.any([signal, woken.signal]);
    await pause(milliseconds, either).catch(() => signal?.throwIfAborted());
  }

  /** Milliseconds until the next request may be sent; 0: now. */
  private waitFor(): number {
    const now = this.now();
    if (this.closedUntil > now) return this.closedUntil - now;
    this.forget(now);
    if (this.remaining === null || this.remaining - this.underWay > 0) return 0;
    const [oldest] = this.own;
    const ownLeaves = oldest === undefined ? Number.POSITIVE_INFINITY : oldest + WINDOW_MS + SLACK_MS;
    return Math.max(1, Math.min(ownLeaves, this.fullAt) - now);
  }

  /** Makes available again what has left the window by now. */
  private forget(now: number): void {
    if (this.remaining === null) return;
    if (now >= this.fullAt && this.underWay === 0) {
      this.own = [];
      this.remaining = this.limit;
      return;
    }
    const still = this.own.findIndex((at) => at + WINDOW_MS + SLACK_MS > now);
    const gone = still < 0 ? this.own.length : still;
    this.own.splice(0, gone);
    this.remaining = Math.min(this.limit, this.remaining + gone);
  }
}

function number(headers: Headers, name: string): number | undefined {
  const text = headers.get(`x-ratelimit-${name}`);
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** The service's clock in milliseconds, according to its response; ours if that does not contain it. */
function serverTime(headers: Headers): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? Date.now() : date;
}
