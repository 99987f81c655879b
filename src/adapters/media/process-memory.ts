import { readFile } from 'node:fs/promises';

/**
 * Bytes of memory that a process holds and that nobody else could use: anonymous and shared, not mapped files. Null where the
 * system does not tell (no /proc) or the process is gone.
 */
export async function heldMemory(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN);
  const held = kib('RssAnon') + kib('RssShmem');
  return Number.isNaN(held) ? null : held * 1024;
}
