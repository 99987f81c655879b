import type { Id } from '../../../core/shared/ids.js';
import { key, optionalBigWhole, tableOf } from '../database/columns.js';

/** A deleted tag whose lexeme photos may still have. */
export interface Tombstone {
  readonly customerId: Id;
  readonly tagId: Id;
  /** The tag that its photos got instead. */
  readonly intoId: Id | null;
}

export const tombstoneTable = tableOf<Tombstone>('tombstone', 'departed_tags', {
  customerId: key,
  tagId: key,
  intoId: optionalBigWhole,
});
