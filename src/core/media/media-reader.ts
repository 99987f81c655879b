import type { ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { WrittenTimes } from './capture-time.js';
import type { FieldValues, FileField } from './photo-fields.js';
import type { Camera, Companion, ExifTags, Exposure } from './picture-metadata.js';
import type { Size, Transformation } from './transformation.js';

/**
 * The facts that the bytes of a picture contain, and those that decoding it showed. Plain data: it is stored as JSON between inspection and
 * publishing. Texts are truncated to the limits of a photo's fields.
 */
export interface PictureFacts extends FieldValues<FileField> {
  /** From the fixed list of accepted types; determined by the bytes. */
  readonly contentType: string;
  /** Upright, in pixels, of the first frame. */
  readonly width: number;
  readonly height: number;
  /** EXIF value in effect; 1 where what the file itself says beside EXIF decides (HEIF, AVIF, JPEG XL). */
  readonly orientation: number;
  readonly alpha: boolean;
  /** It can only be decoded if errors are tolerated. */
  readonly damaged: boolean;
  readonly camera: Camera | null;
  readonly exposure: Exposure | null;
  readonly times: WrittenTimes;
  /** IANA zone of the position. */
  readonly positionZone: string | null;
  /** base64 ThumbHash. */
  readonly thumbhash: string | null;
  /** `#rrggbb`. */
  readonly dominantColor: string | null;
  /** 16 hex digits (`core/photos/similar/similar-photo.ts`); null for a plain picture. */
  readonly phash: string | null;
  readonly companion: Companion | null;
  /** The bytes of the thumb, once they are stored (`Photo.thumb`). */
  readonly storedThumb?: { readonly sizeBytes: number; readonly sha256: string };
  readonly exif: ExifTags;
}

export type Inspection =
  | { readonly outcome: 'picture'; readonly facts: PictureFacts; readonly thumb: RenderedPicture }
  | { readonly outcome: 'refused'; readonly error: ItemError };

/** The formats of the named sizes. */
export const renditionFormats = ['jpeg', 'webp'] as const;
export type RenditionFormat = (typeof renditionFormats)[number];

/** The owner of the picture: when several are waiting, customers take turns. */
interface OfCustomer {
  readonly customerId: Id;
}

/** Renditions that one customer may have queued at once, more than any page shows; further ones are refused with `service_unavailable`. */
export const MAX_RENDITIONS_AT_ONCE = 128;

export interface RenditionOrder extends OfCustomer, Transformation {
  /** Clockwise, in addition to the upright orientation. */
  readonly rotation: number;
  /**
   * If the bytes are a reduced copy: the size of the upright picture that the transformation is of. The result has the size that it would
   * have from the original.
   */
  readonly originalSize?: Size | undefined;
  /** Whether it is read alone, as with `InspectBounds`. */
  readonly alone?: boolean;
}

/** Upright, sRGB, 8 bits, first frame, without any metadata. */
export interface RenderedPicture {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

export type Sniffed =
  | { readonly kind: 'accepted'; readonly contentType: string }
  | { readonly kind: 'unsupported'; readonly contentType: string }
  | { readonly kind: 'not_an_image' };

/** Reading this picture failed in a way that may have another cause: its reader died, or exceeded its time or memory. */
export class ReaderFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ReaderFailure';
  }
}

/** The bytes of a picture. */
export interface PictureBytes extends AsyncIterable<Uint8Array> {
  /**
   * Where the same bytes are in a file of this machine, whose path is asked for once it is the picture's turn. Null, or absent: they have
   * to be read from here.
   */
  file?(): Promise<string | null>;
}

export interface InspectBounds extends OfCustomer {
  readonly maxPixels: number;
  /** No other picture of this customer is read at the same time: for one that failed while others were. */
  readonly alone?: boolean;
}

/**
 * Reads pictures in isolation: whatever the bytes, the caller's process survives. Metadata that cannot be read or is out of range becomes
 * null; a picture that cannot be fully decoded is refused. The same bytes give the same result. A reader has finished with each chunk of
 * `bytes` before it requests the next. Errors, after which a retry makes sense: `ReaderFailure`; `service_unavailable` when no picture can
 * be read now (no space for its bytes, no process to read it, too many renditions of this customer in progress, closed); and whatever the
 * source of the bytes throws, unchanged.
 */
export interface MediaReader {
  /** Content types that this build decodes. */
  readonly formats: readonly string[];
  /** The type according to the first bytes (4,100 are enough); name and declared type are ignored. */
  sniff(head: Uint8Array): Promise<Sniffed>;
  /** Decodes everything once and generates the `thumb`. */
  inspect(bytes: PictureBytes, bounds: InspectBounds): Promise<Inspection>;
  /** Null when this build cannot decode the picture. */
  render(bytes: PictureBytes, order: RenditionOrder): Promise<RenderedPicture | null>;
}

/**
 * The reach of code that has taken over a decoder process; best first. `sandbox`: the current picture, and nothing else. `user`: what
 * every account may read, and the network. `process`: everything that the service itself may.
 */
export const isolationLevels = ['sandbox', 'user', 'process'] as const;
export type IsolationLevel = (typeof isolationLevels)[number];

/** A required level, or the best that works. */
export type WantedIsolation = IsolationLevel | 'auto';

/** The level that pictures are read at. */
export interface MediaIsolation {
  readonly level: IsolationLevel;
  /** Better levels, and why they do not work here. */
  readonly refused: readonly { readonly level: IsolationLevel; readonly reason: string }[];
}

/**
 * Which processor time decoders get. `idle`: what nothing else wants, where the system can do that (Linux). `low`: little, but always some.
 */
export const decoderPriorities = ['idle', 'low'] as const;
export type DecoderPriority = (typeof decoderPriorities)[number];

/**
 * Longest side in pixels; quality and the rest: `within` (transformation.ts). The thumb is made when its file is inspected, the others when they
 * are first asked for (photos/renditions/make.ts).
 */
export const renditionSizes = { thumb: 320, small: 640, medium: 1280, large: 2560 } as const;
export type RenditionName = keyof typeof renditionSizes;

/** Smallest first. */
export const renditionNames = Object.keys(renditionSizes) as readonly RenditionName[];

export function isRenditionName(text: string): text is RenditionName {
  return Object.hasOwn(renditionSizes, text);
}

/** Pictures with transparency keep it unless the client requests otherwise. */
export function defaultFormat(photo: { readonly alpha: boolean }): RenditionFormat {
  return photo.alpha ? 'webp' : 'jpeg';
}
