import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** Bytes of memory that nobody else could use: anonymous and shared, in memory or swapped out, and page tables; not mapped files. */
  readonly memory: number;
  readonly threads: number;
}

/** Null where the system does not tell (no /proc) or the process is gone. */
export function usageOf(pid: number): ProcessUsage | null {
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

/** What a file of /proc says under each name; nothing when it cannot be read. Read at once: no disk is behind it. */
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
