import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Gives requests priority over pictures: the kernel runs what answers clients first, and decoders with the remaining time. A decoder still
 * gets about a tenth of a busy processor, so that it always makes progress. Call it before the process starts threads: each keeps the
 * priority that it was created with. If the system refuses, nothing changes.
 */
export function lowerPriority(pid: number): void {
  attempt(() => setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL));
}

/**
 * The same for the session of a process. Linux schedules sessions against each other first and processes inside them second
 * (CONFIG_SCHED_AUTOGROUP, sched(7)), so the priority of a process alone in its session would have no effect.
 */
export function lowerSessionPriority(pid: number): void {
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_BELOW_NORMAL)));
}

function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // Priority is optional: the process may be gone, the kernel may have no sessions, a container may forbid it.
  }
}
