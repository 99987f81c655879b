import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { type PictureCount, trafficDays } from '../traffic/traffic.js';
import type { DeliveryKey } from './delivery-key.js';
import type { Preset } from './preset.js';

/** What the URLs of an account's images are made with, and how often they were used. */
export interface ImageDelivery {
  /** Oldest first. */
  readonly keys: readonly DeliveryKey[];
  /** By name. */
  readonly presets: readonly Preset[];
  /** The days in the report, oldest first, including those without pictures. */
  readonly days: readonly string[];
  readonly pictures: readonly PictureCount[];
}

/** Counts are a few seconds old: each process writes them periodically. */
export function readImageDelivery(
  { store, clock }: { store: Readable<'deliveryKeys' | 'presets' | 'traffic'>; clock: Clock },
  customerId: Id,
): Promise<ImageDelivery> {
  const days = trafficDays(clock.now());
  return store.query(customerId, async ({ deliveryKeys, presets, traffic }) => ({
    keys: await deliveryKeys.list(),
    presets: await presets.list(),
    days,
    pictures: await traffic.pictures(days[0] ?? ''),
  }));
}
