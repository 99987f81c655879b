import cluster, { type Worker } from 'node:cluster';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ipcChannel } from '../../adapters/processes/channel.js';
import { Rpc } from '../../adapters/processes/rpc.js';
import type { Config } from '../../config/config.js';
import type { Environment } from '../../config/environment-reader.js';
import type { StartParams, StopParams } from './calls.js';

/** A request process, as the primary sees it. */
export interface RequestProcess {
  readonly number: number;
  readonly pid: number;
  readonly calls: Rpc;
  /** Resolves when it has ended, with a description. */
  readonly ended: Promise<string>;
  /** Rejects with its message if it cannot start; it may not have ended then. */
  start(): Promise<void>;
  /** Resolves when it has answered its last request. It has not ended then. */
  stop(reason: StopParams['reason']): Promise<void>;
  /** Ends it, in order if it has stopped. */
  end(): void;
  kill(): void;
}

/**
 * Starts a process that shares the listening address: node:cluster, where the primary accepts connections and distributes them in turn.
 * @param env The settings. They are sent over the channel: the environment of a process may be readable for others.
 * @param hidden Names of variables that are only sent.
 */
export function startRequestProcess(
  { dataDir }: Pick<Config, 'dataDir'>,
  env: Environment,
  hidden: readonly string[],
): RequestProcess {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('./request-process.js', import.meta.url)),
    // For people who look at a list of processes.
    args: [resolve(dataDir)],
    serialization: 'advanced',
  });
  const worker = cluster.fork(Object.fromEntries(hidden.map((name) => [name, undefined])));
  const calls = new Rpc(ipcChannel(worker.process));
  const loaded = new Promise<void>((load) => calls.serve({ loaded: async () => load() }));
  const ended = endOf(worker);
  return {
    number: worker.id,
    pid: worker.process.pid ?? 0,
    calls,
    ended,
    async start() {
      // Once it has ended, the call is rejected.
      await Promise.race([loaded, ended]);
      await calls.call('start', { env, number: worker.id } satisfies StartParams);
    },
    async stop(reason) {
      await Promise.race([loaded, ended]);
      await calls.call('stop', { reason } satisfies StopParams);
    },
    // Without its channel, a process of a cluster exits.
    end: () => worker.process.connected && worker.process.disconnect(),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

function endOf(worker: Worker): Promise<string> {
  return new Promise((end) => {
    worker.on('error', (error) => end(error.message));
    worker.on('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  });
}
