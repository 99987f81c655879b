import { setMaxListeners } from 'node:events';
import { pause } from './worker.js';

/** A task that runs periodically as long as the process lives. It must tolerate concurrent runs in several processes. */
export interface PeriodicTask {
  readonly name: string;
  /** From the end of one run to the beginning of the next. */
  readonly everySeconds: number;
  /** Should end soon after the signal fires; the next run continues. */
  run(stopping: AbortSignal): Promise<unknown>;
}

/** The first runs are delayed by up to this fraction of the interval. */
const FIRST_SHARE = 0.1;

/**
 * Runs tasks periodically, independently of each other and never twice at the same time. The first run follows soon after the start, with a
 * random delay, so that processes that start together do not run everything together. The timers do not keep the process alive.
 * @param onError Called for every run that failed; the task continues with its next run. Must not throw.
 */
export function runPeriodically(tasks: readonly PeriodicTask[], onError: (task: string, error: unknown) => void) {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every task listens to it: more listeners than Node expects on one signal are not a leak here.
  setMaxListeners(0, signal);
  const ended = tasks.map(async (task) => {
    const interval = task.everySeconds * 1000;
    await pause(interval * FIRST_SHARE * Math.random(), signal, { idle: true });
    while (!signal.aborted) {
      try {
        await task.run(signal);
      } catch (error) {
        onError(task.name, error);
      }
      await pause(interval, signal, { idle: true });
    }
  });
  return {
    /** Starts no more runs, and resolves when the current ones have ended. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(ended);
    },
  };
}
