import type { RequestCount } from './traffic.js';

/** The requests of one key in one hour. */
export interface HourCount extends Omit<RequestCount, 'deprecated'> {
  /** 0 to 23, of the day in UTC. */
  readonly hour: number;
}

/** The hour of its day in UTC. */
export function hourOf(at: Date): number {
  return at.getUTCHours();
}
