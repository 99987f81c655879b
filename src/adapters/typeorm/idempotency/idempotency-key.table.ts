import type { StoredResponse } from '../../../core/idempotency/idempotency-store.js';
import type { Id } from '../../../core/shared/ids.js';
import { instant, key, optionalBigWhole, optionalDocument, tableOf, text } from '../database/columns.js';

export interface IdempotencyKeyRow {
  readonly customerId: Id;
  readonly key: string;
  /** Token of the run that holds the key, or that has answered. */
  readonly token: string;
  readonly fingerprint: string;
  readonly startedAt: Date;
  /** The process of the run, as the number of its advisory lock. Null: written by a release without leases. */
  readonly heldBy: number | null;
  /** How long an unanswered run holds the key, by the database's clock. */
  readonly leaseUntil: Date;
  /** Null while the run is in progress. */
  readonly answer: StoredResponse | null;
}

export const idempotencyKeyTable = tableOf<IdempotencyKeyRow>('idempotencyKey', 'idempotency_keys', {
  customerId: key,
  key: { ...text, primary: true },
  token: text,
  fingerprint: text,
  startedAt: instant,
  heldBy: optionalBigWhole,
  leaseUntil: { type: 'timestamptz' },
  answer: optionalDocument,
});
