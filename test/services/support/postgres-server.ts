import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { until } from '../../e2e/support/processes.js';
import { freePort } from '../../e2e/support/service.js';
import { Daemon } from './daemon.js';
import { program } from './programs.js';

const run = promisify(execFile);

type Command = readonly [string, ...string[]];

/** Postgres refuses to run as root: then it runs as the account that its package has made. */
function asOrdinary(command: Command): Command {
  if (process.geteuid?.() !== 0) return command;
  const setpriv = program('setpriv', 'util-linux');
  return [setpriv, '--reuid=postgres', '--regid=postgres', '--init-groups', ...command];
}

/** A Postgres server of its own, from Debian's package, empty, on a port of this machine. Its account may do everything. */
export class PostgresServer {
  private constructor(
    /** Its account may write below it, as ours may. */
    readonly folder: string,
    private readonly port: number,
    private daemon: Daemon,
  ) {}

  static async start(): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    chmodSync(folder, 0o777);
    const [initdb, ...args] = asOrdinary([program('initdb', 'postgresql'), '-D', join(folder, 'data'), '-U', 'photos']);
    await run(initdb, [...args, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], { cwd: folder });
    const port = await freePort();
    const server = new PostgresServer(folder, port, launch(folder, port));
    await server.answers();
    return server;
  }

  get url(): string {
    return this.urlOf('postgres');
  }

  urlOf(database: string): string {
    return `postgres://photos@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs a statement over a connection of its own. */
  // biome-ignore lint/suspicious/noExplicitAny: rows are looked into by tests, which say what they expect.
  async query(database: string, sql: string): Promise<readonly any[]> {
    const client = await this.connectTo(database);
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** A connection of a test's own; end it. */
  async connectTo(database: string): Promise<Client> {
    const client = new Client({ connectionString: this.urlOf(database), connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Ends what the service is connected by, at whatever it is just then. */
  async killConnections(): Promise<void> {
    await this.query(
      'postgres',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'photo-service'`,
    );
  }

  /** `fast` ends connections and writes everything down; `immediate` leaves that to the recovery at the start. */
  async restart(mode: 'fast' | 'immediate'): Promise<void> {
    const [control, ...args] = asOrdinary([program('pg_ctl', 'postgresql'), '-D', join(this.folder, 'data')]);
    await run(control, [...args, '-m', mode, '-w', 'stop'], { cwd: this.folder });
    await this.daemon.stop();
    this.daemon = launch(this.folder, this.port);
    await this.answers();
  }

  async stop(): Promise<void> {
    await this.daemon.stop();
    // Its own processes end as they see that it is gone.
    await until('postgres to be gone', async () => !(await this.isThere()));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  private async answers(): Promise<void> {
    await until('postgres to answer', () => this.isThere());
  }

  private async isThere(): Promise<boolean> {
    return this.connectTo('postgres').then(
      (client) => client.end().then(() => true),
      () => false,
    );
  }
}

function launch(folder: string, port: number): Daemon {
  const data = join(folder, 'data');
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const command = asOrdinary([program('postgres', 'postgresql'), '-D', data, '-p', String(port), ...options]);
  return Daemon.start(command, join(folder, 'postgres.out'), { PGDATA: data });
}
