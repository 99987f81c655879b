import pg from 'pg';

/** Where to connect, and as whom. */
export interface Listening {
  /** None: the connection only shows that the process is alive. */
  readonly channel?: string;
  /**
   * Number of an advisory lock that the connection shares with others of its process: as long as one of them holds it, the process is
   * alive.
   */
  readonly holder?: number;
}

/** What becomes due with time is not announced. */
const LOOK_EVERY_MS = 2_000;
const RECONNECT_AFTER_MS = 1_000;

/**
 * Calls `wake` when a notification arrives on the channel, and every two seconds: for what has become due with time, and for notifications
 * that were missed. Uses its own connection, and reopens it when it is lost; that never throws. Resolves once it listens, or once it knows
 * that it cannot yet.
 * @returns Stops it, and resolves when the connection is closed.
 */
export async function listenOn(
  config: pg.ClientConfig,
  where: Listening,
  wake: () => void,
): Promise<() => Promise<void>> {
  const listener = new Listener(config, where, wake);
  await listener.connect();
  return () => listener.stop();
}

class Listener {
  private readonly looking: NodeJS.Timeout;
  private client: pg.Client | undefined;
  private reconnecting: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly where: Listening,
    private readonly wake: () => void,
  ) {
    this.looking = setInterval(wake, LOOK_EVERY_MS).unref();
  }

  async connect(): Promise<void> {
    const client = new pg.Client(this.config);
    this.client = client;
    client.on('notification', () => this.wake());
    // An error precedes the end of the connection, and without a handler it would end the process.
    client.on('error', () => {});
    client.on('end', () => this.connectLater());
    try {
      await client.connect();
      const { channel, holder } = this.where;
      if (holder !== undefined) await client.query('SELECT pg_advisory_lock_shared($1)', [holder]);
      if (channel !== undefined) await client.query(`LISTEN ${channel}`);
      this.wake();
    } catch {
      await client.end().catch(() => {});
      this.connectLater();
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.looking);
    clearTimeout(this.reconnecting);
    await this.client?.end().catch(() => {});
  }

  private connectLater(): void {
    clearTimeout(this.reconnecting);
    if (!this.stopped) this.reconnecting = setTimeout(() => this.connect(), RECONNECT_AFTER_MS).unref();
  }
}
