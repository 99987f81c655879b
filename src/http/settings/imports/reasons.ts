import type { Limits } from '../../../core/customers/limits.js';
import type { ItemError, ItemErrorCode } from '../../../core/shared/errors.js';

/** Why a file failed, for people: the API's messages are for developers. */
export function reasonOf({ code, message }: ItemError, { maxFileBytes, maxPixels }: Limits): string {
  const reasons: Partial<Record<ItemErrorCode, string>> = {
    file_empty: 'The file is empty.',
    file_too_large: `The file is larger than ${Math.floor(maxFileBytes / 1e6)} MB, the most that is taken.`,
    not_an_image: 'This is not a picture.',
    unsupported_format: 'Pictures of this kind are not taken.',
    decode_failed: 'The picture cannot be opened: the file is damaged.',
    too_many_pixels: `The picture is too large: more than ${Math.floor(maxPixels / 1e6)} megapixels, or a side that is too long.`,
    size_mismatch: 'The file changed while it was sent.',
    checksum_mismatch: 'The file changed while it was sent.',
    upload_missing: 'It was announced, but never arrived.',
    quota_exceeded: 'There is no room left in this account.',
    duplicate_source_gone: 'The photo that it is a copy of was deleted meanwhile. Import it once more.',
    duplicate_of_failed: 'A file with the same content did not come in, either.',
    processing_failed: 'The service failed at it. Import it once more.',
  };
  return reasons[code] ?? message;
}
