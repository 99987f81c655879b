import type { Clock } from '../shared/clock.js';
import { after } from '../shared/clock.js';
import type { SessionStore } from './session.js';
import { IDLE_MS, LONGEST_MS } from './session.js';

/** Deletes sessions that have ended. Returns how many. */
export function sweepSessions({ sessions, clock }: { sessions: SessionStore; clock: Clock }): Promise<number> {
  return sessions.sweep(after(clock.now(), -LONGEST_MS), after(clock.now(), -IDLE_MS));
}
