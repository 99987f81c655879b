import type { Limits } from '../../../core/customers/limits.js';
import { type CountedImport, type ImportCounts, progress } from '../../../core/imports/import.js';
import type { ImportPhoto } from '../../../core/imports/import-photo.js';
import type { ItemDetails } from '../../../core/imports/read.js';
import type { RegistrationResult } from '../../../core/imports/register/register.js';
import { number } from '../counted.js';
import { reasonOf } from './reasons.js';

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
export function countsText(counts: ImportCounts): string {
  if (counts.total === 0) return 'No photos';
  const nonZero = parts.filter(([name]) => counts[name] > 0);
  return nonZero.map(([name, words]) => `${number(counts[name])} ${words}`).join(', ');
}
