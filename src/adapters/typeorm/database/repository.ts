import type { EntityManager } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';

/** A repository of one customer, on one connection. */
export abstract class TypeormRepository {
  constructor(
    protected readonly manager: EntityManager,
    protected readonly customerId: Id,
  ) {}
}
