import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** Bytes of memory that nobody else could use: anonymous and shared, in memory or swapped out, and page tables; not mapped files. */
  readonly memory: number;
  readonly threads: number;
}

/** Null where the system does not tell (no /proc) or the process is gone. */
export function usageOf(pid: number): ProcessUsage | null {
  const status = statusOf(pid);
  const numberOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN);
  const kib = ['RssAnon', 'RssShmem', 'VmSwap', 'VmPTE'].reduce((sum, name) => sum + numberOf(name), 0);
  return Number.isNaN(kib) ? null : { memory: kib * 1024, threads: numberOf('Threads') };
}

/** Bytes that a process has written since it began, anywhere. Null where the system does not tell. */
export function writtenBy(pid: number): number | null {
  try {
    const io = readFileSync(`/proc/${pid}/io`, 'utf8');
    // By write(2); and, where it maps files into memory, only what goes to a disk.
    const [, called, stored] = /^wchar: (\d+)$[\s\S]*^write_bytes: (\d+)$/m.exec(io) ?? [];
    return called === undefined ? null : Math.max(Number(called), Number(stored));
  } catch {
    return null;
  }
}

/** The processes of an account by their ids, real or effective, without those that have ended and are not waited for yet. */
export function processesOf(uid: number): readonly number[] {
  return processIds().filter((pid) => isOf(pid, uid));
}

export function isOf(pid: number, uid: number): boolean {
  const status = statusOf(pid);
  const [, real, effective] = /^Uid:\s+(\d+)\s+(\d+)/m.exec(status) ?? [];
  return [real, effective].includes(String(uid)) && !/^State:\s+[ZX]/m.test(status);
}

export function processIds(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

/** Read at once: no disk is behind it. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
