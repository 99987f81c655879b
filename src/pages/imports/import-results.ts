import type { Caller } from '../../core/access/caller.js';
import type { Limits } from '../../core/customers/limits.js';
import { createImport, type ImportCreation } from '../../core/imports/create.js';
import { finalizeImport } from '../../core/imports/finalize.js';
import type { ImportCounts } from '../../core/imports/import.js';
import type { ImportPhoto } from '../../core/imports/import-photo.js';
import type { ItemDetails } from '../../core/imports/read.js';
import { type InlineFile, receiveInline } from '../../core/imports/register/inline.js';
import { recordRefusals } from '../../core/imports/register/refusals.js';
import type { RegistrationResult } from '../../core/imports/register/register.js';
import type { Ports } from '../../core/ports.js';
import { DomainError, type ItemError, type ItemErrorCode } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { messageForPeople } from '../form.js';
import type { FormFields } from '../form-fields.js';
import type { Formats } from '../formats.js';

export interface PlainImport {
  /** Null when nothing was imported. */
  readonly importId: Id | null;
  /** The error message for the person; null when there is none. */
  readonly trouble: string | null;
}

/** An import of the files in a form, opened and finalized in one request. Errors: those of the use cases that do not depend on the files. */
export async function receivePlainForm(
  ports: Ports,
  caller: Caller,
  form: Pick<FormFields, 'files'>,
  creation: ImportCreation,
): Promise<PlainImport> {
  const first = await form.files?.next();
  if (form.files === null || first === undefined || first.done) {
    return { importId: null, trouble: 'Select some photos first.' };
  }
  const names: string[] = [];
  const files = recordNames(first.value, form.files, names);
  const begun = await createImport(ports, caller, creation);
  const importId = begun.import.id;
  const end = (action: 'commit' | 'discard') =>
    finalizeImport(ports, caller, importId, { action, missingUploads: 'fail' });
  try {
    const results = await receiveInline(ports, caller, importId, { inputs: null, files, announcedBytes: null }).then(
      (answer) => answer.results,
      (error: unknown) => resultsOfNone(error, names.length),
    );
    const refused = results.filter(isRefused);
    const refusals = refused.map(({ index, error }) => ({ filename: names[index] ?? '', sizeBytes: null, error }));
    await recordRefusals(ports, caller, importId, refusals);
    await end('commit');
    const problems = results.flatMap(({ index, error }) =>
      error ? `${names[index]}: ${reasonOf(error, ports.limits)}` : [],
    );
    return { importId, trouble: problems.join(' ') || null };
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'service_unavailable') throw error;
    await end('discard');
    return { importId: null, trouble: messageForPeople(error) };
  }
}

async function* recordNames(
  first: InlineFile,
  rest: AsyncIterable<InlineFile>,
  names: string[],
): AsyncGenerator<InlineFile> {
  names.push(first.filename);
  yield first;
  for await (const file of rest) {
    names.push(file.filename);
    yield file;
  }
}

export function isRefused(result: RegistrationResult): result is RegistrationResult & { readonly error: ItemError } {
  return result.outcome === 'rejected' && result.error !== null;
}

/**
 * For a registration in which every file was refused: for people, who continue with others, that is not an error. Every other error is
 * rethrown.
 */
export function resultsOfNone(error: unknown, count: number): readonly RegistrationResult[] {
  if (!(error instanceof DomainError)) throw error;
  if (error.code === 'no_photos_accepted') return error.details?.['results'] as readonly RegistrationResult[];
  if (error.code !== 'quota_exceeded') throw error;
  const reason: ItemError = { code: 'quota_exceeded', message: error.message };
  return Array.from({ length: count }, (_, index) => ({ index, outcome: 'rejected', photo: null, error: reason }));
}

/** The result for the importer's script about files that it registered; `refused` is the item of a refused one. */
export function registrationView(
  { outcome, photo, error }: RegistrationResult,
  refused: Pick<ImportPhoto, 'id'> | null,
  limits: Limits,
) {
  return {
    outcome,
    refused: refused && { id: refused.id },
    photo: photo && {
      id: photo.id,
      status: photo.status,
      error: photo.error && { message: reasonOf(photo.error, limits) },
      upload: photo.upload && {
        url: photo.upload.url,
        protocols: photo.upload.isResumable ? ['put', 'tus'] : ['put'],
        headers: { ...photo.upload.headers },
      },
    },
    error: error && { message: reasonOf(error, limits) },
  };
}

export function failureOf({ error }: ItemDetails, limits: Limits): string {
  return error === null ? 'It was not imported.' : reasonOf(error, limits);
}

const parts: readonly (readonly [keyof ImportCounts, string])[] = [
  ['imported', 'imported'],
  ['duplicate', 'already in the library'],
  ['ready', 'ready'],
  ['processing', 'processing'],
  ['fetching', 'being fetched'],
  ['awaitingUpload', 'missing'],
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
];

/** The counts in words, without zeros. */
export function countsText(formats: Formats, counts: ImportCounts): string {
  if (counts.total === 0) return 'No photos';
  const nonZero = parts.filter(([name]) => counts[name] > 0);
  return nonZero.map(([name, words]) => `${formats.number(counts[name])} ${words}`).join(', ');
}

/** Why a file failed, for people: most of the API's messages are for developers. One about pixels says the limit of its format. */
function reasonOf({ code, message }: ItemError, { maxFileBytes }: Limits): string {
  const reasons: Partial<Record<ItemErrorCode, string>> = {
    file_empty: 'The file is empty.',
    file_too_large: `The file is larger than ${Math.floor(maxFileBytes / 1e6)} MB, which is the maximum.`,
    not_an_image: 'This is not an image.',
    unsupported_format: 'This format is not supported, or it is a raw file without a preview large enough to show.',
    decode_failed: 'The image cannot be opened: the file is damaged.',
    size_mismatch: 'The file changed while it was being sent.',
    checksum_mismatch: 'The file changed while it was being sent.',
    source_unreachable: 'It could not be fetched from its server.',
    source_forbidden: 'It may not be fetched from its server.',
    source_not_found: 'Its server does not have it.',
    upload_missing: 'It was registered, but never received.',
    quota_exceeded: 'The quota of this account is exhausted.',
    duplicate_source_gone: 'The photo that it duplicates was deleted in the meantime. Import it again.',
    duplicate_of_failed: 'A file with the same content failed, too.',
    processing_failed: 'The service failed to process it. Import it again.',
  };
  return reasons[code] ?? message;
}
