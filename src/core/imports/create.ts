import { type Caller, requireScope } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { isTimeZone } from '../media/capture-time.js';
import { zoneAsStored } from '../media/zones.js';
import { after, type Clock, DAY } from '../shared/clock.js';
import { DomainError, type FieldError, requireBelowLimit, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText, textErrors, verbatimErrors } from '../shared/text.js';
import type { Reader, Transactional } from '../shared/transactional.js';
import { resolveTags } from '../tags/resolve-tags.js';
import { nameErrors, type TagRequest } from '../tags/tag.js';
import {
  type CountedImport,
  countItems,
  type DuplicatePolicy,
  IDLE_DAYS,
  MAX_CLIENT_REF,
  MAX_IMPORT_NAME,
  MAX_SOURCE,
  type NewImport,
} from './import.js';
import { type ImportDetails, importDetailsOf } from './read.js';

type CreateUses = { store: Transactional<'tags' | 'imports' | 'customer' | 'outbox'>; clock: Clock; limits: Limits };

/**
 * Opens an import; if one with the same clientRef is open, returns that one. Errors: `invalid_request`, `scope_required`, `limit_reached`.
 */
export async function createImport(
  { store, clock, limits }: CreateUses,
  caller: Caller,
  creation: ImportCreation,
): Promise<{ import: ImportDetails; created: boolean }> {
  requireValid(creationErrors(creation));
  // Their names are known only later, when there is no caller to ask.
  if (creation.keywordsAsTags) requireScope(caller, 'tags:write');
  return store.transaction(caller.customerId, async (transaction) => {
    const existing = await openImport(transaction, creation.clientRef);
    if (existing !== null) return { import: await importDetailsOf(transaction.tags, existing), created: false };
    // One at a time, so that the number of open imports stays within its limit.
    await transaction.customer.lock();
    const opened = await openImport(transaction, creation.clientRef);
    if (opened !== null) return { import: await importDetailsOf(transaction.tags, opened), created: false };
    const tooMany = `A customer has at most ${limits.openImports} open imports. Finalize or discard one first.`;
    requireBelowLimit(await transaction.imports.countOpen(), limits.openImports, 'openImports', tooMany);
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

export interface ImportCreation extends TagRequest {
  readonly name?: string | null | undefined;
  readonly source?: string | null | undefined;
  /** Empty is none. */
  readonly clientRef?: string | null | undefined;
  readonly duplicatePolicy?: DuplicatePolicy | undefined;
  readonly restoreTrashed?: boolean | undefined;
  readonly defaultTimeZone?: string | null | undefined;
  readonly tagDuplicates?: boolean | undefined;
  readonly keywordsAsTags?: boolean | undefined;
  readonly dateFromFilename?: boolean | undefined;
  readonly shareId?: Id | undefined;
}

export function creationErrors(creation: ImportCreation): FieldError[] {
  const { name, source, clientRef, defaultTimeZone } = creation;
  const errors = [
    ...textErrors('name', name, MAX_IMPORT_NAME),
    ...textErrors('source', source, MAX_SOURCE),
    ...verbatimErrors('clientRef', clientRef, MAX_CLIENT_REF),
    ...nameErrors(creation),
  ];
  if (typeof defaultTimeZone === 'string' && !isTimeZone(defaultTimeZone)) {
    const message = 'defaultTimeZone must look like Europe/Paris or +01:00.';
    errors.push({ field: 'defaultTimeZone', code: 'invalid_format', message });
  }
  return errors;
}

function newImport(input: ImportCreation, caller: Caller, at: Date): Omit<NewImport, 'tagIds'> {
  return {
    customerId: caller.customerId,
    status: 'open',
    name: input.name ? cleanText(input.name) : null,
    source: input.source ? cleanText(input.source) : null,
    clientRef: input.clientRef || null,
    duplicatePolicy: input.duplicatePolicy ?? 'skip',
    restoreTrashed: input.restoreTrashed ?? true,
    tagDuplicates: input.tagDuplicates ?? false,
    keywordsAsTags: input.keywordsAsTags ?? false,
    dateFromFilename: input.dateFromFilename ?? false,
    defaultTimeZone: input.defaultTimeZone ? zoneAsStored(input.defaultTimeZone) : null,
    apiKeyId: caller.apiKeyId,
    shareId: input.shareId ?? null,
    createdAt: at,
    updatedAt: at,
    expiresAt: after(at, IDLE_DAYS * DAY),
    finalizedAt: null,
    completedAt: null,
    version: 1,
  };
}
