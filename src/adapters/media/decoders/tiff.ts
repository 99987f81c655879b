import { join } from 'node:path';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { decodeFailed, requirePictureSize, unsupportedFeature } from '../formats/accepted.js';
import { converter, D50, fromXyz, type Vector } from '../formats/colour-space.js';
import { asDecoded, declaredColours, isAdobeRgbByTiff } from '../formats/declared-colours.js';
import {
  type ByteSource,
  copyWith,
  openTiff,
  type PictureInput,
  type TiffDirectory,
  type TiffReader,
} from '../formats/file-bytes.js';
import {
  isOfSystem,
  type OpenFile,
  type OpenPicture,
  type Picture,
  uprightSize,
  withTemporary,
  writePixelTiff,
} from '../scaled-picture.js';
import { exifOrientation, libvipsPicture } from './libvips.js';

/** Opens the largest page of a TIFF in full resolution, decoded here where libvips does not know its compression or samples. */
export const open: OpenPicture = async (order, work) => {
  const { input, folder, file, maxPixels } = order;
  const page = await tiffPage(file);
  if (page === null) return work(await libvipsPicture(order, null));
  requirePictureSize(page.width, page.height, maxPixels);
  return withUnpackedTiff({ page, input, folder }, async (decoded) => {
    const { header } = decoded;
    const orientation = exifOrientation(header.orientation);
    return work({
      ...uprightSize({ width: header.width, height: header.height }, orientation),
      input: decoded.input,
      page: decoded.page,
      contentType: order.contentType,
      isJpeg: false,
      orientation,
      alpha: page.alphaChannel !== null,
      colours: decoded.isSrgb
        ? asDecoded
        : await declaredColours({ header, codePoints: null, isAdobeRgb: await isAdobeRgbByTiff(file) }),
      damaged: decoded.damaged,
      metadataInput: input,
      exif: header.exif,
      xmp: header.xmp,
    });
  });
};

const NEW_SUBFILE_TYPE = 254;
const PHOTOMETRIC = 262;
const WHITE_POINT = 318;
const [REDUCED, MASK] = [1, 4];
const [UNSIGNED, FLOATING_POINT, UNDEFINED] = [1, 3, 4];
const [WHITE_IS_ZERO, BLACK_IS_ZERO, RGB, PALETTE, CMYK, YCBCR, CIELAB, ICCLAB] = [0, 1, 2, 3, 5, 6, 8, 9];
const COLOURS: Readonly<Record<number, number>> = {
  [WHITE_IS_ZERO]: 1,
  [BLACK_IS_ZERO]: 1,
  [RGB]: 3,
  [PALETTE]: 1,
  [CMYK]: 4,
  [YCBCR]: 3,
  [CIELAB]: 3,
  [ICCLAB]: 3,
};
/** The compressions that libtiff in sharp has. It leaves out what it cannot decode, sometimes without an error. */
const COMPRESSIONS = [1, 2, 3, 4, 5, 7, 8, 32_766, 32_771, 32_773, 32_809, 32_946, 50_001];
const COMPRESSION_NAMES: Readonly<Record<number, string>> = {
  6: 'old-style JPEG',
  9: 'JBIG',
  10: 'JBIG',
  32909: 'PixarLog',
  34661: 'JBIG',
  34676: 'LogLuv',
  34677: 'LogLuv',
  34712: 'JPEG 2000',
  34887: 'LERC',
  34925: 'LZMA',
  50000: 'Zstandard',
  50002: 'JPEG XL',
};

/** The last that sharp can extract: transparency behind several selections is left out with them. */
const LAST_CHANNEL = 4;

/**
 * The page that is the picture: the first, unless it says that it is a reduced copy or a mask; then the largest of those that are neither.
 * Null when the directories cannot be read, which is for the decoder to judge. Throws a refusal that names what the decoder lacks.
 */
async function tiffPage(file: ByteSource): Promise<TiffPage | null> {
  const found = await openTiff(file);
  if (found === null || (found.magic !== 42 && !found.isBig)) return null;
  const { tiff } = found;
  const pages: { page: TiffPage; isCopy: boolean }[] = [];
  let { directory } = found;
  for (let index = 0; directory !== null; index += 1) {
    const subfile = (await tiff.number(directory.entries.get(NEW_SUBFILE_TYPE))) ?? 0;
    pages.push({ page: await pageOf(tiff, directory, index), isCopy: (subfile & (REDUCED | MASK)) !== 0 });
    directory = await tiff.directory(directory.next);
  }
  const [first] = pages;
  if (first === undefined) return null;
  const area = ({ page }: (typeof pages)[number]) => page.width * page.height;
  const [largest] = pages.filter(({ isCopy }) => !isCopy).toSorted((a, b) => area(b) - area(a));
  const { page } = first.isCopy && largest ? largest : first;
  requireDecodable(page);
  return page;
}

/** A page of a TIFF (TIFF 6.0, section 8), as far as it matters for decoding it. */
type TiffPage = Awaited<ReturnType<typeof pageOf>>;

/** @param index Among all pages of the file, from 0. */
async function pageOf(tiff: TiffReader, { entries }: TiffDirectory, index: number) {
  const number = async (tag: number, otherwise: number) => (await tiff.number(entries.get(tag))) ?? otherwise;
  const photometric = await number(PHOTOMETRIC, BLACK_IS_ZERO);
  const extra = await tiff.numbers(entries.get(338));
  const alpha = (COLOURS[photometric] ?? 0) + extra.findIndex((meaning) => meaning === 1 || meaning === 2);
  return {
    index,
    width: await number(256, 0),
    height: await number(257, 0),
    compression: await number(259, 1),
    photometric,
    bits: await number(258, 1),
    sampleFormat: await number(339, UNSIGNED),
    channels: await number(277, 1),
    // Whether a channel behind the colours is transparency: the first that `ExtraSamples` says so of. Others are selections, or unspecified.
    alphaChannel: alpha >= (COLOURS[photometric] ?? 0) && alpha <= LAST_CHANNEL ? alpha : null,
    // Where in the file its photometric interpretation is, in the file's order of bytes.
    photometricAt: entries.get(PHOTOMETRIC)?.start ?? 0,
    little: tiff.little,
    // The white of CIELab, as XYZ.
    white: whiteOf(await tiff.value(entries.get(WHITE_POINT)), tiff.little),
  };
}

/** Returns the white in two fractions, x and y; D50 where there are none. */
function whiteOf(bytes: Buffer | null, little: boolean): Vector {
  if (bytes === null || bytes.length !== 16) return D50;
  const [a = 0, b = 0, c = 0, d = 0] = [0, 4, 8, 12].map((at) =>
    little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at),
  );
  const [x, y] = [a / b, c / d];
  return x > 0 && y > 0 && x + y < 1 ? [x / y, 1, (1 - x - y) / y] : D50;
}

function requireDecodable({ compression, photometric, bits, sampleFormat }: TiffPage): void {
  const refuse = (what: string) => unsupportedFeature(`TIFF files ${what}`);
  if (!COMPRESSIONS.includes(compression))
    throw refuse(`with ${COMPRESSION_NAMES[compression] ?? `number ${compression}`} compression`);
  if (COLOURS[photometric] === undefined) throw refuse(`with colors of kind ${photometric}`);
  const isLab = photometric === CIELAB || photometric === ICCLAB;
  const isFloat = sampleFormat === FLOATING_POINT;
  const isGrey = photometric === WHITE_IS_ZERO || photometric === BLACK_IS_ZERO;
  if (isFloat && bits !== 32 && !(bits === 16 && !isGrey)) throw refuse(`with floating-point samples of ${bits} bits`);
  if (isFloat && !isGrey && photometric !== RGB) throw refuse('with floating-point samples that are not RGB or grey');
  if (!isFloat && ![UNSIGNED, UNDEFINED].includes(sampleFormat) && !isLab) throw refuse('with signed samples');
  if (!isFloat && ![1, 2, 4, 8, 16].includes(bits)) throw refuse(`with integer samples of ${bits} bits`);
  if (isLab && bits !== 8 && !(bits === 16 && photometric === CIELAB)) throw refuse(`with Lab colors of ${bits} bits`);
}

type TiffOrder = Pick<OpenFile, 'input' | 'folder'> & { readonly page: TiffPage };

/** The picture that sharp decodes, with the header of its page: a page of the file itself, or what had to be made of it before. */
type DecodableTiff = Pick<Picture, 'input' | 'damaged'> & {
  readonly page: number;
  readonly header: Metadata;
  readonly isSrgb: boolean;
};

/** Channels at most. Photoshop writes 56. */
const MAX_CHANNELS = 64;

const inputOf = (page: TiffPage) =>
  ({ page: page.index, failOn: 'none', limitInputPixels: false, limitInputChannels: MAX_CHANNELS }) as const;

/** Unpacks a page for `work` if sharp would misunderstand it. */
async function withUnpackedTiff<T>(order: TiffOrder, work: (tiff: DecodableTiff) => Promise<T>): Promise<T> {
  const { page, input, folder } = order;
  const { photometric, bits, channels, alphaChannel } = page;
  const isLab = (photometric === CIELAB || photometric === ICCLAB) && bits === 8;
  if (isLab) return withTemporary(join(folder, 'lab.tif'), async (to) => work(await unpackLab(order, to)));
  const header = await headerOf(input, page);
  const colours = COLOURS[photometric] ?? channels;
  const isPlain = channels <= colours || (channels === colours + 1 && alphaChannel !== null);
  if (isPlain) return work({ input, page: page.index, header, isSrgb: false, damaged: false });
  return withTemporary(join(folder, 'colours.tif'), async (to) => {
    const damaged = await unpackColours(order, header, to);
    return work({ input: to, page: 0, header, isSrgb: false, damaged });
  });
}

/** The header as libvips reads it, which must be of the size that the directory says: that was checked. */
async function headerOf(input: PictureInput, page: TiffPage): Promise<Metadata> {
  const header = await sharp(input, inputOf(page))
    .metadata()
    .catch(() => null);
  if (header === null || header.width !== page.width || header.height !== page.height) throw decodeFailed();
  return header;
}

/**
 * Leaves out what is neither colour nor transparency: sharp takes any channel behind the colours for transparency. Whether the file is
 * damaged.
 */
async function unpackColours({ page, input }: TiffOrder, { space }: Metadata, to: string): Promise<boolean> {
  const { alphaChannel } = page;
  const write = async (failOn: 'error' | 'none') => {
    const opened = () => sharp(input, { ...inputOf(page), failOn }).keepIccProfile();
    const kept = (pipeline: Sharp) => pipeline.pipelineColourspace(space).toColourspace(space).tiff(UNCOMPRESSED);
    if (alphaChannel === null) return kept(opened().removeAlpha()).toFile(to);
    return withTemporary(`${to}.opaque`, (opaque) =>
      withTemporary(`${to}.alpha`, async (alpha) => {
        await kept(opened().removeAlpha()).toFile(opaque);
        await kept(opened().extractChannel(alphaChannel as 0)).toFile(alpha);
        const whole = { limitInputPixels: false } as const;
        const joined = sharp(opaque, whole).keepIccProfile().joinChannel(alpha, whole);
        return joined.toColourspace(space).tiff(UNCOMPRESSED).toFile(to);
      }),
    );
  };
  return decodedOrDamaged(write);
}

const UNCOMPRESSED = { compression: 'none' } as const;

/** Whether errors had to be tolerated. */
async function decodedOrDamaged(decode: (failOn: 'error' | 'none') => Promise<unknown>): Promise<boolean> {
  try {
    await decode('error');
    return false;
  } catch {
    await decode('none').catch((error: unknown) => {
      throw isOfSystem(error) ? error : decodeFailed();
    });
    return true;
  }
}

/**
 * Unpacks CIELab of 8 bits, which libvips refuses (8.18), as sRGB: it is decoded as if it were RGB, which leaves the numbers as they are.
 */
async function unpackLab({ page, input }: TiffOrder, to: string): Promise<DecodableTiff> {
  const { width, alphaChannel, photometric, photometricAt, little, white } = page;
  return withTemporary(`${to}.rgb`, async (copy) => {
    await copyWith(input, copy, Buffer.from(little ? [RGB, 0] : [0, RGB]), photometricAt);
    const header = await headerOf(copy, page);
    let data = Buffer.alloc(0);
    const damaged = await decodedOrDamaged(async (failOn) => {
      data = await sharp(copy, { ...inputOf(page), failOn, ignoreIcc: true })
        .raw({ depth: 'uchar' })
        .toBuffer();
    });
    const step = data.length / (width * page.height);
    const channels = alphaChannel === null ? 3 : 4;
    const [whiteX, , whiteZ] = white;
    // Half of it, as there may be more than 1 of Z.
    const convert = converter({ light: (v) => 2 * v, matrix: fromXyz(white) }, 1);
    const light = new Float32Array(width * channels);
    const row = (y: number) => {
      for (let x = 0; x < width; x += 1) {
        const at = (y * width + x) * step;
        const fy = (((data[at] ?? 0) / 255) * 100 + 16) / 116;
        const [a, b] = [around(data[at + 1], photometric), around(data[at + 2], photometric)];
        const xyz = [whiteX * cubed(fy + a / 500), cubed(fy), whiteZ * cubed(fy - b / 200)];
        for (const [index, value] of xyz.entries()) light[x * channels + index] = value / 2;
        if (alphaChannel !== null) light[x * channels + 3] = (data[at + alphaChannel] ?? 255) / 255;
      }
      return convert(light, channels);
    };
    await writePixelTiff(to, { width, height: page.height, channels, row }, undefined);
    return { input: to, page: 0, header, isSrgb: true, damaged };
  });
}

/** a or b of a byte. */
function around(byte = 0, photometric: number): number {
  if (photometric === ICCLAB) return byte - 128;
  return byte < 128 ? byte : byte - 256;
}

function cubed(f: number): number {
  return f > 6 / 29 ? f ** 3 : (f - 16 / 116) / 7.787;
}
