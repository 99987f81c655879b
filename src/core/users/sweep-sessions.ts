import type { Uses } from '../ports.js';
import { after } from '../shared/clock.js';
import { IDLE_MS, LONGEST_MS } from './session.js';

/** Deletes sessions that have ended. Returns how many. */
export function sweepSessions({ sessions, clock }: Uses<'sessions' | 'clock'>): Promise<number> {
  return sessions.sweep(after(clock.now(), -LONGEST_MS), after(clock.now(), -IDLE_MS));
}
