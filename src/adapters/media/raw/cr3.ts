import type { FileHandle } from 'node:fs/promises';
import { type Box, Boxes, UUID_BYTES } from '../boxes.js';
import { namesAdobeRgb } from '../declared-colours.js';
import { bytesAt } from '../file-bytes.js';
import { type TiffDirectory, TiffReader, tiffHeader } from '../tiff-reader.js';
import { entriesOf, mainEntries } from './metadata-tiff.js';
import type { Range, RawReader } from './raw-file.js';

const BRAND = 'crx ';
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
  const { size } = await file.stat();
  const top = await boxes.within(0, size);
  const [type] = top;
  if (type?.type !== 'ftyp' || (await bytesAt(file, type.content, 4)).toString('latin1') !== BRAND) return null;
  const moov = top.find((box) => box.type === 'moov');
  const inside = moov ? await boxes.in(moov) : [];
  const metadata = await boxes.ofUuid(inside, METADATA_UUID);
  const parts = new Map((metadata ? await boxes.in(metadata, UUID_BYTES) : []).map((box) => [box.type, box]));
  const [main, exif, gps] = [
    await directoryOf(file, parts.get('CMT1')),
    await directoryOf(file, parts.get('CMT2')),
    await directoryOf(file, parts.get('CMT4')),
  ];
  const little = main?.tiff.little ?? true;
  const entries = (part: typeof exif) => (part?.tiff.little === little ? entriesOf(part.tiff, part.directory) : []);
  const preview = await boxes.ofUuid(top, PREVIEW_UUID);
  const xmp = await boxes.ofUuid(top, XMP_UUID);
  return {
    contentType: 'image/x-canon-cr3',
    jpegs: [...(await tracks(file, boxes, inside)), ...(preview ? await previewIn(file, boxes, preview) : [])],
    orientation: main ? await main.tiff.number(main.directory?.entries.get(ORIENTATION)) : null,
    isAdobeRgb: exif !== null && (await namesAdobeRgb(exif.tiff, exif.directory)),
    sensorData: top.filter((box) => box.type === 'mdat'),
    metadata: {
      little,
      main: main ? await mainEntries(main.tiff, main.directory) : [],
      exif: await entries(exif),
      gps: await entries(gps),
    },
    xmp: xmp && (await contentOf(file, xmp)),
  };
};

/** The single picture of each track. */
async function tracks(file: FileHandle, boxes: Boxes, moov: readonly Box[]): Promise<readonly Range[]> {
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

async function previewIn(file: FileHandle, boxes: Boxes, uuid: Box): Promise<readonly Range[]> {
  const [preview] = await boxes.in(uuid, UUID_BYTES + PREVIEW_COUNT_BYTES);
  if (preview?.type !== 'PRVW') return [];
  const head = await bytesAt(file, preview.start, PREVIEW_HEAD_BYTES);
  if (head.length < PREVIEW_HEAD_BYTES) return [];
  return [{ start: preview.start + PREVIEW_HEAD_BYTES, length: head.readUInt32BE(PREVIEW_HEAD_BYTES - 4) }];
}

async function directoryOf(
  file: FileHandle,
  box: Box | undefined,
): Promise<{ tiff: TiffReader; directory: TiffDirectory | null } | null> {
  const header = box ? await tiffHeader(file, box.content) : null;
  if (!box || header === null) return null;
  const tiff = new TiffReader(file, box.content, header.little);
  return { tiff, directory: await tiff.directory(header.first) };
}

async function contentOf(file: FileHandle, uuid: Box): Promise<Uint8Array | null> {
  const length = uuid.start + uuid.length - uuid.content - UUID_BYTES;
  return length > 0 && length <= MAX_XMP_BYTES ? bytesAt(file, uuid.content + UUID_BYTES, length) : null;
}
