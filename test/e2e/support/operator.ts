import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { cachedInWorker } from '../../support/worker-cache.js';

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line of the built program, in a process that the suites of this worker keep for such.
 * @param client The file of an installed client that is run instead.
 */
export async function operate(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  client?: string,
): Promise<CommandResult> {
  const idle = cachedInWorker<ChildProcess[]>('idle operators', () => []);
  const operator = idle.pop() ?? started();
  operator.ref();
  operator.channel?.ref();
  try {
    const result = await new Promise<CommandResult>((resolve, reject) => {
      operator.once('message', (answer) => resolve(answer as CommandResult));
      operator.once('exit', (...how) => reject(new Error(`phs ${args.join(' ')} ended its process: ${how}`)));
      operator.send({ args, env, client }, (error) => error && reject(error));
    });
    idle.push(operator);
    return result;
  } finally {
    for (const event of ['message', 'exit']) operator.removeAllListeners(event);
    // It ends with this process.
    operator.channel?.unref();
    operator.unref();
  }
}

function started(): ChildProcess {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  return spawn(process.execPath, [join(__dirname, 'run-asked.mjs')], { stdio: [...stdio] });
}
