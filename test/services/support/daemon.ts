import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runFolder } from './shared.js';

/**
 * Ends the program when its standard input ends: a test run that is killed leaves no server behind. With all of its group, because nginx's workers
 * outlive a master that is killed, and would answer in place of the next one on the port.
 */
const GUARD = 'setsid "$@" & child=$!; cat > /dev/null; kill -9 "-$child" "$child" 2> /dev/null; wait "$child"';

/** A server of a test, from its start to its end. */
export class Daemon {
  private constructor(
    private readonly name: string,
    private readonly guard: ChildProcess,
    private readonly log: string,
  ) {}

  /** Starts a program in the foreground mode that it must have; what it prints goes to the file `log`. */
  static start(command: readonly [string, ...string[]], log: string, env: NodeJS.ProcessEnv = {}): Daemon {
    return new Daemon(command[0], guarded(command, 'pipe', log, env), log);
  }

  /** What it printed, for the message of a start that failed. */
  printed(): string {
    return `${this.name} printed:\n${readFileSync(this.log, 'utf8').slice(-4000)}`;
  }

  /** kill -9: nothing that a test made is worth an orderly end. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.guard.once('exit', resolve));
    if (this.guard.exitCode !== null) return;
    this.guard.stdin?.end();
    await ended;
  }
}

/** The same for a server that suites share: it goes on until the end of the run. */
export function startForRun(command: readonly [string, ...string[]], log: string, env: NodeJS.ProcessEnv): void {
  const lifeline = openSync(join(runFolder(), 'lifeline'), 'r');
  guarded(command, lifeline, log, env).unref();
  closeSync(lifeline);
}

function guarded(
  command: readonly [string, ...string[]],
  input: 'pipe' | number,
  log: string,
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const output = openSync(log, 'a');
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', ...command], {
    env: { ...process.env, ...env },
    stdio: [input, output, output],
  });
  closeSync(output);
  return guard;
}
