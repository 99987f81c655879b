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

/** Encrypts again with the newest secret what an older one encrypted, so that the older one can be removed. */
export async function resealSecrets<Uses extends { readonly customers: CustomerDirectory; readonly secrets: Secrets }>(
  uses: Uses,
  kinds: readonly SealedRows<NoInfer<Uses>>[],
  stopping?: AbortSignal,
): Promise<void> {
  const { customers, secrets } = uses;
  for (const kind of kinds) {
    const isStale = (sealed: string | null) => sealed !== null && !isSealedByNewest(secrets, kind.purpose, sealed);
    await forEachCustomer(
      (window) => customers.owning(kind.owners, window),
      async (customerId) => {
        const rows = await kind.list(uses, customerId);
        for (const row of rows.filter((each) => kind.values(each).some(isStale))) {
          await kind.replace(uses, customerId, row, (sealed) => reseal(secrets, kind.purpose, sealed));
        }
      },
      stopping,
    );
  }
}
