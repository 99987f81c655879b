import { type CommandParser, createClient, defineScript } from '@redis/client';
import {
  type Budget,
  type RateWindowStore,
  stateOf,
  WINDOW_MS,
  type WindowState,
} from '../../core/access/rolling-window.js';
import { DomainError } from '../../core/shared/errors.js';
import { withTimeout } from '../system-clock.js';

/**
 * The rule of core/access/rolling-window.ts on one list of admission times, oldest first: nothing else runs in Redis meanwhile, and the
 * time is Redis's own, so that all processes share one clock. The list expires once it no longer counts.
 *
 * KEYS: the list. ARGV: the limit, the window in milliseconds, 1 to count the call and 0 to peek. Returns: whether it is admitted, how many
 * are counted, the newest of them, the one that blocks the next, and the time; -1 for none.
 */
const RATE_WINDOW_SCRIPT = `
  local log = KEYS[1]
  local limit, window, counting = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local text = string.format('%.0f', now)
  local function at(place) return tonumber(redis.call('LINDEX', log, place) or nil) end

  -- The clock was set back: nothing was admitted in the future, or it would block for longer than one window.
  local ahead = 0
  while (at(-1) or now) > now do
    redis.call('RPOP', log)
    ahead = ahead + 1
  end
  for _ = 1, ahead do redis.call('RPUSH', log, text) end
  while (at(0) or now) <= now - window do redis.call('LPOP', log) end

  local used = redis.call('LLEN', log)
  local admitted = used < limit
  if admitted and counting then used = redis.call('RPUSH', log, text) end
  if ahead > 0 or (admitted and counting) then redis.call('PEXPIRE', log, window + 1000) end
  local blocker = (used >= limit and limit > 0) and at(used - limit) or -1
  return { admitted and 1 or 0, used, at(-1) or -1, blocker, now }
`;

/** -1 stands for none. */
const orNone = (moment: number): number | null => (moment < 0 ? null : moment);

/**
 * Admissions in Redis, for many processes at high rates: one atomic script per call, on Redis's clock. A connection is opened with the
 * first call, and dropped after the first that fails or gets no answer in time: the next call opens another. Errors: `service_unavailable`
 * within the deadline; the call may have been counted nevertheless.
 */
export class RedisRateWindowStore implements RateWindowStore {
  private connection: ReturnType<typeof connect> | null = null;

  /**
   * @param url `redis://` or `rediss://`, with name and password if it needs them.
   * @param deadlineMs The longest time that a call takes, including the network. Shorter than the timeout of FallbackRateWindowStore.
   */
  constructor(
    private readonly url: string,
    private readonly deadlineMs: number = 800,
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
    // Immediately; calls that wait for an answer are rejected.
    this.connection?.client.destroy();
    this.connection = null;
  }

  private async ask({ name, limit }: Budget, counting: boolean): Promise<WindowState> {
    this.connection ??= connect(this.url, this.deadlineMs);
    const connection = this.connection;
    const { client, ready } = connection;
    try {
      const answer = ready.then(() => client.rateWindow(name, limit, WINDOW_MS, counting ? 1 : 0));
      const late = `no response within ${this.deadlineMs} ms`;
      const [admitted, used, newest, blocker, now] = await withTimeout(answer, this.deadlineMs, late);
      return stateOf({ used, newest: orNone(newest), blocker: orNone(blocker) }, limit, now, admitted === 1);
    } catch (error) {
      client.destroy();
      // Another call may have opened a new one meanwhile.
      if (this.connection === connection) this.connection = null;
      const message = `Redis is unavailable: ${reasonOf(error)}`;
      throw Object.assign(new DomainError('service_unavailable', message), { cause: error });
    }
  }
}

/** The client's message contains the address and no password. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

const rateWindow = defineScript({
  SCRIPT: RATE_WINDOW_SCRIPT,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser: CommandParser, name: string, ...numbers: readonly number[]) {
    parser.pushKey(`photo-service:rate:${name}`);
    parser.push(...numbers.map(String));
  },
  transformReply: (reply: unknown) =>
    reply as readonly [admitted: number, used: number, newest: number, blocker: number, now: number],
});

/** Once closed, or disconnected, it stays so. */
function connect(url: string, deadlineMs: number) {
  const client = createClient({
    url,
    // Supported by every version of Redis and its compatible servers.
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    socket: { connectTimeout: deadlineMs, reconnectStrategy: false },
    scripts: { rateWindow },
  });
  // Callers get the error; without a listener the process would end.
  client.on('error', () => undefined);
  const ready = client.connect();
  ready.catch(() => undefined);
  return { client, ready };
}
