import { pictureSizeError } from '../../core/customers/limits.js';
import { formatNames, formatOf, otherFormats } from '../../core/media/formats.js';
import type { Size } from '../../core/media/transformation.js';
import type { ItemError, ItemErrorCode } from '../../core/shared/errors.js';

/** Throws when a picture of this size exceeds the limits; a side of 0 cannot be decoded at all. */
export function requirePictureSize(width: number, height: number, maxPixels: number): void {
  if (!(width > 0 && height > 0)) throw decodeFailed();
  const error = pictureSizeError(width, height, maxPixels);
  if (error !== null) throw new Refusal(error);
}

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

export const notAnImage = () => refusal('not_an_image', `The file is not an image. Send ${formatNames}.`);

export function unsupportedFormat(contentType: string): Refusal {
  if (contentType.startsWith('video/')) return refusal('unsupported_format', 'Videos are not supported.');
  const name = otherFormats.find((format) => format.contentType === contentType)?.name;
  const files = name === undefined ? `Files of type ${contentType}` : `${name} files`;
  return refusal('unsupported_format', `${files} are not accepted. Convert this one to JPEG, PNG, WebP, TIFF or AVIF.`);
}

/** @param what In the plural, as in "HEIF images of JPEG 2000". */
export const unsupportedFeature = (what: string) =>
  refusal('unsupported_format', `${what} are not supported. Convert this one to JPEG or PNG.`);

export const beyondDecoder = (contentType: string) =>
  unsupportedFeature(`Files of type ${contentType} with as many or as large parts as this one`);

export const decodeFailed = () =>
  refusal('decode_failed', 'The image is damaged and cannot be decoded. Send it again from the original.');

export const noPreview = (contentType: string, minSide: number) =>
  refusal(
    'unsupported_format',
    `The ${contentType} file contains no preview of at least ${minSide} pixels to show. Add one with a raw converter, or export the photo as JPEG.`,
  );

/** A header that declares many more pixels than the file can contain costs the time of all of them. */
export function requireDensity(contentType: string, { width, height }: Size, sizeBytes: number): void {
  const max = formatOf(contentType)?.maxPixelsPerByte ?? Number.POSITIVE_INFINITY;
  if (width * height > max * sizeBytes)
    throw refusal(
      'decode_failed',
      `The file declares ${width} × ${height} pixels but has only ${sizeBytes} bytes, too few for an image. Send it again from the original.`,
    );
}
