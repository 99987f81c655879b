import type { Id } from '../shared/ids.js';
import { isSealedByNewest, reseal, type SealedPurpose, type Secrets } from '../shared/secrets.js';
import { type CustomerDirectory, forEachCustomer } from './customer-directory.js';

/** A kind of rows with values that are stored sealed. */
export interface SealedRows<Uses, Row extends object = object> {
  readonly purpose: SealedPurpose;
  /** Where they are stored, by the name that `CustomerDirectory.owning` knows. */
  readonly owners: string;
  list(uses: Uses, customerId: Id): Promise<readonly Row[]>;
  /** The sealed values of a row. */
  values(row: Row): readonly (string | null)[];
  /** Stores what `renewed` returns for the values that the row has now. */
  replace(uses: Uses, customerId: Id, row: Row, renewed: (sealed: string) => string): Promise<void>;
}

interface ResealUses {
  readonly customers: CustomerDirectory;
  readonly secrets: Secrets;
}

/** Encrypts again with the newest secret what an older one encrypted, so that the older one can be removed. */
export async function resealSecrets<Uses extends ResealUses>(
  uses: Uses,
  kinds: readonly SealedRows<NoInfer<Uses>>[],
  stopping?: AbortSignal,
): Promise<void> {
  for (const kind of kinds) {
    await forEachCustomer(
      (window) => uses.customers.owning(kind.owners, window),
      (customerId) => resealRows(uses, kind, customerId),
      stopping,
    );
  }
}

async function resealRows<Uses extends ResealUses>(uses: Uses, kind: SealedRows<Uses>, customerId: Id): Promise<void> {
  const { secrets } = uses;
  const isStale = (sealed: string | null) => sealed !== null && !isSealedByNewest(secrets, kind.purpose, sealed);
  const rows = await kind.list(uses, customerId);
  for (const row of rows.filter((each) => kind.values(each).some(isStale))) {
    await kind.replace(uses, customerId, row, (sealed) => reseal(secrets, kind.purpose, sealed));
  }
}
