import type { Caller } from '../access/caller.js';
import { isTimeZone } from '../media/capture-time.js';
import { zoneAsStored } from '../media/zones.js';
import { after, DAY } from '../shared/clock.js';
import { type FieldError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText } from '../shared/text.js';
import { textErrors, verbatimErrors } from '../shared/value-errors.js';
import { nameErrors, type TagRequest } from '../tags/tag-request.js';
import {
  type DuplicatePolicy,
  IDLE_DAYS,
  MAX_CLIENT_REF,
  MAX_IMPORT_NAME,
  MAX_SOURCE,
  type NewImport,
} from './import.js';

export interface ImportCreation extends TagRequest {
  readonly name?: string | null | undefined;
  readonly source?: string | null | undefined;
  /** Empty is none. */
  readonly clientRef?: string | null | undefined;
  readonly duplicatePolicy?: DuplicatePolicy | undefined;
  readonly restoreTrashed?: boolean | undefined;
  readonly defaultTimeZone?: string | null | undefined;
  readonly shareId?: Id | undefined;
}

/** All problems with the values. */
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

export function newImport(input: ImportCreation, caller: Caller, at: Date): Omit<NewImport, 'tagIds'> {
  return {
    customerId: caller.customerId,
    status: 'open',
    name: input.name ? cleanText(input.name) : null,
    source: input.source ? cleanText(input.source) : null,
    clientRef: input.clientRef || null,
    duplicatePolicy: input.duplicatePolicy ?? 'skip',
    restoreTrashed: input.restoreTrashed ?? true,
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
