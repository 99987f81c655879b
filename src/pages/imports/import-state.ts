import type { Limits } from '../../core/customers/limits.js';
import { type CountedImport, type ImportCounts, progress } from '../../core/imports/import.js';
import type { ImportPhoto } from '../../core/imports/import-photo.js';
import type { ItemDetails } from '../../core/imports/read.js';
import type { RegistrationResult } from '../../core/imports/register/register.js';
import type { ItemError, ItemErrorCode } from '../../core/shared/errors.js';
import { type Formats } from '../formats.js';

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

/** And the state of the import. */
export function stateView(subject: CountedImport, failed: readonly ItemDetails[], limits: Limits) {
  return {
    id: subject.id,
    status: subject.status,
    counts: { ...subject.counts },
    progress: progress(subject),
    failed: failed.map((item) => ({ id: item.id, filename: item.filename, reason: failureOf(item, limits) })),
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

/** Why a file failed, for people: the API's messages are for developers. */
export function reasonOf({ code, message }: ItemError, { maxFileBytes, maxPixels }: Limits): string {
  const reasons: Partial<Record<ItemErrorCode, string>> = {
    file_empty: 'The file is empty.',
    file_too_large: `The file is larger than ${Math.floor(maxFileBytes / 1e6)} MB, which is the maximum.`,
    not_an_image: 'This is not an image.',
    unsupported_format: 'This format is not supported, or it is a raw file without a preview large enough to show.',
    decode_failed: 'The image cannot be opened: the file is damaged.',
    too_many_pixels: `The image is too large: more than ${Math.floor(maxPixels / 1e6)} megapixels, or too long on one side.`,
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
