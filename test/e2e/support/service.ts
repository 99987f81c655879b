import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from './client.js';
import { type CommandResult, operate } from './operator.js';
import { processesOn, until } from './processes.js';

const PHS = join(__dirname, '../../../bin/phs.js');

/** An installation: a data folder and a port of its own. Its service can be started, stopped, killed and started again. */
export class Installation {
  private child: ChildProcess | null = null;
  private output = '';
  private ended = false;

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    private readonly extra: Readonly<Record<string, string>>,
    private readonly program: string,
  ) {}

  /** Its database is there and migrated, or is the one that the settings name; nothing else is there yet. @param program Its `phs`. */
  static async make(extra: Readonly<Record<string, string>> = {}, program = PHS): Promise<Installation> {
    const installation = await Installation.empty(extra, program);
    const template = process.env['INSTALLATION_TEMPLATE'];
    if (template === undefined) throw new Error('the template is made before the first suite');
    if (extra['DATABASE_URL'] === undefined) execFileSync('cp', ['-a', `${template}/.`, installation.dataDir]);
    return installation;
  }

  /** A folder with nothing in it. */
  static async empty(extra: Readonly<Record<string, string>> = {}, program = PHS): Promise<Installation> {
    return new Installation(mkdtempSync(join(tmpdir(), 'phs-e2e-')), await freePort(), extra, program);
  }

  /** Another service on the same data folder, with a port of its own. */
  async rival(): Promise<Installation> {
    return new Installation(this.dataDir, await freePort(), this.extra, this.program);
  }

  /** The same installation under another environment; only one of the two may run. */
  with(extra: Readonly<Record<string, string>>): Installation {
    return new Installation(this.dataDir, this.port, extra, this.program);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    if (this.child?.pid === undefined) throw new Error('the service does not run');
    return this.child.pid;
  }

  /** Starts the built program, with these settings too, and waits until it says that it is ready. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    this.launch(settings);
    await until('the service to be ready', () => {
      if (this.ended) throw new Error(`the service ended at its start:\n${this.output}`);
      return this.output.includes('is ready at');
    });
  }

  /** Starts it where it must refuse, and waits for its end. */
  async startInVain(): Promise<{ status: number | null; output: string }> {
    this.launch();
    await until('the service to end', () => this.ended);
    return { status: this.child?.exitCode ?? null, output: this.output };
  }

  /** The key in the file that this start names; null when it names none. */
  token(): string | null {
    return this.firstFile('first-key');
  }

  /** The link into the settings area in the file that this start names; null when it names none. */
  link(): string | null {
    return this.firstFile('first-link');
  }

  private firstFile(name: string): string | null {
    const path = join(this.dataDir, name);
    return this.output.includes(`\n  ${path}\n`) ? readFileSync(path, 'utf8').trim() : null;
  }

  printed(): string {
    return this.output;
  }

  /** Ends the service in order. Resolves with its exit code. @param signal After SIGTERM it would go on answering for two seconds first. */
  async stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGINT'): Promise<number | null> {
    this.child?.kill(signal);
    await until('the service to end', () => this.ended);
    return this.child?.exitCode ?? null;
  }

  /** Resolves when the service has ended, by whatever cause. */
  async end(): Promise<void> {
    await until('the service to end', () => this.ended);
  }

  /** kill -9 of the service alone; its database notices, and ends in order. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.end();
  }

  /** kill -9 of everything that belongs to the installation, database included. */
  async killEverything(): Promise<void> {
    this.child?.kill('SIGKILL');
    await until('everything to be dead', () => {
      const alive = processesOn(this.dataDir);
      for (const { pid } of alive) killQuietly(pid);
      return this.ended && alive.length === 0;
    });
  }

  /** Runs a command of an operator on this installation. */
  phs(...args: string[]): CommandResult {
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.program, ...args], {
      env: this.env(),
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  /** Begins a command that goes on until it is ended, with pipes to it. */
  begin(...args: string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [this.program, ...args], { env: this.env(), stdio: 'pipe' });
  }

  /**
   * The same while this process goes on: its connections that the service closes meanwhile are seen to be closed, and the service
   * is not kept waiting for what a test is to answer.
   */
  command(...args: string[]): Promise<CommandResult> {
    return this.commandWith({}, ...args);
  }

  /** The same, with these settings too. */
  async commandWith(settings: Readonly<Record<string, string>>, ...args: string[]): Promise<CommandResult> {
    const env = { ...this.env(), ...settings };
    const child = spawn(process.execPath, [this.program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await until('the command to end', () => child.exitCode !== null || child.signalCode !== null);
    return { status: child.exitCode, stdout, stderr };
  }

  /**
   * The same for a fraction of the processor time, in a process that goes on (operator.ts): for what a test needs to be done or to know,
   * where it is not about a command as a process.
   */
  operate(...args: string[]): Promise<CommandResult> {
    const env = this.env();
    // Read when a process starts, or of another program.
    const isApart = ['NODE_OPTIONS', 'LD_PRELOAD'].some((name) => env[name] !== undefined) || this.program !== PHS;
    return isApart ? this.command(...args) : operate(args, env);
  }

  /** A client of the first customer whose budgets are far away. */
  async client(): Promise<Client> {
    const limits = ['--read-limit', '1000000', '--write-limit', '1000000'];
    const about = ['--customer', '1', '--name', 'test', '--scopes', 'all', ...limits, '--json'];
    const made = await this.operate('key', 'create', ...about);
    if (made.status !== 0) throw new Error(`no key could be made: ${made.stderr}`);
    return new Client(this.url, JSON.parse(made.stdout).token);
  }

  async remove(): Promise<void> {
    if (this.child && !this.ended) await this.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private launch(settings: Readonly<Record<string, string>> = {}): void {
    this.output = '';
    this.ended = false;
    const env = { ...this.env(), ...settings };
    const child = spawn(process.execPath, [this.program, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (text: Buffer) => {
      this.output += text.toString();
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('close', () => {
      this.ended = true;
    });
    this.child = child;
  }

  private env(): NodeJS.ProcessEnv {
    const { PATH, HOME, TMPDIR } = process.env;
    const settings = { DATA_DIR: this.dataDir, PORT: String(this.port), LOG_LEVEL: 'warn' };
    // The same on every machine; some processor time for pictures even while other tests use all of it.
    const base = { PATH, HOME, TMPDIR, ...settings, PROCESSES: '1', MEDIA_PRIORITY: 'low' };
    return Object.fromEntries(Object.entries({ ...base, ...this.extra }).filter(([, value]) => value !== undefined));
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

/**
 * A port that nobody listens on. Not from those that the system gives to connections on their way out (32768 and above on Linux): one of
 * them might have it by the time that somebody listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
