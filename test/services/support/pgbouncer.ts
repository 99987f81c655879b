import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../../e2e/support/processes.js';
import { freePort } from '../../e2e/support/service.js';
import { Daemon } from './daemon.js';
import type { PostgresServer } from './postgres-server.js';
import { program } from './programs.js';

/** Debian's PgBouncer before a server, in transaction mode: whoever begins a transaction gets any of three connections. */
export class PgBouncer {
  private constructor(
    readonly folder: string,
    readonly url: string,
    /** It keeps the prepared statements of its clients: PgBouncer 1.21 and newer. */
    readonly preparesStatements: boolean,
    private readonly daemon: Daemon,
  ) {}

  static async before(postgres: PostgresServer, database: string): Promise<PgBouncer> {
    const command = program('pgbouncer', 'pgbouncer');
    const [, major, minor] =
      /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(command, ['--version'], { encoding: 'utf8' })) ?? [];
    const prepares = Number(major) > 1 || Number(minor) >= 21;
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    chmodSync(folder, 0o777);
    const port = await freePort();
    const { hostname, port: serverPort } = new URL(postgres.url);
    const settings = [
      '[databases]',
      // As docs/operations.md says.
      `${database} = host=${hostname} port=${serverPort} connect_query='SET statement_timeout = 5000; SET idle_in_transaction_session_timeout = 30000'`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 3',
      'ignore_startup_parameters = extra_float_digits,options,statement_timeout,idle_in_transaction_session_timeout',
      ...(prepares ? ['max_prepared_statements = 200'] : []),
    ];
    const file = join(folder, 'pgbouncer.ini');
    // `any` lets everybody in as the account that the server is asked for.
    writeFileSync(file, `${settings.join('\n').replace(/(host=)/, 'user=photos $1')}\n`);
    const account = process.geteuid?.() === 0 ? ['-u', 'postgres'] : [];
    const daemon = Daemon.start([command, ...account, file], join(folder, 'pgbouncer.out'));
    const url = `postgres://photos@127.0.0.1:${port}/${database}`;
    const bouncer = new PgBouncer(folder, url, prepares, daemon);
    await until('pgbouncer to answer', () => bouncer.answers());
    return bouncer;
  }

  async stop(): Promise<void> {
    await this.daemon.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    const client = new Client({ connectionString: this.url, connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  }
}
