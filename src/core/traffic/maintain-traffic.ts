import type { Clock } from '../shared/clock.js';
import { dayOf, type TrafficStore, trafficDays } from './traffic.js';

/** Run several times a day: the last count of a day is retained. */
export function countStorage({ traffic, clock }: { traffic: TrafficStore; clock: Clock }): Promise<void> {
  return traffic.countStorage(dayOf(clock.now()));
}

/** Deletes the days and hours that are no longer in the report. */
export async function sweepTraffic({ traffic, clock }: { traffic: TrafficStore; clock: Clock }): Promise<void> {
  const now = clock.now();
  await traffic.sweep(trafficDays(now)[0] ?? '');
  await traffic.sweepHours(dayOf(now));
}
