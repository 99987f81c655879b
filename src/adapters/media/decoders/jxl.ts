import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, crc32 } from 'node:zlib';
import type { Region } from '../../../core/media/transformation.js';
import { decodeFailed, Refusal, requirePictureSize } from '../formats/accepted.js';
import { asDecoded } from '../formats/declared-colours.js';
import { type Box, Boxes, type ByteSource, bytesAt, inMemory } from '../formats/file-bytes.js';
import {
  type DecodedPixels,
  type OpenPicture,
  scaledPicture,
  withTemporary,
  writePixelTiff,
} from '../scaled-picture.js';
import { libvipsPicture } from './libvips.js';

/**
 * Opens a JPEG XL file (ISO/IEC 18181): a codestream, on its own or in a container. The codestream says how it is oriented and what its
 * colours are, and the decoder applies the first: EXIF of the container is ignored in both.
 */
export const open: OpenPicture = async (order, work) => {
  const { input, folder, contentType, maxPixels } = order;
  const parts = await codestreamIn(order.file);
  await requireDeclaredSize(order.file, parts, maxPixels);
  const image = await openImage(order.file, parts, maxPixels);
  return withTemporary(join(folder, 'pixels'), async (tiff) => {
    const pixels = await decodedPixels(image, folder);
    await writePixelTiff(tiff, pixels, undefined);
    const { width, height, channels, damaged } = pixels;
    const facts = { contentType, isJpeg: false, width, height, orientation: 1, alpha: channels === 4, damaged };
    const metadata = await metadataIn(order.file);
    return work({ ...facts, input: tiff, colours: asDecoded, metadataInput: input, ...metadata });
  });
};

/** The type of the first box of a container. A codestream on its own has none. */
const CONTAINER = 'JXL ';
/** Before the part of a codestream in a box `jxlp`: its number. */
const PART_NUMBER_BYTES = 4;
/** Bytes of the file that belong to the codestream. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** The decoder gets nothing else: it unpacks the metadata of a container, however much that is. */
async function codestreamIn(file: ByteSource): Promise<readonly Part[]> {
  const { size } = file;
  const boxes = await new Boxes(file).within(0, size);
  if (boxes[0]?.type !== CONTAINER) return [{ start: 0, end: size }];
  return boxes.flatMap(({ type, start, length, content }) => {
    const end = Math.min(size, start + length);
    if (type === 'jxlc') return [{ start: content, end }];
    return type === 'jxlp' ? [{ start: content + PART_NUMBER_BYTES, end }] : [];
  });
}

/** The signature, and the most bytes that a size takes. */
const SIZE_BYTES = 11;
const SIDE_BITS = [9, 13, 18, 30] as const;
const RATIOS = [null, [1, 1], [12, 10], [4, 3], [3, 2], [16, 9], [5, 4], [2, 1]] as const;

/** Refuses a picture by the header of its codestream (ISO/IEC 18181-1, D.2), before the decoder has any of it. */
async function requireDeclaredSize(file: ByteSource, parts: readonly Part[], maxPixels: number): Promise<void> {
  let bytes = Buffer.alloc(0);
  for (const { start, end } of parts) {
    const length = Math.min(SIZE_BYTES - bytes.length, end - start);
    if (length > 0) bytes = Buffer.concat([bytes, await bytesAt(file, start, length)]);
  }
  if (bytes[0] !== 0xff || bytes[1] !== 0x0a) throw decodeFailed();
  let left = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) >> 16n;
  const take = (bits: number) => {
    const value = Number(BigInt.asUintN(bits, left));
    left >>= BigInt(bits);
    return value;
  };
  const isSmall = take(1) === 1;
  const side = () => (isSmall ? 8 * (1 + take(5)) : 1 + take(SIDE_BITS[take(2)] ?? 0));
  const height = side();
  const ratio = RATIOS[take(3)];
  requirePictureSize(ratio ? Math.floor((height * ratio[0]) / ratio[1]) : side(), height, maxPixels);
}

/** Rows that are decoded at a time, as many as a group of a codestream has: all at once would need 28 bytes for each pixel. */
const ROWS = 256;

/** The pixels in sRGB, from the top. */
async function decodedPixels(image: Awaited<ReturnType<typeof openImage>>, folder: string): Promise<DecodedPixels> {
  const { width, height } = image;
  const stripAt = async (top: number) => {
    // A strip as the decoder gives it: a PNG, which names its colours by numbers or a profile.
    const png = image.render({ left: 0, top, width, height: Math.min(ROWS, height - top) });
    if (png === null) return null;
    // The decoder gives both the number of the first, and that of cinemas is hardly found in pictures.
    if (png.toString('latin1', SECOND_CHUNK, PRIMARIES) === 'cICP' && png[PRIMARIES] === DCI_P3) {
      png[PRIMARIES] = DISPLAY_P3;
      png.writeUInt32BE(crc32(png.subarray(SECOND_CHUNK, NUMBERS_END)), NUMBERS_END);
    }
    const order = { input: png, folder, file: inMemory(png), contentType: 'image/png' };
    const picture = await libvipsPicture({ ...order, maxPixels: Number.POSITIVE_INFINITY }, null);
    return scaledPicture(picture, picture, 'error');
  };
  let [strip, end] = [await stripAt(0), Math.min(ROWS, height)];
  if (strip === null) throw decodeFailed();
  const { channels } = strip.raw;
  if (channels !== 3 && channels !== 4) throw decodeFailed();
  const rowBytes = width * channels;
  const blank = new Uint8Array(rowBytes);
  return {
    width,
    height,
    channels,
    get damaged() {
      return image.isDamaged();
    },
    row: async (y) => {
      if (y >= end) {
        strip = await stripAt(end);
        end += ROWS;
      }
      const at = (y % ROWS) * rowBytes;
      return strip === null ? blank : strip.data.subarray(at, at + rowBytes);
    },
  };
}

/** Where the type of the chunk behind IHDR is, and its numbers (PNG, third edition, 11.3.2.6). */
const [SECOND_CHUNK, PRIMARIES, NUMBERS_END] = [37, 41, 45];
/** ITU-T H.273: the primaries are the same, white is that of cinemas or that of displays. */
const [DCI_P3, DISPLAY_P3] = [11, 12];

/** Bytes of each of EXIF and XMP, unpacked. */
const MAX_METADATA_BYTES = 1024 * 1024;
/** Between the head of a box `brob` and what is compressed: the type that it would have. */
const TYPE_BYTES = 4;
/** Between the head of a box `Exif` and what is in it: where the TIFF begins in that. */
const EXIF_OFFSET_BYTES = 4;

/** Reads EXIF and XMP of a container (ISO/IEC 18181-2, 9.4 to 9.6), each of which may be compressed. The first box of each counts, so that few are unpacked. */
async function metadataIn(file: ByteSource): Promise<{ exif: Uint8Array | undefined; xmp: Uint8Array | undefined }> {
  const { size } = file;
  const found = new Map<string, Uint8Array | null>();
  const boxes = await new Boxes(file).within(0, size);
  for (const box of boxes[0]?.type === CONTAINER ? boxes : []) {
    const isPacked = box.type === 'brob';
    const type = isPacked ? (await bytesAt(file, box.content, TYPE_BYTES)).toString('latin1') : box.type;
    if (!['Exif', 'xml '].includes(type) || found.has(type) || box.start + box.length > size) continue;
    found.set(type, await contentOf(file, box, isPacked));
  }
  const exif = found.get('Exif') ?? Buffer.alloc(0);
  const isExif = exif.length >= EXIF_OFFSET_BYTES;
  const offset = isExif ? new DataView(exif.buffer, exif.byteOffset).getUint32(0) : 0;
  return {
    exif: isExif ? exif.subarray(EXIF_OFFSET_BYTES + offset) : undefined,
    xmp: found.get('xml ') ?? undefined,
  };
}

/** Null when there is too much of it, or it cannot be unpacked. */
async function contentOf(file: ByteSource, box: Box, isPacked: boolean): Promise<Uint8Array | null> {
  const bytes = box.start + box.length - box.content;
  if (bytes > MAX_METADATA_BYTES) return null;
  const stored = await bytesAt(file, box.content, bytes);
  const options = { maxOutputLength: MAX_METADATA_BYTES };
  return isPacked ? promisify(brotliDecompress)(stored.subarray(TYPE_BYTES), options).catch(() => null) : stored;
}

const CHUNK_BYTES = 1024 * 1024;

/**
 * Reads a codestream into jxl-oxide in its WebAssembly build, by its exported functions: what it comes with for JavaScript has one instance for
 * the life of a process, whose memory would never shrink and would outlive a hostile file. A failed call returns its error in a table, or traps.
 * Throws a refusal when it cannot be read, or is of more than `maxPixels`.
 */
async function openImage(file: ByteSource, parts: readonly Part[], maxPixels: number) {
  const decoder = await instance();
  const image = decoder.jxlimage_new();
  // The decoder leaves some bytes where it needs those that follow.
  let left: Uint8Array = Buffer.alloc(0);
  // Its header is read once all is there: of a profile that is incomplete, the decoder says that it is wrong.
  let isSound = true;
  for (const { start, end } of parts) {
    for (let at = start; isSound && at < end; at += CHUNK_BYTES) {
      const bytes = Buffer.concat([left, await bytesAt(file, at, Math.min(CHUNK_BYTES, end - at))]);
      isSound = trapped(() => {
        const given = decoder.__wbindgen_malloc(bytes.length, 1) >>> 0;
        new Uint8Array(decoder.memory.buffer, given, bytes.length).set(bytes);
        const [fed, , failed] = decoder.jxlimage_feedBytes(image, given, bytes.length);
        left = bytes.subarray(fed >>> 0);
        return !failed && left.length < CHUNK_BYTES;
      });
    }
  }
  let isDamaged = trapped(() => {
    const [initialized, , failed] = decoder.jxlimage_tryInit(image);
    if (failed || initialized === 0) throw decodeFailed();
    return decoder.jxlimage_num_loaded_keyframes(image) >>> 0 === 0;
  });
  // Upright, as everything here.
  const [width, height] = [decoder.jxlimage_width(image), decoder.jxlimage_height(image)];
  requirePictureSize(width, height, maxPixels);
  return {
    width,
    height,
    /** Whether some of what was rendered is missing. */
    isDamaged: () => isDamaged,
    /** Decodes a part of the first picture to a PNG, of 8 bits or 16; null when it is damaged. */
    render(strip: Region): Buffer | null {
      const png = trapped(() => {
        decoder.jxlimage_set_rendering_region(image, strip);
        const [rendered, , renderingFailed] = decoder.jxlimage_render(image, 0);
        if (renderingFailed) return null;
        const [start, length, , encodingFailed] = decoder.renderresult_encodeToPng(rendered);
        if (encodingFailed) return null;
        const bytes = Buffer.from(new Uint8Array(decoder.memory.buffer, start >>> 0, length >>> 0));
        decoder.__wbindgen_free(start, length, 1);
        return bytes;
      });
      isDamaged ||= png === null;
      return png;
    },
  };
}

/** A trap inside WebAssembly, out of memory included, is the file's fault. */
function trapped<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw error instanceof Refusal ? error : decodeFailed();
  }
}

/** The functions of the decoder that are used here; numbers are pointers into its memory, or plain integers. */
interface Exports {
  /** Its buffer is replaced by another whenever it grows. */
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Where values of JavaScript are. */
  readonly __wbindgen_export_2: { grow(slots: number): void };
  __wbindgen_start(): void;
  __wbindgen_malloc(bytes: number, alignment: number): number;
  __wbindgen_free(start: number, bytes: number, alignment: number): void;
  jxlimage_new(): number;
  jxlimage_feedBytes(
    image: number,
    start: number,
    bytes: number,
  ): readonly [fed: number, error: number, failed: number];
  jxlimage_tryInit(image: number): readonly [initialized: number, error: number, failed: number];
  jxlimage_num_loaded_keyframes(image: number): number;
  jxlimage_width(image: number): number;
  jxlimage_height(image: number): number;
  jxlimage_set_rendering_region(image: number, strip: Region): void;
  jxlimage_render(image: number, frame: number): readonly [rendered: number, error: number, failed: number];
  renderresult_encodeToPng(rendered: number): readonly [start: number, bytes: number, error: number, failed: number];
}

/** The part that is used here; the types of Node leave it to those of browsers. */
declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): readonly { readonly name: string }[];
  };
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** A new instance with a memory of its own. */
async function instance(): Promise<Exports> {
  const folder = dirname(createRequire(import.meta.url).resolve('jxl-oxide-wasm/package.json'));
  const module = new WebAssembly.Module(await readFile(join(folder, 'jxl_oxide_wasm_bg.wasm')));
  // Names of functions that it imports have a prefix, and most a hash that is another in each version. What it asks of a browser has no answer here.
  const imported: Readonly<Record<string, unknown>> = {
    left: ({ left }: Region) => left,
    top: ({ top }: Region) => top,
    width: ({ width }: Region) => width,
    height: ({ height }: Region) => height,
    init_externref_table: () => exports.__wbindgen_export_2.grow(4),
    is_undefined: (value: unknown) => value === undefined,
  };
  const wbg = WebAssembly.Module.imports(module).map(({ name }) => {
    const known = name.replace(/^__wb(g|indgen)_/, '').replace(/_[0-9a-f]{16}$/, '');
    return [name, imported[known] ?? (() => undefined)];
  });
  const exports = new WebAssembly.Instance(module, { wbg: Object.fromEntries(wbg) }).exports as Exports;
  exports.__wbindgen_start();
  return exports;
}
