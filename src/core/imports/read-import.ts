import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { orderById, type Page, type PageRequest, type PageWindow, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import type { CountedImport, ImportStatus } from './import.js';
import { type ImportDetails, importDetailsOf } from './import-details.js';

/** Errors: `not_found`. */
export function readImport(
  { store }: { store: Readable<'tags' | 'imports'> },
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<ImportDetails> {
  return store.query(caller.customerId, async (reader) =>
    importDetailsOf(reader.tags, requireFound(await reader.imports.get(id), 'import')),
  );
}

export interface ImportListRequest extends PageRequest {
  readonly statuses?: readonly ImportStatus[];
}

/** The customer's imports, newest first. Errors: `invalid_cursor`. */
export function listImports(
  uses: { store: Readable<'imports'>; secrets: Secrets; clock: Clock },
  { customerId }: Pick<Caller, 'customerId'>,
  { statuses, ...request }: ImportListRequest,
): Promise<Page<CountedImport>> {
  return uses.store.query(customerId, (reader) => {
    const listing = {
      customerId,
      list: 'imports',
      sort: '-id',
      filters: { statuses },
      ...orderById<CountedImport>(),
      rows: (window: PageWindow) => reader.imports.list({ window, ...(statuses && { statuses }) }),
    };
    return readPage(uses, listing, request);
  });
}
