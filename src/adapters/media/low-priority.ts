import { constants, setPriority } from 'node:os';

/**
 * Gives requests priority over pictures: the kernel runs what answers clients first, and decoders with the remaining time. A decoder still
 * gets about a tenth of a busy processor, so that it always makes progress. Call it before the process starts threads: each keeps the
 * priority that it was created with. If the system refuses, nothing changes.
 */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Priority is optional: the process may be gone, a container may forbid it.
  }
}
