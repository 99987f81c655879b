import type { FileHandle } from 'node:fs/promises';
import { namesAdobeRgb } from '../declared-colours.js';
import { bytesAt } from '../file-bytes.js';
import { type TiffDirectory, type TiffHeader, TiffReader, tiffHeader } from '../tiff-reader.js';
import { entriesOf, mainEntries } from './metadata-tiff.js';
import { olympusPreview } from './olympus-preview.js';
import { OTHER_RAW, type Range, type RawFile, type RawReader } from './raw-file.js';

const NEW_SUBFILE_TYPE = 254;
const COMPRESSION = 259;
const PHOTOMETRIC = 262;
const MAKE = 271;
const MODEL = 272;
const STRIPS = [273, 279] as const;
const ORIENTATION = 274;
const TILES = [324, 325] as const;
const SUB_IFDS = 330;
const JPEG = [513, 514] as const;
const XMP = 700;
const EXIF_POINTER = 34_665;
const GPS_POINTER = 34_853;
const DNG_VERSION = 50_706;
/** Panasonic: a whole JPEG as the value of a tag. */
const JPG_FROM_RAW = 46;

/** JPEG, as before and since TIFF technical note 2. */
const JPEG_COMPRESSION = [6, 7];
/** Sensor data (TIFF/EP, ISO 12234-2), and linear raw (DNG). */
const RAW_PHOTOMETRIC = [32_803, 34_892];
/** Sony, Samsung, Nikon, Pentax. */
const RAW_COMPRESSION = [32_767, 32_769, 32_770, 34_713, 65_535];

const TIFF = 42;
const OLYMPUS = [0x4f52, 0x5352];
const PANASONIC = 0x55;
const PANASONIC_SIGNATURE = Buffer.from('88e774d8f8251d4d947a6e77822b5d6a', 'hex');
const CANON_SIGNATURE = Buffer.from('CR\x02', 'latin1');

/**
 * Raw files that are built like a TIFF: DNG, CR2, NEF, NRW, ARW, SR2, ORF and RW2. They begin with a directory like any TIFF, often that of a small
 * preview: treated as a TIFF, a photo of 40 megapixels would be reduced to it.
 */
export const readTiffRaw: RawReader = async (file) => {
  const header = await tiffHeader(file, 0);
  if (header === null || header.isBig) return null;
  const tiff = new TiffReader(file, 0, header.little);
  const main = await tiff.directory(header.first);
  if (main === null) return null;
  const pictures = await pictureDirectories(tiff, main);
  const contentType = await typeOf(file, header, tiff, pictures);
  if (contentType === null || contentType === OTHER_RAW) return contentType;
  const exif = await tiff.directory((await tiff.number(main.entries.get(EXIF_POINTER))) ?? 0);
  const gps = await tiff.directory((await tiff.number(main.entries.get(GPS_POINTER))) ?? 0);
  const jpegs: Range[] = [];
  const data: Range[] = [];
  for (const directory of pictures) {
    jpegs.push(...(await jpegsOf(tiff, directory)));
    data.push(...(await dataOf(tiff, directory)));
  }
  return {
    contentType,
    jpegs: contentType === 'image/x-olympus-orf' ? [...jpegs, ...(await olympusPreview(file, tiff, exif))] : jpegs,
    orientation: await tiff.number(main.entries.get(ORIENTATION)),
    isAdobeRgb: await namesAdobeRgb(tiff, exif),
    sensorData: SAYS_WHERE_ITS_DATA_IS.includes(contentType) ? data : [],
    metadata: {
      little: header.little,
      main: await mainEntries(tiff, main),
      exif: await entriesOf(tiff, exif),
      gps: await entriesOf(tiff, gps),
    },
    xmp: await tiff.value(main.entries.get(XMP)),
  } satisfies RawFile;
};

/** Some cameras of the other makers write other numbers. */
const SAYS_WHERE_ITS_DATA_IS = ['image/x-adobe-dng', 'image/x-canon-cr2', 'image/x-nikon-nef'];

async function typeOf(
  file: FileHandle,
  { magic }: TiffHeader,
  tiff: TiffReader,
  pictures: Pictures,
): Promise<string | null> {
  const [main] = pictures;
  const signature = await bytesAt(file, 8, PANASONIC_SIGNATURE.length);
  if (magic === PANASONIC) return signature.equals(PANASONIC_SIGNATURE) ? 'image/x-panasonic-rw2' : OTHER_RAW;
  if (OLYMPUS.includes(magic)) return 'image/x-olympus-orf';
  if (magic !== TIFF) return null;
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

async function dataOf(tiff: TiffReader, { entries }: TiffDirectory): Promise<readonly Range[]> {
  return [...(await ranges(tiff, entries, STRIPS)), ...(await ranges(tiff, entries, TILES))];
}

async function ranges(
  tiff: TiffReader,
  entries: TiffDirectory['entries'],
  [startTag, lengthTag]: readonly [number, number],
): Promise<readonly Range[]> {
  const [starts, lengths] = [await tiff.numbers(entries.get(startTag)), await tiff.numbers(entries.get(lengthTag))];
  return starts.length === lengths.length ? starts.map((start, index) => ({ start, length: lengths[index] ?? 0 })) : [];
}
