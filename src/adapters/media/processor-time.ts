import { readdirSync, readFileSync } from 'node:fs';
import { STATE, SYSTEM_TIME, statFields, USER_TIME } from '../proc-stat.js';

/** How long a process has run, and whether it would run now. */
export interface ProcessorTime {
  /** Milliseconds that all its threads have run together. */
  readonly used: number;
  /** A thread runs, waits for a processor, or for the disk: the process is not stuck. */
  readonly isActive: boolean;
}

/** USER_HZ is 100 on every architecture that Node supports. */
const MILLISECONDS_PER_TICK = 10;

/** Null where the system does not tell (no /proc), or the process is gone. */
export function processorTime(pid: number): ProcessorTime | null {
  try {
    const all = fieldsOf(`/proc/${pid}/stat`);
    const threads = readdirSync(`/proc/${pid}/task`);
    const states = threads.map((thread) => fieldsOf(`/proc/${pid}/task/${thread}/stat`)[STATE]);
    return {
      used: (Number(all[USER_TIME]) + Number(all[SYSTEM_TIME])) * MILLISECONDS_PER_TICK,
      isActive: states.some((state) => state === 'R' || state === 'D'),
    };
  } catch {
    return null;
  }
}

function fieldsOf(path: string): readonly string[] {
  return statFields(readFileSync(path, 'utf8'));
}
