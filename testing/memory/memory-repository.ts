import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase } from './memory-database.js';
import type { LockedRows } from './memory-locked-rows.js';

/** A repository of one customer, in one transaction. */
export abstract class MemoryRepository {
  /** @param held The rows that the transaction holds. */
  constructor(
    protected readonly database: MemoryDatabase,
    protected readonly customerId: Id,
    protected readonly held: LockedRows,
  ) {}
}
