import { namesAdobeRgb } from './declared-colours.js';
import {
  type Box,
  Boxes,
  type ByteSource,
  bytesAt,
  openTiff,
  type Range,
  type StoredEntry,
  type TiffDirectory,
  TiffReader,
  UUID_BYTES,
} from './file-bytes.js';

export interface RawFile {
  readonly contentType: string;
  /** Where it says that JPEGs are: previews of several sizes, and what turns out to be sensor data compressed as a JPEG. */
  readonly jpegs: readonly Range[];
  /** The orientation as in EXIF, of sensor data and previews alike. Null when the preview itself contains it. */
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
type RawReader = (file: ByteSource) => Promise<RawFile | typeof OTHER_RAW | null>;

/** The directories of a raw file that contain metadata, each read from wherever the format has it. */
export type MetadataDirectories = Readonly<Record<'main' | 'exif' | 'gps', readonly StoredEntry[]>>;

export const EXIF_POINTER = 34_665;
export const GPS_POINTER = 34_853;
/** Pointers into the file, which lead elsewhere in the copy; XMP and what only the camera's maker can read, which are large. */
const NOT_COPIED = [273, 279, 324, 325, 330, 513, 514, 700, EXIF_POINTER, GPS_POINTER, 37_500, 40_965, 50_740];
/** The first tag of a main directory that TIFF has. Panasonic has tags of its own below. */
const FIRST_TAG = 254;
const MAX_VALUE_BYTES = 64 * 1024;

/** Tags of a directory. */
async function entriesOf(tiff: TiffReader, directory: TiffDirectory | null, firstTag = 0): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = [];
  for (const entry of directory?.entries.values() ?? []) {
    if (NOT_COPIED.includes(entry.tag) || entry.tag < firstTag || entry.length > MAX_VALUE_BYTES) continue;
    const value = await tiff.value(entry);
    if (value !== null) entries.push({ tag: entry.tag, type: entry.type, count: entry.count, value });
  }
  return entries;
}

const METADATA_UUID = '85c0b687820f11e08111f4ce462b6a48';
const PREVIEW_UUID = 'eaf42b5e1c984b88b9fbb7dc406e4d16';
const XMP_UUID = 'be7acfcb97a942e89c71999491e3afac';
const ORIENTATION = 274;

const MAX_XMP_BYTES = 1024 * 1024;
/** Between the UUID and the first box inside. */
const PREVIEW_COUNT_BYTES = 8;
/** Between the beginning of `PRVW` and its JPEG, whose length is in the last four. */
const PREVIEW_HEAD_BYTES = 24;

/**
 * Canon's raw files since 2018: an ISO base media file (ISO 14496-12) whose tracks are pictures. The largest JPEG is a track, as the sensor data
 * are; metadata are four TIFFs in a box of Canon's own, of one directory each.
 */
export const readCr3: RawReader = async (file) => {
  const boxes = new Boxes(file);
  const top = await boxes.within(0, file.size);
  const [type] = top;
  if (type?.type !== 'ftyp' || (await bytesAt(file, type.content, 4)).toString('latin1') !== 'crx ') return null;
  const moov = top.find((box) => box.type === 'moov');
  const inside = moov ? await boxes.in(moov) : [];
  const metadata = await boxes.ofUuid(inside, METADATA_UUID);
  const parts = new Map((metadata ? await boxes.in(metadata, UUID_BYTES) : []).map((box) => [box.type, box]));
  const tiffIn = async (type: string) => {
    const box = parts.get(type);
    return box ? openTiff(file, box.content) : null;
  };
  const [main, exif, gps] = [await tiffIn('CMT1'), await tiffIn('CMT2'), await tiffIn('CMT4')];
  const little = main?.tiff.little ?? true;
  const entries = (part: typeof exif) => (part?.tiff.little === little ? entriesOf(part.tiff, part.directory) : []);
  const preview = await boxes.ofUuid(top, PREVIEW_UUID);
  const jpegs = await tracks(file, boxes, inside);
  const [shown] = preview ? await boxes.in(preview, UUID_BYTES + PREVIEW_COUNT_BYTES) : [];
  const head = shown?.type === 'PRVW' ? await bytesAt(file, shown.start, PREVIEW_HEAD_BYTES) : Buffer.alloc(0);
  if (shown && head.length === PREVIEW_HEAD_BYTES)
    jpegs.push({ start: shown.start + PREVIEW_HEAD_BYTES, length: head.readUInt32BE(PREVIEW_HEAD_BYTES - 4) });
  const packet = await boxes.ofUuid(top, XMP_UUID);
  const xmpBytes = packet ? packet.start + packet.length - packet.content - UUID_BYTES : 0;
  return {
    contentType: 'image/x-canon-cr3',
    jpegs,
    orientation: main ? await main.tiff.number(main.directory?.entries.get(ORIENTATION)) : null,
    isAdobeRgb: exif !== null && (await namesAdobeRgb(exif.tiff, exif.directory)),
    sensorData: top.filter((box) => box.type === 'mdat'),
    metadata: {
      little,
      main: main ? await entriesOf(main.tiff, main.directory, FIRST_TAG) : [],
      exif: await entries(exif),
      gps: await entries(gps),
    },
    xmp:
      packet && xmpBytes > 0 && xmpBytes <= MAX_XMP_BYTES
        ? await bytesAt(file, packet.content + UUID_BYTES, xmpBytes)
        : null,
  };
};

/** The single picture of each track. */
async function tracks(file: ByteSource, boxes: Boxes, moov: readonly Box[]): Promise<Range[]> {
  const found: Range[] = [];
  for (const track of moov.filter(({ type }) => type === 'trak')) {
    const table = await boxes.at(track, 'mdia', 'minf', 'stbl');
    const inside = table ? await boxes.in(table) : [];
    const part = async (type: string) => {
      const box = inside.find((inner) => inner.type === type);
      return box ? bytesAt(file, box.content, 16) : Buffer.alloc(0);
    };
    // Each begins with a version and flags. Sizes: one for all, or 0, a count and a list. Places: a count and a list.
    const [sizes, near, far] = [await part('stsz'), await part('stco'), await part('co64')];
    if (sizes.length < 12) continue;
    const length = sizes.readUInt32BE(4) || (sizes.length === 16 ? sizes.readUInt32BE(12) : 0);
    if (far.length === 16) found.push({ start: Number(far.readBigUInt64BE(8)), length });
    else if (near.length >= 12) found.push({ start: near.readUInt32BE(8), length });
  }
  return found;
}

const NEW_SUBFILE_TYPE = 254;
const COMPRESSION = 259;
const PHOTOMETRIC = 262;
const MAKE = 271;
const MODEL = 272;
const STRIPS = [273, 279] as const;
const TILES = [324, 325] as const;
const SUB_IFDS = 330;
const JPEG = [513, 514] as const;
const XMP = 700;
const DNG_VERSION = 50_706;
/** Panasonic: a whole JPEG as the value of a tag. */
const JPG_FROM_RAW = 46;

/** JPEG, as before and since TIFF technical note 2. */
const JPEG_COMPRESSION = [6, 7];
/** Sensor data (TIFF/EP, ISO 12234-2), and linear raw (DNG). */
const RAW_PHOTOMETRIC = [32_803, 34_892];
/** Sony, Samsung, Nikon, Pentax. */
const RAW_COMPRESSION = [32_767, 32_769, 32_770, 34_713, 65_535];

const PANASONIC_SIGNATURE = Buffer.from('88e774d8f8251d4d947a6e77822b5d6a', 'hex');
const CANON_SIGNATURE = Buffer.from('CR\x02', 'latin1');

/**
 * Raw files that are built like a TIFF: DNG, CR2, NEF, NRW, ARW, SR2, ORF and RW2. They begin with a directory like any TIFF, often that of a small
 * preview: treated as a TIFF, a photo of 40 megapixels would be reduced to it.
 */
export const readTiffRaw: RawReader = async (file) => {
  const found = await openTiff(file);
  if (!found?.directory || found.isBig) return null;
  const { tiff, directory: main, magic } = found;
  const pictures = await pictureDirectories(tiff, main);
  const contentType = await typeOf(file, magic, tiff, pictures);
  if (contentType === null || contentType === OTHER_RAW) return contentType;
  const exif = await tiff.directory((await tiff.number(main.entries.get(EXIF_POINTER))) ?? 0);
  const gps = await tiff.directory((await tiff.number(main.entries.get(GPS_POINTER))) ?? 0);
  const jpegs: Range[] = [];
  const data: Range[] = [];
  for (const directory of pictures) {
    jpegs.push(...(await jpegsOf(tiff, directory)));
    for (const tags of [STRIPS, TILES]) data.push(...(await ranges(tiff, directory.entries, tags)));
  }
  return {
    contentType,
    jpegs: contentType === 'image/x-olympus-orf' ? [...jpegs, ...(await olympusPreview(file, tiff, exif))] : jpegs,
    orientation: await tiff.number(main.entries.get(ORIENTATION)),
    isAdobeRgb: await namesAdobeRgb(tiff, exif),
    sensorData: SAYS_WHERE_ITS_DATA_IS.includes(contentType) ? data : [],
    metadata: {
      little: tiff.little,
      main: await entriesOf(tiff, main, FIRST_TAG),
      exif: await entriesOf(tiff, exif),
      gps: await entriesOf(tiff, gps),
    },
    xmp: await tiff.value(main.entries.get(XMP)),
  } satisfies RawFile;
};

/** Some cameras of the other makers write other numbers. */
const SAYS_WHERE_ITS_DATA_IS = ['image/x-adobe-dng', 'image/x-canon-cr2', 'image/x-nikon-nef'];

async function typeOf(file: ByteSource, magic: number, tiff: TiffReader, pictures: Pictures): Promise<string | null> {
  const [main] = pictures;
  const signature = await bytesAt(file, 8, PANASONIC_SIGNATURE.length);
  if (magic === 0x55) return signature.equals(PANASONIC_SIGNATURE) ? 'image/x-panasonic-rw2' : OTHER_RAW;
  if (magic === 0x4f52 || magic === 0x5352) return 'image/x-olympus-orf';
  if (magic !== 42) return null;
  if (main.entries.has(DNG_VERSION)) return 'image/x-adobe-dng';
  if (signature.subarray(0, CANON_SIGNATURE.length).equals(CANON_SIGNATURE)) return 'image/x-canon-cr2';
  if (!(await isRaw(tiff, pictures))) return null;
  const text = async (tag: number) => (await tiff.value(main.entries.get(tag)))?.toString('latin1').toUpperCase() ?? '';
  const [make, model] = [await text(MAKE), await text(MODEL)];
  // The formats of a maker differ by their cameras alone.
  if (make.startsWith('NIKON')) return model.startsWith('COOLPIX') ? 'image/x-nikon-nrw' : 'image/x-nikon-nef';
  if (make.startsWith('SONY')) return model.startsWith('DSC-R1\0') ? 'image/x-sony-sr2' : 'image/x-sony-arw';
  return OTHER_RAW;
}

/** Whether there are sensor data, or the first directory is that of a preview with others below it. */
async function isRaw(tiff: TiffReader, pictures: Pictures): Promise<boolean> {
  for (const { entries } of pictures) {
    if (RAW_PHOTOMETRIC.includes((await tiff.number(entries.get(PHOTOMETRIC))) ?? 0)) return true;
    if (RAW_COMPRESSION.includes((await tiff.number(entries.get(COMPRESSION))) ?? 0)) return true;
  }
  const { entries } = pictures[0];
  const subfile = (await tiff.number(entries.get(NEW_SUBFILE_TYPE))) ?? 0;
  return entries.has(SUB_IFDS) && (subfile & 1) === 1;
}

/** The first directory, those that follow it, and those below each of them. */
type Pictures = readonly [TiffDirectory, ...TiffDirectory[]];

async function pictureDirectories(tiff: TiffReader, main: TiffDirectory): Promise<Pictures> {
  const found: [TiffDirectory, ...TiffDirectory[]] = [main];
  for (const directory of found) {
    const offsets = [directory.next, ...(await tiff.numbers(directory.entries.get(SUB_IFDS)))];
    for (const offset of offsets) {
      const next = await tiff.directory(offset);
      if (next !== null) found.push(next);
    }
  }
  return found;
}

async function jpegsOf(tiff: TiffReader, { entries }: TiffDirectory): Promise<readonly Range[]> {
  const whole = entries.get(JPG_FROM_RAW);
  const single = await ranges(tiff, entries, JPEG);
  const compression = await tiff.number(entries.get(COMPRESSION));
  const photometric = await tiff.number(entries.get(PHOTOMETRIC));
  const isPreview = JPEG_COMPRESSION.includes(compression ?? 0) && !RAW_PHOTOMETRIC.includes(photometric ?? 0);
  const strips = isPreview ? [...(await ranges(tiff, entries, STRIPS)), ...(await ranges(tiff, entries, TILES))] : [];
  // Several strips are several JPEGs, none of which is the picture.
  return [...(whole ? [whole] : []), ...single, ...(strips.length === 1 ? strips : [])];
}

async function ranges(
  tiff: TiffReader,
  entries: TiffDirectory['entries'],
  [startTag, lengthTag]: readonly [number, number],
): Promise<readonly Range[]> {
  const [starts, lengths] = [await tiff.numbers(entries.get(startTag)), await tiff.numbers(entries.get(lengthTag))];
  return starts.length === lengths.length ? starts.map((start, index) => ({ start, length: lengths[index] ?? 0 })) : [];
}

const MAKER_NOTE = 37_500;
const CAMERA_SETTINGS = 0x2020;
const PREVIEW = [0x101, 0x102] as const;

/** The bytes that a maker note begins with, byte order included; its directory follows, and its offsets count from its beginning. */
const HEADERS = ['OLYMPUS\0II\x03\0', 'OM SYSTEM\0\0\0II\x04\0'];
const LONGEST_HEADER = 16;

/**
 * The preview of an ORF, which no directory of TIFF points to: it is in the camera settings of the maker note. Cameras from before 2004 have it
 * elsewhere.
 */
async function olympusPreview(
  file: ByteSource,
  tiff: TiffReader,
  exif: TiffDirectory | null,
): Promise<readonly Range[]> {
  const note = exif?.entries.get(MAKER_NOTE);
  if (note === undefined) return [];
  const head = (await bytesAt(file, note.start, LONGEST_HEADER)).toString('latin1');
  const header = HEADERS.find((known) => head.startsWith(known));
  if (header === undefined) return [];
  const maker = new TiffReader(file, note.start, tiff.little);
  const settings = (await maker.directory(header.length))?.entries.get(CAMERA_SETTINGS);
  if (settings === undefined) return [];
  // Whether the entry is a pointer or the directory itself depends on the camera.
  const at = settings.length <= 4 ? await maker.number(settings) : settings.start - note.start;
  const [start, length] = PREVIEW;
  const entries = (await maker.directory(at ?? 0))?.entries;
  const [from, size] = [await maker.number(entries?.get(start)), await maker.number(entries?.get(length))];
  return from === null || size === null ? [] : [{ start: note.start + from, length: size }];
}

const SIGNATURE = 'FUJIFILMCCD-RAW ';
/** Length of the header, which ends with the places of its three parts: a JPEG, a directory of Fujifilm's own, and the sensor data. */
const LENGTH = 108;

/** Fujifilm's raw files, big-endian: a JPEG with all metadata as its own, and the sensor data behind it. */
export const readRaf: RawReader = async (file) => {
  const head = await bytesAt(file, 0, LENGTH);
  if (head.toString('latin1', 0, SIGNATURE.length) !== SIGNATURE || head.length < LENGTH) return null;
  const range = (at: number) => ({ start: head.readUInt32BE(at), length: head.readUInt32BE(at + 4) });
  return {
    contentType: 'image/x-fuji-raf',
    jpegs: [range(84)],
    orientation: null,
    isAdobeRgb: false,
    sensorData: [range(100)],
    metadata: null,
    xmp: null,
  };
};
