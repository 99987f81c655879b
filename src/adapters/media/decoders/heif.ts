import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beyondDecoder, decodeFailed, requirePictureSize, unsupportedFeature } from '../formats/accepted.js';
import { type ColourSpace, converter } from '../formats/colour-space.js';
import { asDecoded, declaredColours } from '../formats/declared-colours.js';
import { Boxes, copyWith, wholeOf } from '../formats/file-bytes.js';
import { type HeifStructure, heifStructure } from '../formats/heif.js';
import {
  type DecodedPixels,
  type OpenFile,
  type OpenPicture,
  type Picture,
  withTemporary,
  writePixelTiff,
} from '../scaled-picture.js';
import { headerOf, libvipsPicture } from './libvips.js';

const AVIF = 'image/avif';

/** Opens the primary picture of a HEIF file: libvips decodes AV1, libheif the others. */
export const open: OpenPicture = async (order, work) => {
  const { contentType, file } = order;
  const structure = await heifStructure(file);
  // Frames in a track.
  if (structure === null && (await new Boxes(file).within(0, file.size)).some(({ type }) => type === 'moov'))
    throw unsupportedFeature('Image sequences without a single image');
  // Its type says which codec it has, its brands need not.
  const isAv1 = structure?.codec ? structure.codec === 'av01' : contentType === AVIF;
  return isAv1 ? withAvif({ ...order, contentType: AVIF }, structure, work) : withHeif(order, structure, work);
};

/** Major brands by which libvips takes a file for one that libheif decodes. */
const KNOWN_BRANDS = ['avif', 'mif1', 'heic', 'heix'];
const MAJOR_BRAND_AT = 8;

async function withAvif<T>(
  order: OpenFile,
  structure: HeifStructure | null,
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  if (structure === null || KNOWN_BRANDS.includes(structure.majorBrand))
    return work(await libvipsPicture(order, structure));
  // The first picture of a sequence, which is decoded like any other once the file says that it is one.
  return withTemporary(join(order.folder, 'picture.avif'), async (path) => {
    await copyWith(order.input, path, Buffer.from('avif'), MAJOR_BRAND_AT);
    return work({ ...(await libvipsPicture({ ...order, input: path }, structure)), metadataInput: order.input });
  });
}

async function withHeif<T>(
  { input, folder, maxPixels, contentType }: OpenFile,
  structure: HeifStructure | null,
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  const { icc, exif, xmp } = (await headerOf(input)).header ?? {};
  const colours = await declaredColours({
    header: { space: 'srgb', depth: 'uchar', icc, exif },
    codePoints: structure?.codePoints ?? null,
  });
  // 8 bits are too few for more light than sRGB has.
  const isHighRange = colours.space?.tone !== undefined;
  const space = isHighRange ? colours.space : null;
  const decoded = decodeHeif(await wholeOf(input), { contentType, maxPixels, space, structure });
  const { width, height, channels, damaged } = decoded;
  return withTemporary(join(folder, 'pixels'), async (tiff) => {
    await writePixelTiff(tiff, decoded, icc);
    const facts = { contentType, isJpeg: false, width, height, orientation: 1, alpha: channels === 4, damaged };
    const shown = isHighRange ? asDecoded : colours;
    return work({ ...facts, input: tiff, colours: shown, metadataInput: input, exif, xmp });
  });
}

// From libheif's heif_image.h.
const COLORSPACE_RGB = 1;
const CHROMA_INTERLEAVED_RGB = 10;
const CHROMA_INTERLEAVED_RGBA = 11;
const CHROMA_INTERLEAVED_RRGGBB_LE = 14;
const CHROMA_INTERLEAVED_RRGGBBAA_LE = 15;
const CHANNEL_INTERLEAVED = 10;

const HEVC = ['hvc1', 'hev1'];

// From heif_error.h.
const OK = 0;
const UNSUPPORTED = [3, 4, 11];
const MEMORY_ALLOCATION = 6;
/** Unknown type of profile, primaries, transfer or matrix; contradiction between container and bitstream. The pixels are there. */
const COLOUR_WARNINGS = [126, 133, 134, 135, 152];
const MAX_WARNINGS = 100;

interface HeifOrder {
  readonly contentType: string;
  readonly maxPixels: number;
  readonly space: ColourSpace | null;
  readonly structure: HeifStructure | null;
}

/** A limit of the decoder's own. */
class LimitExceeded extends Error {}

/**
 * Decodes the primary picture of a HEIC file to 8 bits per channel in the file's own colour space, rotated and mirrored as the container
 * specifies; or from the space of an order to sRGB, from as many bits as there are. Throws a refusal when it cannot be decoded, or is over
 * `maxPixels`. The pixels are a view into memory of the decoder.
 */
function decodeHeif(file: Uint8Array, order: HeifOrder): DecodedPixels {
  const { crop } = order.structure ?? {};
  // The decoder takes the size of what is shown for that of the whole, and refuses to decode more: it is given the whole, and cropped here.
  if (crop) file.set(crop.whole, crop.start);
  // Loaded with the first of its pictures: it takes a third of the time in which a process starts.
  const open: (options: object) => Libheif = createRequire(import.meta.url)(
    'libheif-js/libheif-wasm/libheif-bundle.js',
  );
  // An instance for each attempt: its memory never shrinks, and nothing of a hostile file outlives it.
  const attempt = (hasLimits: boolean): DecodedPixels => {
    try {
      return decodeWith(open({ print: () => undefined, printErr: () => undefined }), file, { ...order, hasLimits });
    } catch (error) {
      // Ours hold: pixels, and the memory and time of the process.
      if (error instanceof LimitExceeded && hasLimits) return attempt(false);
      if (error instanceof LimitExceeded) throw beyondDecoder(order.contentType);
      // A trap inside WebAssembly, out of memory included.
      throw error instanceof Error && error.name === 'RuntimeError' ? decodeFailed() : error;
    }
  };
  return attempt(true);
}

/** The C interface of libheif in its WebAssembly build (LGPL-3.0, decodes only), as far as we use it. Numbers are pointers into its memory, or plain C integers. */
interface Libheif {
  /** Replaced by another view whenever the memory grows: never keep one across a call. */
  readonly HEAPU8: Uint8Array;
  readonly HEAPU32: Uint32Array;
  _malloc(size: number): number;
  _free(pointer: number): void;
  _heif_context_alloc(): number;
  _heif_get_disabled_security_limits(): number;
  _heif_context_set_security_limits(error: number, context: number, limits: number): void;
  _heif_context_read_from_memory(error: number, context: number, bytes: number, length: number, options: number): void;
  _heif_context_get_primary_image_handle(error: number, context: number, handle: number): void;
  _heif_image_handle_get_width(handle: number): number;
  _heif_image_handle_get_height(handle: number): number;
  _heif_image_handle_has_alpha_channel(handle: number): number;
  _heif_image_get_bits_per_pixel_range(image: number, channel: number): number;
  _heif_decode_image(
    error: number,
    handle: number,
    image: number,
    colorspace: number,
    chroma: number,
    options: number,
  ): void;
  _heif_image_get_decoding_warnings(image: number, first: number, errors: number, max: number): number;
  _heif_image_get_width(image: number, channel: number): number;
  _heif_image_get_height(image: number, channel: number): number;
  _heif_image_get_plane_readonly2(image: number, channel: number, stride: number): number;
}

function decodeWith(
  heif: Libheif,
  file: Uint8Array,
  { maxPixels, space, structure, hasLimits }: HeifOrder & { hasLimits: boolean },
): DecodedPixels {
  /** `struct heif_error` (code, subcode, message), followed by one word for the output of a call. */
  const error = heif._malloc(16);
  const out = error + 12;
  const word = (pointer: number) => heif.HEAPU32[pointer / 4] ?? 0;
  const requireSuccess = () => {
    const code = word(error);
    if (code === MEMORY_ALLOCATION) throw new LimitExceeded();
    if (code !== OK && (UNSUPPORTED.includes(code) || !HEVC.includes(structure?.codec ?? 'hvc1')))
      throw unsupportedFeature(`HEIF images of this kind (${structure?.codec ?? 'unknown'})`);
    if (code !== OK) throw decodeFailed();
  };

  const context = heif._heif_context_alloc();
  if (!hasLimits) heif._heif_context_set_security_limits(error, context, heif._heif_get_disabled_security_limits());
  const copy = heif._malloc(file.length);
  heif.HEAPU8.set(file, copy);
  heif._heif_context_read_from_memory(error, context, copy, file.length, 0);
  requireSuccess();
  heif._free(copy);

  heif._heif_context_get_primary_image_handle(error, context, out);
  requireSuccess();
  const handle = word(out);
  requirePictureSize(heif._heif_image_handle_get_width(handle), heif._heif_image_handle_get_height(handle), maxPixels);

  const alpha = heif._heif_image_handle_has_alpha_channel(handle) !== 0;
  const chroma = alpha
    ? [CHROMA_INTERLEAVED_RGBA, CHROMA_INTERLEAVED_RRGGBBAA_LE]
    : [CHROMA_INTERLEAVED_RGB, CHROMA_INTERLEAVED_RRGGBB_LE];
  heif._heif_decode_image(error, handle, out, COLORSPACE_RGB, chroma[space ? 1 : 0] ?? 0, 0);
  requireSuccess();
  const image = word(out);
  const whole = {
    width: heif._heif_image_get_width(image, CHANNEL_INTERLEAVED),
    height: heif._heif_image_get_height(image, CHANNEL_INTERLEAVED),
  };
  requirePictureSize(whole.width, whole.height, maxPixels);
  const { crop } = structure ?? {};
  // The part that is shown, if it is inside of what was decoded.
  const isInside = crop && crop.left + crop.width <= whole.width && crop.top + crop.height <= whole.height;
  const { left, top, width, height } = isInside ? crop : { left: 0, top: 0, ...whole };
  const plane = heif._heif_image_get_plane_readonly2(image, CHANNEL_INTERLEAVED, out);
  const stride = word(out);
  const channels = alpha ? 4 : 3;
  const rowBytes = (y: number, bytesPerSample = 1) => {
    const start = plane + (top + y) * stride + left * channels * bytesPerSample;
    return heif.HEAPU8.subarray(start, start + width * channels * bytesPerSample);
  };
  const warnings = heif._malloc(12 * MAX_WARNINGS);
  const warned = heif._heif_image_get_decoding_warnings(image, 0, warnings, MAX_WARNINGS);
  const subcodes = Array.from({ length: warned }, (_, index) => word(warnings + 12 * index + 4));
  const damaged = subcodes.some((subcode) => !COLOUR_WARNINGS.includes(subcode));
  const facts = { width, height, channels, damaged } as const;
  if (space === null) return { ...facts, row: (y) => rowBytes(y) };
  const bits = heif._heif_image_get_bits_per_pixel_range(image, CHANNEL_INTERLEAVED);
  const convert = converter(space, 2 ** bits - 1);
  const samples = (bytes: Uint8Array) => new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  return { ...facts, row: (y) => convert(samples(rowBytes(y, 2)), channels) };
}
