import { MAX_SIDE } from '../../core/customers/limits.js';
import type { ItemError, ItemErrorCode } from '../../core/shared/errors.js';

/**
 * A picture that is refused, with a message for the person who sent it. Thrown inside the child only; a library's own message is never
 * passed on.
 */
export class Refusal extends Error {
  constructor(readonly error: ItemError) {
    super(error.message);
    this.name = 'Refusal';
  }
}

const refusal = (code: ItemErrorCode, message: string) => new Refusal({ code, message });

export const fileEmpty = () => refusal('file_empty', 'The file has no bytes. Send it again from the original.');

export const notAnImage = () =>
  refusal('not_an_image', 'The file is not a picture. Send JPEG, PNG, WebP, GIF, TIFF, AVIF or HEIC.');

export const unsupportedFormat = (contentType: string) =>
  refusal(
    'unsupported_format',
    `Files of type ${contentType} are not accepted. Convert this one to JPEG, PNG, WebP, TIFF or AVIF.`,
  );

export const decodeFailed = () =>
  refusal('decode_failed', 'The picture is damaged and cannot be decoded. Send it again from the original.');

export const tooFewBytes = (width: number, height: number, sizeBytes: number) =>
  refusal(
    'decode_failed',
    `The file declares ${width} × ${height} pixels and has ${sizeBytes} bytes, too few for a picture. Send it again from the original.`,
  );

/** Throws when a picture of this size exceeds the limits; a side of 0 cannot be decoded at all. */
export function requirePictureSize(width: number, height: number, maxPixels: number): void {
  if (!(width > 0 && height > 0)) throw decodeFailed();
  if (width * height <= maxPixels && Math.max(width, height) <= MAX_SIDE) return;
  throw refusal(
    'too_many_pixels',
    `The picture has ${width} × ${height} pixels; at most ${maxPixels} in all and ${MAX_SIDE} on a side are accepted. Make it smaller.`,
  );
}
