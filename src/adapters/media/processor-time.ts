import { readdirSync, readFileSync } from 'node:fs';

/** How long a process has run, and whether it would run now. */
export interface ProcessorTime {
  /** Milliseconds that all its threads have run together. */
  readonly used: number;
  /** A thread runs, waits for a processor, or for the disk: the process is not stuck. */
  readonly isActive: boolean;
}

/** Of /proc/PID/stat, proc_pid_stat(5), counted from the field after the command's name: `state`, `utime` and `stime`. */
const [STATE, USER, SYSTEM] = [0, 11, 12] as const;
/** USER_HZ is 100 on every architecture that Node supports. */
const MILLISECONDS_PER_TICK = 10;

/** Null where the system does not tell (no /proc), or the process is gone. */
export function processorTime(pid: number): ProcessorTime | null {
  try {
    const all = fieldsOf(`/proc/${pid}/stat`);
    const threads = readdirSync(`/proc/${pid}/task`);
    const states = threads.map((thread) => fieldsOf(`/proc/${pid}/task/${thread}/stat`)[STATE]);
    return {
      used: (Number(all[USER]) + Number(all[SYSTEM])) * MILLISECONDS_PER_TICK,
      isActive: states.some((state) => state === 'R' || state === 'D'),
    };
  } catch {
    return null;
  }
}

/** The command's name, in brackets, may contain spaces and brackets. */
function fieldsOf(path: string): readonly string[] {
  const stat = readFileSync(path, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
