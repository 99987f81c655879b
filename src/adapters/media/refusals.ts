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

export const fileEmpty = () => refusal('file_empty', 'The file is empty. Send it again from the original.');

export const notAnImage = () =>
  refusal('not_an_image', 'The file is not an image. Send JPEG, PNG, WebP, GIF, TIFF, AVIF or HEIC.');

export const unsupportedFormat = (contentType: string) =>
  refusal(
    'unsupported_format',
    `Files of type ${contentType} are not accepted. Convert this one to JPEG, PNG, WebP, TIFF or AVIF.`,
  );

export const decodeFailed = () =>
  refusal('decode_failed', 'The image is damaged and cannot be decoded. Send it again from the original.');

export const tooFewBytes = (width: number, height: number, sizeBytes: number) =>
  refusal(
    'decode_failed',
    `The file declares ${width} × ${height} pixels but has only ${sizeBytes} bytes, too few for an image. Send it again from the original.`,
  );

/** Throws when a picture of this size exceeds the limits; a side of 0 cannot be decoded at all. */
export function requirePictureSize(width: number, height: number, maxPixels: number): void {
  if (!(width > 0 && height > 0)) throw decodeFailed();
  if (width * height <= maxPixels && Math.max(width, height) <= MAX_SIDE) return;
  throw refusal(
    'too_many_pixels',
    `The image has ${width} × ${height} pixels; the maximum is ${maxPixels} in total and ${MAX_SIDE} per side. Reduce its size.`,
  );
}
