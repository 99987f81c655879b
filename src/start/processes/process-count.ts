import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Config } from '../../config/config.js';

/**
 * Returns how many processes answer requests. One: there is no primary process. On two processors it is one by default: one process and its
 * database use both of them, two add what they tell each other and share fewer statements between requests, and bare Express gains nothing
 * there either (docs/capacity.md).
 */
export function processCount({ processes, role }: Pick<Config, 'processes' | 'role'>, processors = usable()): number {
  // It answers nothing but questions about its health.
  if (role === 'worker') return 1;
  if (processes !== null) return processes;
  // One processor is for the database, jobs and pictures. With ten connections each, seven processes fit into the hundred that a Postgres
  // allows by default; more are for those who ask for them.
  return processors <= 2 ? 1 : Math.min(processors - 1, 7);
}

/** Processors that this process may use, and a container's share of them. */
function usable(): number {
  let quota: number | null = null;
  try {
    quota = quotaOf(readFileSync('/sys/fs/cgroup/cpu.max', 'utf8'));
  } catch {
    // No container, or another system.
  }
  return Math.min(availableParallelism(), quota ?? Number.POSITIVE_INFINITY);
}

/** Whole processors of a line of cpu.max (cgroups(7), version 2), "MICROSECONDS PERIOD"; null if there is no limit. */
export function quotaOf(line: string): number | null {
  const [, microseconds, period] = /^(\d+) (\d+)/.exec(line) ?? [];
  return microseconds === undefined ? null : Math.max(1, Math.floor(Number(microseconds) / Number(period)));
}
