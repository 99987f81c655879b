import type { DataSource } from 'typeorm';
import { FallbackRateWindowStore } from '../adapters/fallback-rate-window-store.js';
import { MemoryRateWindowStore } from '../adapters/memory/memory-rate-window-store.js';
import { PrimaryRateWindowStore } from '../adapters/processes/primary-rate-window-store.js';
import type { Rpc } from '../adapters/processes/rpc.js';
import { TypeormRateWindowStore } from '../adapters/typeorm/access/rate-window.repository.js';
import type { Config, RateLimitStore } from '../config/config.js';
import type { RateWindowStore } from '../core/access/rolling-window.js';
import type { Clock } from '../core/shared/clock.js';
import { type Log } from './open-database.js';

export interface OpenRateWindows {
  readonly rateWindows: RateWindowStore;
  /** False while each process counts by itself instead. */
  isShared(): boolean;
  close(): void;
}

/**
 * Whatever happens to the shared store, every budget has a limit: in an outage each process counts by itself.
 * @param primary The primary process, if this is not it: its memory is the shared store, unless another one is configured.
 */
export async function openRateWindows(
  { rateLimitStore }: Config,
  clock: Clock,
  dataSource: DataSource,
  log: Log,
  primary?: Rpc,
): Promise<OpenRateWindows> {
  const memory = new MemoryRateWindowStore(clock, performance);
  const shared = await openSharedRateWindows(rateLimitStore, dataSource, primary);
  if (shared === null) return { rateWindows: memory, isShared: () => true, close: () => undefined };
  const where = WHERE[rateLimitStore.kind];
  const rateWindows = new FallbackRateWindowStore(shared, memory, (away, reason) => {
    const line = away
      ? `Rate limits cannot be counted ${where} (${reason}). Until they can be, this process counts them itself.`
      : `Rate limits are counted ${where} again.`;
    log(line, 'warn');
  });
  return { rateWindows, isShared: () => !rateWindows.isAway, close: () => shared.close?.() };
}

const WHERE = { memory: 'by the primary process', postgres: 'in the database', redis: 'in Redis' } as const;

/** Null: this process counts for all. */
async function openSharedRateWindows(
  store: RateLimitStore,
  dataSource: DataSource,
  primary: Rpc | undefined,
): Promise<(RateWindowStore & { close?(): void }) | null> {
  if (store.kind === 'memory') return primary === undefined ? null : new PrimaryRateWindowStore(primary);
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
