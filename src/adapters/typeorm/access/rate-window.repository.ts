import {
  AdmissionLog,
  type Budget,
  type RateWindowStore,
  WINDOW_MS,
  type WindowState,
} from '../../../core/access/rolling-window.js';
import { MINUTE } from '../../../core/shared/clock.js';
import { requireFound } from '../../../core/shared/errors.js';
import { TypeormStore } from '../database/repository.js';

/** Admissions in the database, for several processes, by its clock: those of machines may differ and jump. Errors: `service_unavailable`. */
export class TypeormRateWindowStore extends TypeormStore implements RateWindowStore {
  async hit({ name, limit }: Budget): Promise<WindowState> {
    const [state] = await this.select<Omit<WindowState, 'limit'>>(
      'SELECT allowed, remaining, reset, retry_after AS "retryAfter" FROM rate_hit($1, $2, $3)',
      name,
      limit,
      WINDOW_MS,
    );
    return { ...requireFound(state, 'rate_window'), limit };
  }

  async peek({ name, limit }: Budget): Promise<WindowState> {
    const [seen] = await this.select<{ hits: number[]; now: number }>(
      `SELECT coalesce((SELECT hits FROM rate_window WHERE name = $1), '{}') AS hits, rate_now() AS now`,
      name,
    );
    const { hits, now } = requireFound(seen, 'rate_window');
    return new AdmissionLog(hits).peek(limit, now);
  }

  /** Deletes what has not been used for ten minutes. Skips budgets that are in use at the moment. */
  sweep(): Promise<number> {
    return this.change(
      `DELETE FROM rate_window WHERE name IN (
         SELECT name FROM rate_window WHERE coalesce(hits[cardinality(hits)], 0) < rate_now() - $1::bigint
         FOR UPDATE SKIP LOCKED
       )`,
      10 * MINUTE,
    );
  }
}
