import type { Metadata } from 'sharp';
import { unsupportedFeature } from './accepted.js';
import {
  adobeRgb,
  type CodePoints,
  type ColourSpace,
  displayP3,
  isRgbProfile,
  linearSrgb,
  measuredSpace,
  namedSpace,
  profiledSpace,
} from './colour-space.js';
import { pngChunks } from './embedded-metadata.js';
import {
  type ByteSource,
  bytesAt,
  inMemory,
  openTiff,
  type TiffDirectory,
  type TiffReader,
  tiffOf,
} from './file-bytes.js';

/** The conversion of a picture to sRGB. */
export interface Colours {
  /** The space of its samples as sharp decodes them; null: sharp itself turns them into sRGB. */
  readonly space: ColourSpace | null;
  /** Whether the space is that of samples without the file's profile. */
  readonly ignoreIcc: boolean;
  /** libvips's word for samples of this depth that it does not convert: 8 bits, 16 bits, or floating point. */
  readonly samples: 'srgb' | 'rgb16' | 'scrgb' | 'b-w';
}

/** sRGB, or what sharp turns into it. */
export const asDecoded: Colours = { space: null, ignoreIcc: false, samples: 'srgb' };

export interface ColourSources {
  readonly header: Pick<Metadata, 'space' | 'depth' | 'icc' | 'exif'>;
  /** By numbers, which count before a profile. */
  readonly codePoints: CodePoints | null;
  /** By an exponent and chromaticities, which count after a profile and before EXIF; null: they say sRGB. */
  readonly measured?: ColourSpace | null;
  /** Whether EXIF of the file says Adobe RGB, where libvips does not find it. */
  readonly isAdobeRgb?: boolean;
}

/** RGB and grey, in libvips's words; other colours have a meaning of their own. */
const SPACES = ['srgb', 'rgb16', 'b-w', 'grey16', 'scrgb'];

/**
 * The space that a file names. sharp knows profiles of 8 bits: of 16 bits it converts RGB to Display P3, grey not at all, and of floating
 * point all becomes black. EXIF counts where nothing else does: cameras set to Adobe RGB embed no profile.
 */
export async function declaredColours({ header, codePoints, measured, isAdobeRgb }: ColourSources): Promise<Colours> {
  const { space: kind = '', depth, icc, exif } = header;
  if (!SPACES.includes(kind)) return asDecoded;
  if (depth === 'float') {
    const space = icc === undefined ? linearSrgb : profiledSpace(icc);
    if (space === null && icc && isRgbProfile(icc)) {
      throw unsupportedFeature('Floating-point samples with a color profile that is a table');
    }
    // Light itself, unless a profile says otherwise.
    return { space: space ?? linearSrgb, ignoreIcc: true, samples: kind === 'b-w' ? 'b-w' : 'scrgb' };
  }
  const samples = depth === 'ushort' ? 'rgb16' : 'srgb';
  if (codePoints !== null) return { space: namedSpace(codePoints), ignoreIcc: true, samples };
  if (icc !== undefined) {
    if (samples === 'srgb') return asDecoded;
    const space = profiledSpace(icc);
    return space === null && kind === 'rgb16' && isRgbProfile(icc)
      ? { space: displayP3, ignoreIcc: false, samples }
      : { space, ignoreIcc: true, samples };
  }
  if (measured !== undefined) return { space: measured, ignoreIcc: false, samples };
  const isAdobe = isAdobeRgb || (exif !== undefined && (await isAdobeRgbByTiff(inMemory(tiffOf(exif)))));
  return { space: isAdobe ? adobeRgb : null, ignoreIcc: false, samples };
}

const EXIF_POINTER = 34_665;
const COLOR_SPACE = 40_961;
const INTEROPERABILITY_POINTER = 40_965;
const INTEROPERABILITY_INDEX = 1;
const [SRGB, ADOBE_RGB] = [1, 2];
/** The exchange format for Adobe RGB (DCF 2.0). */
const OPTIONAL_COLOR_SPACE = 'R03';

/** EXIF in a file that is a TIFF. */
export async function isAdobeRgbByTiff(source: ByteSource): Promise<boolean> {
  const found = await openTiff(source);
  if (found === null) return false;
  const { tiff, directory: main } = found;
  const exif = await tiff.directory((await tiff.number(main?.entries.get(EXIF_POINTER))) ?? 0);
  return namesAdobeRgb(tiff, exif);
}

/** `ColorSpace` has no value for Adobe RGB, though some programs write 2: it is uncalibrated, and the interoperability index tells. */
export async function namesAdobeRgb(tiff: TiffReader, exif: TiffDirectory | null): Promise<boolean> {
  const space = await tiff.number(exif?.entries.get(COLOR_SPACE));
  if (space === SRGB || space === ADOBE_RGB) return space === ADOBE_RGB;
  const pointer = await tiff.number(exif?.entries.get(INTEROPERABILITY_POINTER));
  const interoperability = await tiff.directory(pointer ?? 0);
  const index = await tiff.value(interoperability?.entries.get(INTEROPERABILITY_INDEX));
  return index?.toString('latin1', 0, 3) === OPTIONAL_COLOR_SPACE;
}

/** Bytes of the chunks of a PNG that name colours, but for its profile. */
const COLOUR_CHUNKS: Readonly<Record<string, number>> = { cICP: 4, sRGB: 1, gAMA: 4, cHRM: 32 };
/** The unit of the integers in gAMA and cHRM. */
const UNIT = 100_000;

/** Returns what a PNG says of its colours before its pixels (third edition, 11.3.2 and 13.13): by code points, as sRGB, or as it was measured. */
export async function pngColours(file: ByteSource): Promise<Pick<ColourSources, 'codePoints' | 'measured'>> {
  const found = new Map<string, Buffer>();
  for await (const { type, start, length } of pngChunks(file)) {
    if (type === 'IDAT') break;
    if (COLOUR_CHUNKS[type] !== length || found.has(type)) continue;
    const bytes = await bytesAt(file, start, length);
    if (bytes.length === length) found.set(type, bytes);
  }
  const [points, gama, chrm] = ['cICP', 'gAMA', 'cHRM'].map((type) => found.get(type));
  const [primaries = 0, transfer = 0, , range] = points ?? [];
  const codePoints = points ? { primaries, transfer, isNarrow: range === 0 } : null;
  if (found.has('sRGB')) return { codePoints, measured: null };
  const exponent = gama?.readUInt32BE() || null;
  if (exponent === null && chrm === undefined) return { codePoints };
  const chromaticities = chrm && Array.from({ length: 8 }, (_, index) => chrm.readUInt32BE(4 * index) / UNIT);
  const measured = measuredSpace(exponent && UNIT / exponent, chromaticities ?? null);
  return measured ? { codePoints, measured } : { codePoints };
}
