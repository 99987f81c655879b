import { createRequire } from 'node:module';
import { fileTypeFromBuffer } from 'file-type/core';
import { pictureSizeError } from '../../../core/customers/limits.js';
import {
  acceptedFormats,
  formatBySignature,
  formatNames,
  formatOf,
  otherFormats,
} from '../../../core/media/formats.js';
import type { Sniffed } from '../../../core/media/media-reader.js';
import type { Size } from '../../../core/media/transformation.js';
import type { ItemError, ItemErrorCode } from '../../../core/shared/errors.js';
import { HEAD_BYTES } from './file-bytes.js';

/** The accepted formats but for those whose package this installation lacks. */
export const formats: readonly string[] = acceptedFormats
  .filter((format) => format.package === undefined || isInstalled(format.package))
  .map(({ contentType }) => contentType);

/** The type by the first bytes. XML, and so SVG, is treated as text. */
export async function sniff(head: Uint8Array): Promise<Sniffed> {
  const declared = formatBySignature(otherFormats, head) ?? formatBySignature(acceptedFormats, head);
  const found = async () => (await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES)))?.mime;
  const contentType = declared?.contentType ?? (isTarga(head) ? 'image/x-tga' : await found());
  if (contentType === undefined) return { kind: 'not_an_image' };
  if (formats.includes(contentType)) return { kind: 'accepted', contentType };
  return /^(image|video)\//.test(contentType) && !contentType.includes('svg')
    ? { kind: 'unsupported', contentType }
    : { kind: 'not_an_image' };
}

/** Whether the file begins like a TIFF (or Olympus's or Panasonic's variant), a RAF or a CR3: whether it is one takes more than its first bytes. */
export function mayBeRaw(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, 12));
  return /^(II|MM|FUJIFILM)/.test(text) || text.endsWith('ftypcrx ');
}

const TARGA_HEADER_BYTES = 18;

/** Whether each field of the first bytes is one of a TGA, which has no signature there. No text begins so. */
function isTarga(head: Uint8Array): boolean {
  if (head.length < TARGA_HEADER_BYTES) return false;
  const { buffer, byteOffset } = head;
  const header = new DataView(buffer, byteOffset, TARGA_HEADER_BYTES);
  const [hasMap, type, depth, descriptor] = [1, 2, 16, 17].map((at) => header.getUint8(at)) as [number, ...number[]];
  const isMapped = type === 1 || type === 9;
  const mapLength = header.getUint16(5, true);
  return (
    [1, 2, 3, 9, 10, 11].includes(type as number) &&
    hasMap === (isMapped ? 1 : 0) &&
    mapLength > 0 === isMapped &&
    header.getUint16(12, true) > 0 &&
    header.getUint16(14, true) > 0 &&
    [8, 15, 16, 24, 32].includes(depth as number) &&
    ((descriptor as number) & 0xc0) === 0
  );
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

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
