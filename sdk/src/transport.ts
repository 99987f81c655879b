import { ConnectionError, secondsUntil } from './errors.js';

/** The options for reaching the service. */
export interface ConnectionOptions {
  /** The address of the service, for example `https://photos.example.com` or `https://example.com/photos`; without `/api/v1`. */
  readonly baseUrl: string;
  /** An API key, `phs_live_…`. A secret: never put it into a page that others can read. */
  readonly token: string;
  /** The number of retries of a request after network errors, 429, 502, 503 and 504. Default 8, which covers an outage of a minute or two. */
  readonly maxRetries?: number;
  /** Timeout of an attempt in milliseconds: until the end of a JSON response, or the beginning of a download. Default 60,000. */
  readonly timeoutMs?: number;
  /**
   * Called when the calls of a budget begin to wait: once, however many of them there are, and again only if it takes more than twice as
   * long as was said.
   */
  readonly onWait?: (wait: Wait) => void;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The calls of a budget wait. */
export interface Wait {
  /** `limit`: for the key's budget; `retry`: the service is unreachable or failing. */
  readonly reason: 'limit' | 'retry';
  readonly budget: BudgetName;
  readonly milliseconds: number;
  /** The problem that led to the retry. */
  readonly problem: string | null;
}

/** The budget of a key that a request is charged to. */
export type BudgetName = 'read' | 'write';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The request may succeed when it is sent again unchanged. For 500 that is unknown. */
const PASSING = new Set([502, 503, 504]);
/** Statuses whose answers have no body (Fetch standard, "null body status"). */
const BODILESS = new Set([204, 205, 304]);
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
/** A server that asks for a longer wait causes an error that says so. */
const LONGEST_RETRY_AFTER_S = 300;

interface Failure {
  readonly problem: string;
  readonly cause: unknown;
}

/** Sends requests with the key, within its budgets, and retries where that is safe. */
export class Transport {
  private readonly budgets: Readonly<Record<BudgetName, Budget>> = { read: new Budget(), write: new Budget() };

  /** When the waits end that were reported, on this machine's monotonic clock. */
  private readonly reportedUntil: Record<BudgetName, number> = { read: 0, write: 0 };

  constructor(private readonly options: ConnectionOptions) {}

  /**
   * Resolves with the response, whatever its status; rejects with `ConnectionError` when there is none, and with the reason of the
   * request's signal. Every attempt of a write carries the same `Idempotency-Key`, so a lost response never causes a second effect.
   * @param reading Whether the body of the response is read here, within the timeout and the retries, or left to the caller.
   */
  async send(request: Request, reading: 'whole' | 'stream' = 'whole'): Promise<Response> {
    const name: BudgetName = READS.has(request.method) ? 'read' : 'write';
    const budget = this.budgets[name];
    const headers = new Headers(request.headers);
    headers.set('Authorization', `Bearer ${this.options.token}`);
    if (name === 'write' && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', crypto.randomUUID());
    const body = name === 'write' ? await request.arrayBuffer() : null;
    const { maxRetries = 8 } = this.options;
    // Whether an earlier attempt may have been executed although its response was lost.
    let mayBeDone = false;
    for (let retries = 0; ; retries += 1) {
      const wait = (reason: Wait['reason'], milliseconds: number, problem: string | null) =>
        this.report({ reason, budget: name, milliseconds, problem });
      await budget.take(request.signal, (milliseconds) => wait('limit', milliseconds, null));
      const outcome = await this.attempt(budget, request, { headers, body }, reading);
      const answer = outcome instanceof Response ? outcome : null;
      if (answer && !(await isPassing(answer))) {
        // An earlier attempt has deleted it, as requested.
        const isDeleted = request.method === 'DELETE' && mayBeDone && answer.status === 404;
        return isDeleted ? new Response(null, { status: 204, headers: answer.headers }) : answer;
      }
      const retryAfter = secondsUntil(answer?.headers.get('retry-after') ?? null);
      if (retries >= maxRetries || (retryAfter ?? 0) > LONGEST_RETRY_AFTER_S) {
        if (answer) return answer;
        const { problem, cause } = outcome as Failure;
        const { origin, pathname } = new URL(request.url);
        const times = retries === 0 ? '' : ` after ${retries + 1} attempts`;
        const message = `${request.method} ${pathname}: no response from ${origin}${times} (${problem}).`;
        throw new ConnectionError(message, { cause });
      }
      await answer?.body?.cancel();
      if (answer?.status === 429) {
        budget.close(jittered(retryAfter ?? 1));
        continue;
      }
      mayBeDone = true;
      // Doubling, and different for each client, so that they are not all retried at once.
      const backoff = (0.5 + Math.random() / 2) * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries);
      const milliseconds = retryAfter === null ? backoff : 1000 * Math.max(jittered(retryAfter), 0.1);
      const problem = answer ? `the service responded with ${answer.status}` : (outcome as Failure).problem;
      wait('retry', milliseconds, problem);
      await pause(milliseconds, request.signal);
    }
  }

  private report(wait: Wait): void {
    const now = performance.now();
    // Calls that fail together wait for different times, of which the longest is twice the shortest.
    if (wait.milliseconds <= 2 * (this.reportedUntil[wait.budget] - now)) return;
    this.reportedUntil[wait.budget] = now + wait.milliseconds;
    this.options.onWait?.(wait);
  }

  private async attempt(
    budget: Budget,
    request: Request,
    { headers, body }: { headers: Headers; body: ArrayBuffer | null },
    reading: 'whole' | 'stream',
  ): Promise<Response | Failure> {
    const { fetch = globalThis.fetch, timeoutMs = 60_000 } = this.options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs);
    const signal = AbortSignal.any([request.signal, late.signal]);
    const content = body !== null && body.byteLength > 0 ? { body } : {};
    try {
      const answer = await fetch(request.url, { method: request.method, headers, signal, ...content });
      const { status, statusText, headers: answered } = answer;
      // The same response with its body in memory: reading it later cannot fail.
      const isLeft = reading === 'stream' && answer.ok;
      const bytes = isLeft ? null : await answer.arrayBuffer();
      const whole = { status, statusText, headers: answered };
      const read = isLeft ? answer : new Response(BODILESS.has(status) ? null : bytes, whole);
      budget.answered(status, answered);
      return read;
    } catch (error) {
      budget.lost();
      request.signal.throwIfAborted();
      return { problem: late.signal.aborted ? late.signal.reason.message : reasonOf(error), cause: error };
    } finally {
      clearTimeout(timer);
    }
  }
}

async function isPassing(answer: Response): Promise<boolean> {
  if (answer.status === 429 || PASSING.has(answer.status)) return true;
  // The first attempt of this very write is still being executed: its outcome is requested again.
  return answer.status === 409 && (await answer.clone().text()).includes('"idempotency_in_progress"');
}

/** In words: fetch itself says no more than "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: unknown; message?: unknown } | undefined;
  return String(cause?.code ?? (cause?.message || error.message));
}

/** Never sooner than requested, and not all at once. */
function jittered(seconds: number): number {
  return seconds + Math.random() * Math.min(1, 0.1 * seconds + 0.1);
}

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
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
      const text = headers.get(`x-ratelimit-${name}`);
      return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
    });
    if (limit === undefined || remaining === undefined || reset === undefined) return;
    // Refused calls are not counted by the service.
    if (status !== 429) this.own.push(now);
    this.limit = limit;
    // Of several responses that overlap, the lowest is right; the number of a single one is exact.
    this.remaining = this.underWay === 0 || this.remaining === null ? remaining : Math.min(this.remaining, remaining);
    // The service's clock, according to its response; ours if that does not contain it.
    const date = Date.parse(headers.get('date') ?? '');
    const left = reset * 1000 - (Number.isNaN(date) ? Date.now() : date);
    this.fullAt = now + Math.min(Math.max(0, left), WINDOW_MS) + SLACK_MS;
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

/** Waits so many milliseconds. Rejects with the signal's reason as soon as it is aborted; no timer is left behind. */
export function pause(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    // Timers of more than 2^31 ms fire at once.
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(milliseconds, 2 ** 31 - 1),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}
