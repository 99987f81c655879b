import { type CommandParser, createClient, defineScript } from 'redis';
import { withTimeout } from '../with-timeout.js';
import { RATE_WINDOW_SCRIPT } from './rate-window.script.js';

/** The reply of the script. */
export type Answer = readonly [admitted: number, used: number, newest: number, blocker: number, now: number];

const rateWindow = defineScript({
  SCRIPT: RATE_WINDOW_SCRIPT,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser: CommandParser, name: string, ...numbers: readonly number[]) {
    parser.pushKey(`photo-service:rate:${name}`);
    parser.push(...numbers.map(String));
  },
  transformReply: (reply: unknown) => reply as Answer,
});

/** Once closed, or disconnected, it stays so. */
export class RedisConnection {
  private readonly client: ReturnType<typeof openClient>;
  private readonly ready: Promise<unknown>;

  /** Begins to connect. */
  constructor(
    url: string,
    private readonly deadlineMs: number,
  ) {
    this.client = openClient(url, deadlineMs);
    // Callers get the error; without a listener the process would end.
    this.client.on('error', () => undefined);
    this.ready = this.client.connect();
    this.ready.catch(() => undefined);
  }

  /** Rejects when no answer arrives in time. */
  async rateWindow(name: string, limit: number, windowMs: number, counting: boolean): Promise<Answer> {
    const answer = this.ready.then(() => this.client.rateWindow(name, limit, windowMs, counting ? 1 : 0));
    return withTimeout(answer, this.deadlineMs, `no response within ${this.deadlineMs} ms`);
  }

  /** Immediately; calls that wait for an answer are rejected. */
  close(): void {
    this.client.destroy();
  }
}

function openClient(url: string, deadlineMs: number) {
  return createClient({
    url,
    // Supported by every version of Redis and its compatible servers.
    RESP: 2,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    socket: { connectTimeout: deadlineMs, reconnectStrategy: false },
    scripts: { rateWindow },
  });
}
