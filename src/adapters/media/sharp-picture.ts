import type { Colours } from './declared-colours.js';

/** A picture in a file that sharp can decode, known by its header. */
export interface Picture {
  /** What to decode: the file itself, what a HEIC was decoded into, or the preview of a raw file. */
  readonly path: string;
  readonly contentType: string;
  /** Upright. */
  readonly width: number;
  readonly height: number;
  /** Of what is to be decoded, as in EXIF; 1 where EXIF's does not apply. */
  readonly orientation: number;
  readonly alpha: boolean;
  readonly colours: Colours;
  /** Which of its pages is decoded. */
  readonly page: number;
  /** It is within our limits and beyond those of its decoder. */
  readonly unlimited: boolean;
  /** Found to be damaged while opening it. */
  readonly damaged: boolean;
  /** The file to read metadata from, in addition to those below. */
  readonly metadataPath: string;
  /** Metadata as libvips finds it, in a raw file, or where libvips does not look. */
  readonly exif: Uint8Array | undefined;
  readonly xmp: Uint8Array | undefined;
  readonly iptc?: Uint8Array | undefined;
}
