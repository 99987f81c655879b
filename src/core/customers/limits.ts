import type { ItemError } from '../shared/errors.js';

/** Count and size limits of one installation, which clients can read. Bytes, pixels and counts. */
export interface Limits {
  /** The largest file: `tooLarge` (imports/candidate.ts) says where it is checked. */
  readonly maxFileBytes: number;
  /** The most pixels of a picture (`pictureSizeError`); JPEG XL may have less (`maxPixels`, media/formats.ts). */
  readonly maxPixels: number;
  readonly importBatchSize: number;
  readonly importMaxPhotos: number;
  readonly inlineMaxFiles: number;
  readonly inlineMaxBytes: number;
  readonly openImports: number;
  readonly tags: number;
  readonly tagsPerPhoto: number;
}

const MIB = 1024 * 1024;

/** Where no setting says otherwise (`MAX_PIXELS` and others, config/config.ts). A format may allow fewer pixels (media/formats.ts). */
export const defaultLimits: Limits = {
  maxFileBytes: 200 * MIB,
  maxPixels: 210_000_000,
  importBatchSize: 500,
  importMaxPhotos: 10_000,
  inlineMaxFiles: 20,
  inlineMaxBytes: 100 * MIB,
  openImports: 100,
  tags: 10_000,
  tagsPerPhoto: 100,
};

/** The longest side of a picture: the largest that JPEG can express is 65,535; libvips' writers stop at 65,500. */
export const MAX_SIDE = 65_500;

/**
 * The error of a picture of this size; null when a picture may have it. Decoders ask by its header (adapters/media/formats/accepted.ts), before
 * anything is decoded: the item fails with it (`inspectAndApply`, imports/inspect.ts), and its import continues.
 * Decoders also refuse a file that has too few bytes for its pixels (`requireDensity`, accepted.ts).
 */
export function pictureSizeError(width: number, height: number, maxPixels: number): ItemError | null {
  if (width * height <= maxPixels && Math.max(width, height) <= MAX_SIDE) return null;
  return {
    code: 'too_many_pixels',
    message: `The image has ${width} × ${height} pixels; the maximum is ${maxPixels} in total and ${MAX_SIDE} per side. Reduce its size.`,
  };
}
