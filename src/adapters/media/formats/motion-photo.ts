import { acceptedFormats, formatBySignature, formatOf } from '../../../core/media/formats.js';
import type { Companion } from '../../../core/media/picture-metadata.js';
import { Boxes, type ByteSource, bytesAt, type PictureInput, type Range, withSource } from './file-bytes.js';
import { HEAD_BYTES } from './sniff.js';

/** Limits of what is searched for places of films. */
const MAX_XMP_BYTES = 1024 * 1024;
const MAX_ITEMS = 32;
const MAX_TRAILER_ENTRIES = 64;

/** The film of a motion photo, if there really is one; null otherwise. Its frames are not examined. */
export async function companionOf(
  input: PictureInput,
  { contentType, xmp }: { readonly contentType: string; readonly xmp: Uint8Array | undefined },
): Promise<Companion | null> {
  const place = formatOf(contentType)?.film;
  if (place === undefined) return null;
  return withSource(input, async (file) => {
    const parts =
      place === 'box' ? await partsInBoxes(file) : [...partsByXmp(xmp, file.size), ...(await partsBySamsung(file))];
    for (const part of parts) {
      const found = await filmIn(file, part);
      if (found !== null) return { type: 'video', contentType: found, offset: part.start, sizeBytes: part.length };
    }
    return null;
  });
}

/** Motion Photo format 1.0 for HEIF: a box of its own. */
async function partsInBoxes(file: ByteSource): Promise<readonly Range[]> {
  const boxes = await new Boxes(file).within(0, file.size);
  return boxes
    .filter(({ type }) => type === 'mpvd')
    .map(({ start, length, content }) => ({ start: content, length: start + length - content }));
}

/**
 * Motion Photo format 1.0: XMP lists what follows the picture, each with its length. Its predecessor, Micro Video, says how far from the
 * end the film begins.
 */
function partsByXmp(xmp: Uint8Array | undefined, size: number): readonly Range[] {
  if (xmp === undefined || xmp.length > MAX_XMP_BYTES) return [];
  const text = new TextDecoder().decode(xmp);
  const items = [...text.matchAll(/<[\w:]*Item\s[^<>]*>/g)].slice(0, MAX_ITEMS).map(([item]) => ({
    isFilm: /:Semantic="MotionPhoto"/.test(item),
    length: Number(/:Length="(\d{1,12})"/.exec(item)?.[1] ?? 0),
    padding: Number(/:Padding="(\d{1,12})"/.exec(item)?.[1] ?? 0),
  }));
  const film = items.findIndex(({ isFilm }) => isFilm);
  const behind = items.slice(film).reduce((sum, { length, padding }) => sum + length + padding, 0);
  const length = items[film]?.length ?? 0;
  const micro = Number(/:MicroVideoOffset="(\d{1,12})"/.exec(text)?.[1] ?? 0);
  return [
    { start: size - behind, length },
    { start: size - micro, length: micro },
  ].filter((part) => part.length > 0);
}

/** Samsung: a directory at the end of the file of what is before it, each part with a name. Little-endian. */
async function partsBySamsung(file: ByteSource): Promise<readonly Range[]> {
  const { size } = file;
  const end = await bytesAt(file, Math.max(0, size - 8), 8);
  if (end.toString('latin1', 4) !== 'SEFT') return [];
  const length = end.readUInt32LE(0);
  const start = size - 8 - length;
  const directory =
    start < 0 || length > 12 + 12 * MAX_TRAILER_ENTRIES ? Buffer.alloc(0) : await bytesAt(file, start, length);
  if (directory.length < 12 || directory.toString('latin1', 0, 4) !== 'SEFH') return [];
  const parts: Range[] = [];
  for (let at = 12; at + 12 <= directory.length; at += 12) {
    const [from, bytes] = [start - directory.readUInt32LE(at + 4), directory.readUInt32LE(at + 8)];
    const name = Buffer.from('MotionPhoto_Data', 'latin1');
    const head = from < 0 ? Buffer.alloc(0) : await bytesAt(file, from, 8 + name.length);
    if (!head.subarray(8).equals(name)) continue;
    parts.push({ start: from + head.length, length: bytes - head.length });
  }
  return parts;
}

const QUICKTIME = 'qt  ';

/** The type of the film, if the part is inside the file and is a film by its boxes. */
async function filmIn(file: ByteSource, { start, length }: Range): Promise<Companion['contentType'] | null> {
  if (start <= 0 || length <= 0 || start + length > file.size) return null;
  const boxes = await new Boxes(file).within(start, start + length);
  const [type] = boxes;
  const isFilm = type?.type === 'ftyp' && boxes.some((box) => box.type === 'moov' || box.type === 'moof');
  if (!isFilm) return null;
  // What is built like a film may be a picture.
  if (formatBySignature(acceptedFormats, await bytesAt(file, start, HEAD_BYTES)) !== undefined) return null;
  const brand = (await bytesAt(file, type.content, 4)).toString('latin1');
  return brand === QUICKTIME ? 'video/quicktime' : 'video/mp4';
}
