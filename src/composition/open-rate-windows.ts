import type { DataSource } from 'typeorm';
import { FallbackRateWindowStore } from '../adapters/fallback-rate-window-store.js';
import { MemoryRateWindowStore } from '../adapters/memory/memory-rate-window-store.js';
import { TypeormRateWindowStore } from '../adapters/typeorm/access/rate-window.repository.js';
import type { Config, RateLimitStore } from '../config.js';
import type { RateWindowStore } from '../core/access/rolling-window.js';
import type { Clock } from '../core/shared/clock.js';
import { type Log } from './open-database.js';

export interface OpenRateWindows {
  readonly rateWindows: RateWindowStore;
  /** False while each process counts by itself instead. */
  isShared(): boolean;
  close(): void;
}

/** Whatever happens to the shared store, every budget has a limit: in an outage each process counts by itself. */
export async function openRateWindows(
  config: Config,
  clock: Clock,
  dataSource: DataSource,
  log: Log,
): Promise<OpenRateWindows> {
  const memory = new MemoryRateWindowStore(clock, performance);
  const { rateLimitStore } = config;
  if (rateLimitStore.kind === 'memory') return { rateWindows: memory, isShared: () => true, close: () => undefined };
  const shared = await openSharedRateWindows(rateLimitStore, dataSource);
  const where = rateLimitStore.kind === 'redis' ? 'in Redis' : 'in the database';
  const rateWindows = new FallbackRateWindowStore(shared, memory, (away, reason) => {
    const line = away
      ? `Rate limits cannot be counted ${where} (${reason}). Until they can be, this process counts them itself.`
      : `Rate limits are counted ${where} again.`;
    log(line, 'warn');
  });
  return { rateWindows, isShared: () => !rateWindows.isAway, close: () => shared.close?.() };
}

async function openSharedRateWindows(
  store: RateLimitStore,
  dataSource: DataSource,
): Promise<RateWindowStore & { close?(): void }> {
  if (store.kind !== 'redis') return new TypeormRateWindowStore(dataSource);
  // Loaded only when used: the client takes a while to load.
  const { RedisRateWindowStore } = await import('../adapters/redis/redis-rate-window-store.js');
  return new RedisRateWindowStore(store.url);
}

/** Sends Redis the service's request, and counts nothing. Errors: an Error that says why there was no answer. */
export async function askRedis(url: string): Promise<void> {
  const { RedisRateWindowStore } = await import('../adapters/redis/redis-rate-window-store.js');
  const store = new RedisRateWindowStore(url);
  try {
    await store.peek({ name: 'doctor', limit: 1 });
  } finally {
    store.close();
  }
}
