import { setMaxListeners } from 'node:events';
import { pause } from './pause.js';

/** Something to do now and then for as long as the process runs. It must be fine to do it in several processes at once. */
export interface PeriodicTask {
  readonly name: string;
  /** From the end of one run to the begin of the next. */
  readonly everySeconds: number;
  /** Should end soon after the signal fires; what is left is done the next time. */
  run(stopping: AbortSignal): Promise<unknown>;
}

export interface RunningTasks {
  /** Begins no more runs, and resolves when those that run have ended. */
  stop(): Promise<void>;
}

/** The first runs wait for up to this share of the interval. */
const FIRST_SHARE = 0.1;

/**
 * Runs tasks again and again, each for itself and never twice at the same time. The first run comes soon after the start, at a moment
 * of its own, so that processes that start together do not do everything together. The timers do not keep the process alive.
 * @param onError Told of every run that failed; the task goes on with its next run. Must not throw.
 */
export function runPeriodically(
  tasks: readonly PeriodicTask[],
  onError: (task: string, error: unknown) => void,
): RunningTasks {
  const stopping = new AbortController();
  // Every task listens to it: more than Node expects of one signal is no leak here.
  setMaxListeners(0, stopping.signal);
  const ended = tasks.map((task) => repeat(task, onError, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(ended);
    },
  };
}

async function repeat(
  task: PeriodicTask,
  onError: (task: string, error: unknown) => void,
  stopping: AbortSignal,
): Promise<void> {
  const interval = task.everySeconds * 1000;
  await pause(interval * FIRST_SHARE * Math.random(), stopping, { idle: true });
  while (!stopping.aborted) {
    try {
      await task.run(stopping);
    } catch (error) {
      onError(task.name, error);
    }
    await pause(interval, stopping, { idle: true });
  }
}
