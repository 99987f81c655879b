import type { DataSource } from 'typeorm';
import { FallbackRateWindowStore } from '../adapters/decorators/fallback-rate-window-store.js';
import { MemoryRateWindowStore } from '../adapters/memory/memory-rate-window-store.js';
import { PrimaryRateWindowStore } from '../adapters/primary-process/primary-rate-window-store.js';
import type { Rpc } from '../adapters/primary-process/rpc.js';
import { TypeormRateWindowStore } from '../adapters/typeorm/access/rate-window.repository.js';
import type { Config } from '../config/config.js';
import type { RateWindowStore } from '../core/access/rolling-window.js';
import type { Clock } from '../core/shared/clock.js';
import type { Log } from './open-database.js';

export type SharedRateWindows = RateWindowStore & { close?(): void };

/**
 * Whatever happens to the shared store, every budget has a limit: in an outage each process counts by itself. The memory of the primary
 * process is the shared store of its request processes, unless another one is configured.
 */
export function openRateWindows(
  { rateLimitStore }: Config,
  log: Log,
  clock: Clock,
  shared: RateWindowStore | null,
): RateWindowStore {
  const elapsed = () => clock.elapsed();
  const memory = new MemoryRateWindowStore(clock, { now: elapsed });
  if (shared === null) return memory;
  const places = { memory: 'by the primary process', postgres: 'in the database', redis: 'in Redis' };
  const where = places[rateLimitStore.kind];
  const say = (away: boolean, reason?: unknown) => {
    const line = away
      ? `Rate limits cannot be counted ${where} (${reason}). Until they can be, this process counts them itself.`
      : `Rate limits are counted ${where} again.`;
    log(line, 'warn');
  };
  return new FallbackRateWindowStore(shared, memory, say, { elapsed });
}

/** Null: this process counts requests for all. */
export async function openSharedRateWindows(
  { rateLimitStore }: Config,
  dataSource: DataSource | null,
  primary: Rpc | undefined,
): Promise<SharedRateWindows | null> {
  if (rateLimitStore.kind === 'memory' || dataSource === null)
    return primary === undefined ? null : new PrimaryRateWindowStore(primary);
  return rateLimitStore.kind === 'redis' ? openRedis(rateLimitStore.url) : new TypeormRateWindowStore(dataSource);
}

/** Close it at the end. */
export async function openRedis(url: string): Promise<RateWindowStore & { close(): void }> {
  // Loaded only when used: the client takes a while to load.
  const { RedisRateWindowStore } = await import('../adapters/redis/redis-rate-window-store.js');
  return new RedisRateWindowStore(url);
}

/** False while each process counts by itself instead. */
export function areShared(rateWindows: RateWindowStore): boolean {
  return !(rateWindows instanceof FallbackRateWindowStore && rateWindows.isAway);
}
