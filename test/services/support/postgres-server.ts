import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../../e2e/support/processes.js';
import { freePort } from '../../e2e/support/service.js';
import { Daemon } from './daemon.js';
import { program } from './programs.js';

/** A Postgres server of its own, from Debian's package, empty, on a port of this machine. */
export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Postgres refuses to run as root: then it runs as the account that its package has made. */
function asOrdinary(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (process.geteuid?.() !== 0) return command;
  const setpriv = program('setpriv', 'util-linux');
  return [setpriv, '--reuid=postgres', '--regid=postgres', '--init-groups', ...command];
}

function run([name, ...args]: readonly [string, ...string[]], cwd: string): void {
  execFileSync(name, args, { cwd, stdio: 'ignore' });
}

export async function startPostgres(): Promise<PostgresServer> {
  const initdb = program('initdb', 'postgresql');
  const postgres = program('postgres', 'postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const port = await freePort();
  const data = join(folder, 'data');
  // Both accounts write below it.
  chmodSync(folder, 0o777);
  run(asOrdinary([initdb, '-D', data, '-U', 'photos', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']), folder);
  const settings = ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`];
  const command = asOrdinary([postgres, '-D', data, '-p', String(port), ...settings]);
  const daemon = Daemon.start(command, join(folder, 'postgres.out'), { PGDATA: data });
  const url = `postgres://photos@127.0.0.1:${port}/postgres`;
  await until('postgres to answer', () => answers(url));
  return {
    url,
    async stop() {
      await daemon.stop();
      // Its own processes end as they see that it is gone.
      await until('postgres to be gone', async () => !(await answers(url)));
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
