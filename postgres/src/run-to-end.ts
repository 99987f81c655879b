import { spawn } from 'node:child_process';

/** Whom the database's programs run as; Postgres refuses to run as root. */
export interface Account {
  readonly name: string;
  /** Words that go before every command. */
  readonly prefix: readonly string[];
  /** Set only where the programs run as another user than this process. */
  readonly ids?: { readonly uid: number; readonly gid: number };
}

export interface Finished {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly env?: Record<string, string>;
  readonly input?: string;
  /** A descriptor that the program holds as its number 3, so that a lock on it lasts as long as the program. */
  readonly hold?: number;
}

/** Runs a short program to its end. Rejects only where it could not be started. */
export function runToEnd(account: Account, command: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const [program, ...args] = [...account.prefix, ...command];
  return new Promise((resolve, reject) => {
    const child = spawn(program as string, args, {
      ...account.ids,
      cwd: '/', // our own folder may be closed to the account
      env: programEnvironment(options.env),
      stdio: ['pipe', 'pipe', 'pipe', options.hold ?? 'ignore'],
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin?.on('error', () => undefined); // it ended without reading; its exit code tells
    child.stdin?.end(options.input ?? '');
  });
}

/**
 * An allow-list: the programs may run as another account, which could read the service's secrets from an inherited environment, and
 * PGDATA and its kin would lead them elsewhere.
 */
export function programEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: 'C', TZ: 'UTC', ...extra };
  for (const name of ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'SYSTEMROOT', 'windir', 'ComSpec']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
