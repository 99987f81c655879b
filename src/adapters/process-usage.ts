import { readdirSync, readFileSync } from 'node:fs';

/** Where proc_pid_stat(5) has the fields that we read, among those that `statFields` returns. */
export const [STATE, START_TIME] = [0, 19] as const;
const [USER_TIME, SYSTEM_TIME] = [11, 12] as const;

/** The fields of a /proc/PID/stat from the third on: the second, a command's name in brackets, may contain spaces and brackets. */
export function statFields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Null where the system does not tell (no /proc) or the process is gone. */
export function usageOf(pid: number): {
  /** Bytes of memory that no one else could use: anonymous and shared, in memory or swapped out, and page tables; not mapped files. */
  readonly memory: number;
  readonly threads: number;
} | null {
  const status = linesOf(`/proc/${pid}/status`);
  const numberIn = (name: string) => Number.parseInt(status.get(name) ?? '', 10);
  const kib = ['RssAnon', 'RssShmem', 'VmSwap', 'VmPTE'].reduce((sum, name) => sum + numberIn(name), 0);
  return Number.isNaN(kib) ? null : { memory: kib * 1024, threads: numberIn('Threads') };
}

/**
 * Bytes that a process has written since it began, anywhere: by write(2), and, where it maps files into memory, only what goes to a disk. Null
 * where the system does not tell.
 */
export function writtenBy(pid: number): number | null {
  const io = linesOf(`/proc/${pid}/io`);
  return io.size === 0 ? null : Math.max(Number(io.get('wchar')), Number(io.get('write_bytes')));
}

/** The processes of an account by their ids, real or effective, without those that have ended and are not waited for yet. */
export function processesOf(uid: number): readonly number[] {
  return processIds().filter((pid) => isOf(pid, uid));
}

export function isOf(pid: number, uid: number): boolean {
  const status = linesOf(`/proc/${pid}/status`);
  const [real, effective] = (status.get('Uid') ?? '').split('\t');
  return [real, effective].includes(String(uid)) && !/^[ZX]/.test(status.get('State') ?? '');
}

export function processIds(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** Whether there is a process of this id. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to another account.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Returns what a file of /proc says under each name; nothing when it cannot be read. Read at once: no disk is behind it. */
function linesOf(path: string): ReadonlyMap<string, string> {
  try {
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
  } catch {
    return new Map();
  }
}

/** USER_HZ is 100 on every architecture that Node supports. */
const MILLISECONDS_PER_TICK = 10;

/**
 * The milliseconds that all threads of a process have run together, and whether it is not stuck: one of them runs, waits for a processor, or for
 * the disk. Null where the system does not tell (no /proc), or the process is gone. Reads a file for each of its threads.
 */
export function processorTime(pid: number): { readonly used: number; readonly isActive: boolean } | null {
  const used = timeUsedBy(pid);
  if (used === null) return null;
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const states = threads.map((thread) => fieldsOf(`/proc/${pid}/task/${thread}/stat`)[STATE]);
    return { used, isActive: states.some((state) => state === 'R' || state === 'D') };
  } catch {
    return null;
  }
}

/** Milliseconds that all threads of a process have run together; null as above. */
function timeUsedBy(pid: number): number | null {
  try {
    const all = fieldsOf(`/proc/${pid}/stat`);
    return (Number(all[USER_TIME]) + Number(all[SYSTEM_TIME])) * MILLISECONDS_PER_TICK;
  } catch {
    return null;
  }
}

function fieldsOf(path: string): readonly string[] {
  return statFields(readFileSync(path, 'utf8'));
}

/** However long a process waits for a processor: its picture holds a slot that others wait for. */
const MOST_EXTENSIONS = 10;
const SHORTEST_EXTENSION_MS = 100;

/**
 * The time that a process may take. One that had to wait for a processor, which those of the lowest priority do on a busy machine, gets what
 * it was not given, up to ten times the limit in all. One that is stuck gets nothing: at the end of the limit it neither runs nor would.
 */
export class TimeLimit {
  readonly #from = Date.now();
  readonly #usedBefore: number;
  #timer: NodeJS.Timeout;

  constructor(
    private readonly pid: () => number,
    private readonly milliseconds: number,
    private readonly exceeded: () => void,
  ) {
    // What its threads do counts once the limit has passed, which is rare.
    this.#usedBefore = timeUsedBy(pid()) ?? 0;
    this.#timer = setTimeout(() => this.#end(), milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #end(): void {
    const extension = this.#due();
    if (extension === 0) this.exceeded();
    else this.#timer = setTimeout(() => this.#end(), extension);
  }

  /** Milliseconds that the process was not given. */
  #due(): number {
    const time = processorTime(this.pid());
    const left = MOST_EXTENSIONS * this.milliseconds - (Date.now() - this.#from);
    if (!time?.isActive || left <= 0) return 0;
    const missing = this.milliseconds - (time.used - this.#usedBefore);
    return missing <= 0 ? 0 : Math.min(left, Math.max(missing, SHORTEST_EXTENSION_MS));
  }
}
