import type { EntityManager } from 'typeorm';
import type { PhotoFilters } from '../../src/core/photos/photo-query.js';

export interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

export function measured<T>(
  manager: EntityManager,
  list: (manager: EntityManager) => Promise<T>,
): Promise<{ rows: number; blocks: number; plans: readonly Plan[]; answer: T }>;

export function fillLibrary(
  query: (sql: string) => Promise<unknown>,
  librarySql: string,
  customerId: number,
  photos: number,
): Promise<void>;

export function filtersOf(
  manager: Pick<EntityManager, 'query'>,
  customerId: number,
  given: object,
): Promise<PhotoFilters>;
