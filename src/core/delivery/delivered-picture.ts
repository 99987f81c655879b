import { hash } from 'node:crypto';
import { renditionKey } from '../blobs/blob-key.js';
import { MAX_RESULT_SIDE, MIDDLE, type Transformation, type TransformationFormat } from '../media/transformation.js';
import { type Download } from '../photos/original.js';
import type { Photo } from '../photos/photo.js';
import type { Rendition } from '../photos/renditions/rendition.js';
import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { DeliveryOptions } from './delivery-options.js';

/** The properties of a photo that decide how it is delivered. */
export type DeliveredPhoto = Pick<Photo, 'alpha' | 'focus'>;

/** The formats that not every client shows, of those that a request accepts (api/files/delivery.controller.ts reads `Accept`). */
export type AcceptedFormats = ReadonlySet<'avif' | 'webp'>;

/** Without `q`. AVIF's scale is another: 55 looks like the 80 of the others. */
const QUALITY: Readonly<Record<TransformationFormat, number>> = { jpeg: 80, webp: 80, avif: 55, png: 100 };

/**
 * Returns the picture that an address asks for. Errors: `invalid_request`, when `dpr` makes a side longer than any may be.
 * @param options Those of the address, over those of its preset.
 * @param accepted Those that the client says it shows.
 */
export function deliveredPicture(
  photo: DeliveredPhoto,
  options: DeliveryOptions,
  accepted: AcceptedFormats,
): Transformation {
  const { w, h, fit = 'inside', g, f = 'auto', q, dpr = 1, bg = null, blur = null } = options;
  const format = f === 'auto' ? bestFormat(photo, accepted) : f;
  const point = g === 'center' ? MIDDLE : (photo.focus ?? MIDDLE);
  const gravity = g === 'auto' ? 'attention' : point;
  return {
    width: side('w', w, dpr),
    height: side('h', h, dpr),
    fit,
    gravity: fit === 'cover' ? gravity : MIDDLE,
    format,
    quality: format === 'png' ? QUALITY.png : (q ?? QUALITY[format]),
    background: bg,
    blur,
  };
}

/**
 * Where the picture is stored, and what it may be made from: a smaller JPEG only if it loses little by that. It does if it has to be exact,
 * or better than most, and if the photo has transparency; it would from a WebP.
 */
export function deliveredRendition(photo: Photo, transformation: Transformation): Rendition {
  const { format, quality } = transformation;
  const isDemanding = format === 'png' || quality > QUALITY[format];
  const key = renditionKey(photo, transformationName(transformation), format);
  return { key, transformation, expected: null, source: isDemanding || photo.alpha ? null : 'jpeg' };
}

/** Names a transformation, and only that: a part of names of blobs and of ETags. */
export function transformationName(transformation: Transformation): string {
  const { width, height, fit, gravity, format, quality, background, blur } = transformation;
  return hash('sha256', JSON.stringify([width, height, fit, gravity, format, quality, background, blur])).slice(0, 32);
}

function side(name: 'w' | 'h', length: number | undefined, dpr: number): number | null {
  if (length === undefined) return null;
  const pixels = Math.round(length * dpr);
  if (pixels <= MAX_RESULT_SIDE) return pixels;
  const message = `${name} × dpr must be at most ${MAX_RESULT_SIDE} pixels.`;
  throw invalid({ field: name, code: 'out_of_range', message, max: MAX_RESULT_SIDE });
}

/** Chosen for signed URLs of images alone: a rendition of a named size has the format that was asked for, or `defaultFormat` (media/media-reader.ts). */
function bestFormat({ alpha }: DeliveredPhoto, accepted: AcceptedFormats): TransformationFormat {
  if (accepted.has('avif')) return 'avif';
  if (accepted.has('webp')) return 'webp';
  return alpha ? 'png' : 'jpeg';
}

export interface DeliveredDownload extends Download {
  /** Identifies the bytes: those of another rotation, focus or preset have another. */
  readonly tag: string;
  readonly format: TransformationFormat;
  readonly deliveryKeyId: Id;
  /** Once it is opened: whether it had to be made first. */
  readonly isNew: boolean;
  /** Clients that accept other formats may get another picture. */
  readonly isNegotiated: boolean;
  /** From when on its address is refused; null: not until its key is deleted. */
  readonly expiresAt: Date | null;
}
