import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Client } from '../../e2e/support/client.js';
import type { CommandResult } from '../../e2e/support/operator.js';
import { until } from '../../e2e/support/processes.js';
import { freePort } from '../../e2e/support/service.js';

/** As docker/compose.yml runs the service: nothing can be written but /tmp and the volume, and there are no privileges. */
const CONFINED = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'];

export interface ContainerOptions {
  readonly image: string;
  /** Further options of `docker run`. */
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command of the engine to its end. */
export function engine(...args: readonly string[]): CommandResult {
  const program = process.env['CONTAINER_ENGINE'];
  if (program === undefined) throw new Error('This is for the project "image" of jest.config.mjs.');
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** What a command of the engine prints. */
export function engineOutput(...args: readonly string[]): string {
  const { status, stdout, stderr } = engine(...args);
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return stdout.trim();
}

/** A container of the service, confined, with a volume of its own. It can be stopped and started again. */
export class Container {
  private constructor(
    readonly name: string,
    readonly port: number,
  ) {}

  /** Starts it; it need not be ready yet. */
  static async start({ image, options = [], env = {} }: ContainerOptions): Promise<Container> {
    const container = new Container(`photo-service-${randomUUID()}`, await freePort());
    const onHost = options.includes('--network=host');
    const variables = Object.entries(onHost ? { PORT: String(container.port), ...env } : env);
    const port = onHost ? [] : [`--publish=127.0.0.1:${container.port}:3000`];
    const given = [
      ...port,
      `--volume=${container.name}:/data`,
      ...variables.map(([name, value]) => `--env=${name}=${value}`),
    ];
    engineOutput('run', '--detach', '--name', container.name, ...CONFINED, ...given, ...options, image);
    return container;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async ready(): Promise<void> {
    await until('the container to be ready', async () => {
      if (!this.isRunning()) throw new Error(`the container ended:\n${this.log()}`);
      return fetch(`${this.url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    });
  }

  /** Resolves with its exit code when it has ended by itself. */
  async end(): Promise<number> {
    await until('the container to end', () => !this.isRunning());
    return this.exitCode();
  }

  exec(...command: readonly string[]): CommandResult {
    return engine('exec', this.name, ...command);
  }

  /** What a command in it prints. */
  read(...command: readonly string[]): string {
    return engineOutput('exec', this.name, ...command);
  }

  log(): string {
    const { stdout, stderr } = engine('logs', this.name);
    return stdout + stderr;
  }

  /** As it made it on its first start. */
  firstKey(): string {
    return this.read('cat', '/data/first-key');
  }

  client(): Client {
    return new Client(this.url, this.firstKey());
  }

  /** Sends SIGTERM, without waiting for the end. */
  beginStop(): ChildProcess {
    return spawn(process.env['CONTAINER_ENGINE'] as string, ['stop', '-t', '45', this.name], { stdio: 'ignore' });
  }

  /** @returns its exit code; 137 if it had to be killed. */
  stop(): number {
    engineOutput('stop', '-t', '45', this.name);
    return this.exitCode();
  }

  startAgain(): void {
    engineOutput('start', this.name);
  }

  remove(): void {
    engine('rm', '--force', this.name);
    engine('volume', 'rm', '--force', this.name);
  }

  private isRunning(): boolean {
    return engineOutput('inspect', '--format={{.State.Running}}', this.name) === 'true';
  }

  private exitCode(): number {
    return Number(engineOutput('inspect', '--format={{.State.ExitCode}}', this.name));
  }
}
