import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, invalid } from '../shared/errors.js';
import type { Reader, Transactional } from '../shared/transactional.js';
import { resolveTags } from '../tags/resolve-tags.js';
import { type CountedImport, countItems } from './import.js';
import { creationErrors, type ImportCreation, newImport } from './import-creation.js';
import { type ImportDetails, importDetailsOf } from './import-details.js';

type CreateUses = { store: Transactional<'tags' | 'imports' | 'customer' | 'outbox'>; clock: Clock; limits: Limits };

/**
 * Opens an import; if one with the same clientRef is open, returns that one. Errors: `invalid_request`, `scope_required`, `limit_reached`.
 */
export async function createImport(
  { store, clock, limits }: CreateUses,
  caller: Caller,
  creation: ImportCreation,
): Promise<{ import: ImportDetails; created: boolean }> {
  const errors = creationErrors(creation);
  if (errors.length > 0) throw invalid(...errors);
  return store.transaction(caller.customerId, async (transaction) => {
    const existing = await openImport(transaction, creation.clientRef);
    if (existing !== null) return { import: await importDetailsOf(transaction.tags, existing), created: false };
    // One at a time, so that the number of open imports stays within its limit.
    await transaction.customer.lock();
    const opened = await openImport(transaction, creation.clientRef);
    if (opened !== null) return { import: await importDetailsOf(transaction.tags, opened), created: false };
    if ((await transaction.imports.countOpen()) >= limits.openImports) {
      const message = `A customer has at most ${limits.openImports} open imports. Finalize or discard one first.`;
      throw new DomainError('limit_reached', message, { limit: limits.openImports, name: 'openImports' });
    }
    const at = clock.now();
    const tagIds = await resolveTags(transaction, caller, creation, { limits, at });
    const subject = await transaction.imports.insert({ ...newImport(creation, caller, at), tagIds });
    if (subject === null) {
      throw new DomainError('service_unavailable', 'Another request is opening this import. Try again.');
    }
    const fresh = { ...subject, counts: countItems(new Map()), totalBytes: 0 };
    return { import: await importDetailsOf(transaction.tags, fresh), created: true };
  });
}

async function openImport(
  transaction: Reader<'imports'>,
  clientRef: string | null | undefined,
): Promise<CountedImport | null> {
  return clientRef ? transaction.imports.findOpenByClientRef(clientRef) : null;
}
