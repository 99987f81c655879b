import type { FileHandle } from 'node:fs/promises';
import type { MetadataDirectories } from './metadata-tiff.js';

/** Bytes from `start` of the file; nothing says that they exist. */
export interface Range {
  readonly start: number;
  readonly length: number;
}

/** What a raw file says about itself. */
export interface RawFile {
  readonly contentType: string;
  /** Where it says that JPEGs are: previews of several sizes, and what turns out to be sensor data compressed as a JPEG. */
  readonly jpegs: readonly Range[];
  /** As in EXIF, of sensor data and previews alike. Null when the preview itself contains it. */
  readonly orientation: number | null;
  /** Its EXIF says so of its previews. */
  readonly isAdobeRgb: boolean;
  /** Where its sensor data should be, as far as its format says so reliably. */
  readonly sensorData: readonly Range[];
  /** Null: those of the preview are all there is. */
  readonly metadata: (MetadataDirectories & { readonly little: boolean }) | null;
  readonly xmp: Uint8Array | null;
}

/** A raw file of a camera whose format is not accepted. */
export const OTHER_RAW = 'other raw';

/** Reads a file of one family of raw formats; null when it is not one. */
export type RawReader = (file: FileHandle) => Promise<RawFile | typeof OTHER_RAW | null>;
