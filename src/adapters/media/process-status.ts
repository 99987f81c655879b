import { readdirSync, readFileSync } from 'node:fs';

/**
 * Bytes of memory that a process holds and that nobody else could use: anonymous and shared, not mapped files. Null where the system does
 * not tell (no /proc) or the process is gone.
 */
export function heldMemory(pid: number): number | null {
  const status = statusOf(pid);
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN);
  const held = kib('RssAnon') + kib('RssShmem');
  return Number.isNaN(held) ? null : held * 1024;
}

/** The processes of an account by their ids, real or effective, without those that have ended and are not waited for yet. */
export function processesOf(uid: number): readonly number[] {
  return processIds().filter((pid) => {
    const status = statusOf(pid);
    const [, real, effective] = /^Uid:\s+(\d+)\s+(\d+)/m.exec(status) ?? [];
    return [real, effective].includes(String(uid)) && !/^State:\s+[ZX]/m.test(status);
  });
}

function processIds(): readonly number[] {
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
