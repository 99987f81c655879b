import {
  type Budget,
  type RateWindowStore,
  stateOf,
  WINDOW_MS,
  type WindowState,
} from '../../core/access/rolling-window.js';
import { DomainError } from '../../core/shared/errors.js';
import { type Answer, RedisConnection } from './redis-connection.js';

/** How long a call takes at most, including the network. Shorter than the timeout of FallbackRateWindowStore. */
const DEADLINE_MS = 800;

/** -1 stands for none. */
const orNone = (moment: number): number | null => (moment < 0 ? null : moment);

/**
 * Admissions in Redis, for many processes at high rates: one atomic script per call, on Redis's clock. A connection is opened with the
 * first call, and dropped after the first that fails or gets no answer in time: the next call opens another. Errors: `service_unavailable`
 * within the deadline; the call may have been counted nevertheless.
 */
export class RedisRateWindowStore implements RateWindowStore {
  private connection: RedisConnection | null = null;

  /** @param url `redis://` or `rediss://`, with name and password if it needs them. */
  constructor(
    private readonly url: string,
    private readonly deadlineMs: number = DEADLINE_MS,
  ) {}

  hit(budget: Budget): Promise<WindowState> {
    return this.ask(budget, true);
  }

  peek(budget: Budget): Promise<WindowState> {
    return this.ask(budget, false);
  }

  /** Redis expires keys by itself. */
  async sweep(): Promise<number> {
    return 0;
  }

  close(): void {
    this.connection?.close();
    this.connection = null;
  }

  private async ask({ name, limit }: Budget, counting: boolean): Promise<WindowState> {
    const [admitted, used, newest, blocker, now] = await this.answer(name, limit, counting);
    return stateOf({ used, newest: orNone(newest), blocker: orNone(blocker) }, limit, now, admitted === 1);
  }

  private async answer(name: string, limit: number, counting: boolean): Promise<Answer> {
    this.connection ??= new RedisConnection(this.url, this.deadlineMs);
    const connection = this.connection;
    try {
      return await connection.rateWindow(name, limit, WINDOW_MS, counting);
    } catch (error) {
      connection.close();
      // Another call may have opened a new one meanwhile.
      if (this.connection === connection) this.connection = null;
      const failure = new DomainError('service_unavailable', `Redis is unavailable: ${reasonOf(error)}`);
      failure.cause = error;
      throw failure;
    }
  }
}

/** The client's message contains the address and no password. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
