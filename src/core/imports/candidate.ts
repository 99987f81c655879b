import { randomUUID } from 'node:crypto';
import type { Limits } from '../customers/limits.js';
import { localTime } from '../media/capture-time.js';
import { declaredValues } from '../media/photo-fields.js';
import { zoneAsStored } from '../media/zones.js';
import { cleanFilename, inputErrors, mergedMetadata, type PhotoInput } from '../photos/photo.js';
import type { ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { verbatimErrors } from '../shared/text.js';
import { type TagRequest, tagNameError } from '../tags/tag.js';
import { type Import, MAX_CLIENT_REF } from './import.js';
import type { ClientValues, ImportPhoto } from './import-photo.js';

/** One file as a client registers it. Types are right, values are not validated yet. */
export interface Registration extends PhotoInput, TagRequest {
  readonly filename: string;
  /** Required, unless the bytes come from a source. */
  readonly sizeBytes?: number | undefined;
  /** Where the service fetches the bytes. Its query may be a secret. */
  readonly sourceUrl?: string | null | undefined;
  /** SHA-256 of the bytes, in hex or base64. */
  readonly sha256?: string | null | undefined;
  /** Empty is none. */
  readonly clientRef?: string | null | undefined;
}

/** A file with valid values, and its position in the request. */
export interface Candidate {
  readonly index: number;
  readonly input: Registration;
  /** Set when the bytes have arrived already: the item and the upload id under which they are staged. */
  readonly staged: { readonly id: Id; readonly uploadId: number } | null;
}

/** Returns what is wrong with this one file, or null. The others of its batch continue. */
export function registrationError(input: Registration, limits: Limits): ItemError | null {
  const { sizeBytes } = input;
  if (sizeBytes !== undefined || !input.sourceUrl) {
    if (sizeBytes === 0) return fileEmpty;
    if (sizeBytes === undefined || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0) {
      return { code: 'invalid_request', message: 'sizeBytes must be the size of the file, a whole number of bytes.' };
    }
    if (sizeBytes > limits.maxFileBytes) return tooLarge(limits);
  }
  if (typeof input.sha256 === 'string' && normalSha256(input.sha256) === null) {
    return { code: 'invalid_request', message: sha256Message };
  }
  const [wrong] = [
    ...inputErrors(input),
    ...verbatimErrors('clientRef', input.clientRef, MAX_CLIENT_REF),
    ...(input.tagNames ?? []).flatMap((name) => tagNameError(name, 'tagNames') ?? []),
  ];
  return wrong === undefined ? null : { code: 'invalid_request', message: wrong.message };
}

export const fileEmpty: ItemError = { code: 'file_empty', message: 'The file is empty.' };

/**
 * The refusal of a file over the limit: by its size when that is registered (`registrationError`, above), while a
 * form or a URL sends the bytes (register/inline.ts, fetch/fetch.ts), and once more when what has arrived is inspected (inspect.ts). An upload is
 * held to the size that was registered (receive/upload.ts); a corrected one has the same maximum (`itemPatchErrors`, edit-item.ts).
 */
export function tooLarge(limits: Limits): ItemError {
  return { code: 'file_too_large', message: `The file is larger than ${limits.maxFileBytes} bytes, the maximum.` };
}

export const sha256Message = 'sha256 must be 64 hex digits, or 32 bytes in base64.';

/** 64 lower-case hex digits from hex or base64, or null. */
export function normalSha256(text: string): string | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return null;
  return Array.from(atob(text), (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** Returns the client's values that the item stores. `tagIds` are resolved by then. */
export function clientValues(input: Registration, tagIds: readonly number[]): ClientValues & { filename: string } {
  return {
    filename: cleanFilename(input.filename),
    ...declaredValues(input),
    takenAt: input.takenAt ?? null,
    takenAtLocal: input.takenAtLocal ? localTime(input.takenAtLocal) : null,
    timeZone: input.timeZone ? zoneAsStored(input.timeZone) : null,
    metadata: mergedMetadata({}, input.metadata),
    tagIds,
  };
}

/** A file as an item of its import, before it is known whether the bytes exist already. */
export function newItem(
  subject: Import,
  names: Pick<ImportPhoto, 'id' | 'uploadId'>,
  input: Registration,
  at: Date,
): ImportPhoto {
  return {
    ...clientValues(input, []),
    ...names,
    customerId: subject.customerId,
    importId: subject.id,
    clientRef: input.clientRef || null,
    status: input.sourceUrl ? 'fetching' : 'awaiting_upload',
    photoId: null,
    duplicateOfItemId: null,
    restored: false,
    resolved: false,
    sizeBytes: input.sizeBytes ?? null,
    sha256: input.sha256 ? normalSha256(input.sha256) : null,
    blobName: randomUUID(),
    contentType: null,
    width: null,
    height: null,
    facts: null,
    error: null,
    createdAt: at,
    updatedAt: at,
  };
}
