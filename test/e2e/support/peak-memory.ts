import { readFileSync } from 'node:fs';

/** Peak resident memory of a process, bytes (Linux). */
export function peakMemory(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) * 1024;
}
