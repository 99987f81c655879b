import { cleanFilename, MAX_FILENAME } from '../photos/photo-values.js';
import { type ItemError } from '../shared/errors.js';
import { truncate } from '../shared/text.js';
import { normalSha256 } from './registration.js';

/** A file that was refused at registration. */
export interface Refusal {
  readonly filename: string;
  /** Null when unknown. */
  readonly sizeBytes: number | null;
  readonly sha256?: string | null | undefined;
  readonly error: ItemError;
}

/** With values that a row can hold: the name, size or hash of a file may be what is invalid. */
export function storableFile({ filename, sizeBytes, sha256, error }: Refusal) {
  const isSize = sizeBytes !== null && Number.isSafeInteger(sizeBytes) && sizeBytes >= 0;
  return {
    filename: truncate(cleanFilename(filename.toWellFormed().replaceAll('\0', '')), MAX_FILENAME),
    sizeBytes: isSize ? sizeBytes : null,
    sha256: sha256 ? normalSha256(sha256) : null,
    error,
  };
}
