import type { Limits } from '../../../core/customers/limits.js';
import type { ItemError, ItemErrorCode } from '../../../core/shared/errors.js';

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
