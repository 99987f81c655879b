import { Budget, type BudgetName } from './budget.js';
import { ConnectionError, secondsUntil } from './errors.js';
import { pause } from './pause.js';

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

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The request may succeed when it is sent again unchanged. For 500 that is unknown. */
const PASSING = new Set([502, 503, 504]);
/** Statuses whose answers have no body (Fetch standard, "null body status"). */
const BODILESS = new Set([204, 205, 304]);
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
/** A server that asks for a longer wait causes an error that says so. */
const LONGEST_RETRY_AFTER_S = 300;

/** Whether the body of a response is read here, within the timeout and the retries of its request, or left to the caller. */
export type Reading = 'whole' | 'stream';

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
   */
  async send(request: Request, reading: Reading = 'whole'): Promise<Response> {
    const name: BudgetName = READS.has(request.method) ? 'read' : 'write';
    const budget = this.budgets[name];
    const headers = this.headersOf(request, name);
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
        return request.method === 'DELETE' && mayBeDone && answer.status === 404 ? deleted(answer) : answer;
      }
      const retryAfter = secondsUntil(answer?.headers.get('retry-after') ?? null);
      if (retries >= maxRetries || (retryAfter ?? 0) > LONGEST_RETRY_AFTER_S) {
        if (answer) return answer;
        throw noAnswer(request, retries + 1, outcome as Failure);
      }
      await answer?.body?.cancel();
      if (answer?.status === 429) {
        budget.close(jittered(retryAfter ?? 1));
        continue;
      }
      mayBeDone = true;
      const milliseconds = 1000 * (retryAfter === null ? backoff(retries) : Math.max(jittered(retryAfter), 0.1));
      wait(
        'retry',
        milliseconds,
        answer ? `the service responded with ${answer.status}` : (outcome as Failure).problem,
      );
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

  private headersOf(request: Request, budget: BudgetName): Headers {
    const headers = new Headers(request.headers);
    headers.set('Authorization', `Bearer ${this.options.token}`);
    if (budget === 'write' && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', crypto.randomUUID());
    return headers;
  }

  private async attempt(
    budget: Budget,
    request: Request,
    { headers, body }: { headers: Headers; body: ArrayBuffer | null },
    reading: Reading,
  ): Promise<Response | Failure> {
    const { fetch = globalThis.fetch, timeoutMs = 60_000 } = this.options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs);
    const signal = AbortSignal.any([request.signal, late.signal]);
    const content = body !== null && body.byteLength > 0 ? { body } : {};
    try {
      const answer = await fetch(request.url, { method: request.method, headers, signal, ...content });
      const read = reading === 'stream' && answer.ok ? answer : await readWhole(answer);
      budget.answered(read.status, read.headers);
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

/** The same response with its body in memory: reading it later cannot fail. */
async function readWhole(answer: Response): Promise<Response> {
  const { status, statusText, headers } = answer;
  const bytes = await answer.arrayBuffer();
  return new Response(BODILESS.has(status) ? null : bytes, { status, statusText, headers });
}

async function isPassing(answer: Response): Promise<boolean> {
  if (answer.status === 429 || PASSING.has(answer.status)) return true;
  // The first attempt of this very write is still being executed: its outcome is requested again.
  return answer.status === 409 && (await answer.clone().text()).includes('"idempotency_in_progress"');
}

/** An earlier attempt has deleted it, as requested. */
function deleted({ headers }: Response): Response {
  return new Response(null, { status: 204, headers });
}

function noAnswer(request: Request, attempts: number, { problem, cause }: Failure): ConnectionError {
  const { origin, pathname } = new URL(request.url);
  const times = attempts === 1 ? '' : ` after ${attempts} attempts`;
  return new ConnectionError(`${request.method} ${pathname}: no response from ${origin}${times} (${problem}).`, {
    cause,
  });
}

/** In words: fetch itself says no more than "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: unknown; message?: unknown } | undefined;
  return String(cause?.code ?? (cause?.message || error.message));
}

/** Seconds before a retry: doubling, and different for each client, so that they are not all retried at once. */
function backoff(retries: number): number {
  const most = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** retries);
  return ((0.5 + Math.random() / 2) * most) / 1000;
}

/** Never sooner than requested, and not all at once. */
function jittered(seconds: number): number {
  return seconds + Math.random() * Math.min(1, 0.1 * seconds + 0.1);
}
