import { readFileSync } from 'node:fs';

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

/** Read at once: no disk is behind it. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
