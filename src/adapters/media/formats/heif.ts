import type { Region, Size } from '../../../core/media/transformation.js';
import type { CodePoints } from './colour-space.js';
import { Boxes, type ByteSource, bytesAt } from './file-bytes.js';

/** The statements of a HEIF file (ISO/IEC 23008-12) about its primary picture. */
export interface HeifStructure {
  readonly majorBrand: string;
  /** Type of the item that contains the picture, or its first part: `hvc1`, `av01` … Null when nothing says it. */
  readonly codec: string | null;
  /** Colours by numbers. Null: none, or by a profile. */
  readonly codePoints: CodePoints | null;
  /** Null when all of it is shown. */
  readonly crop: HeifCrop | null;
}

/** The part of a picture that is shown: its clean aperture. */
export interface HeifCrop extends Region {
  /** Where in the file the box is that says so, and its content if everything were shown. */
  readonly start: number;
  readonly whole: Uint8Array;
}

/** Bytes of the box `meta`, which contains no pixels that anyone would miss. */
const MAX_META_BYTES = 8 * 1024 * 1024;
const MAX_DERIVATIONS = 4;

/** Null when it has no primary picture. */
export async function heifStructure(file: ByteSource): Promise<HeifStructure | null> {
  const top = await new Boxes(file).within(0, file.size);
  const [type] = top;
  const meta = top.find((box) => box.type === 'meta');
  if (type?.type !== 'ftyp' || !meta) return null;
  const length = meta.start + meta.length - meta.content;
  if (length > MAX_META_BYTES) return null;
  const majorBrand = (await bytesAt(file, type.content, 4)).toString('latin1');
  const items = new Items(await bytesAt(file, meta.content, length));
  const primary = items.primary();
  if (primary === null) return null;
  const picture = items.coded(primary);
  const crop = items.cropOf(primary);
  return {
    majorBrand,
    codec: items.typeOf(picture),
    codePoints: items.codePointsOf(primary) ?? items.codePointsOf(picture),
    crop: crop && { ...crop, start: meta.content + crop.start },
  };
}

/** A box in memory; its content without version and flags where it has those. */
interface Part {
  readonly type: string;
  readonly content: Buffer;
}

function partsOf(bytes: Buffer, from = 0): readonly Part[] {
  const found: Part[] = [];
  for (let at = from; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at) || bytes.length - at;
    if (length < 8 || at + length > bytes.length) break;
    found.push({ type: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + 8, at + length) });
    at += length;
  }
  return found;
}

/** Items and their properties. Reads past the end of a part count as an absent part. */
class Items {
  readonly #parts: readonly Part[];

  constructor(private readonly meta: Buffer) {
    this.#parts = partsOf(meta, 4);
  }

  primary(): number | null {
    const part = this.#part('pitm');
    return part && whole(() => (part[0] === 0 ? part.readUInt16BE(4) : part.readUInt32BE(4)));
  }

  /** The item itself, or what it is derived from: the first tile of a grid. */
  coded(item: number): number {
    const part = this.#part('iref');
    const isLong = part?.[0] === 1;
    const references = part ? partsOf(part, 4) : [];
    let found = item;
    for (let step = 0; step < MAX_DERIVATIONS; step += 1) {
      const id = (content: Buffer, at: number) =>
        whole(() => (isLong ? content.readUInt32BE(at) : content.readUInt16BE(at)));
      const from = references.find(({ type, content }) => type === 'dimg' && id(content, 0) === found);
      const next = from === undefined ? null : id(from.content, isLong ? 6 : 4);
      if (next === null) break;
      found = next;
    }
    return found;
  }

  typeOf(item: number): string | null {
    const part = this.#part('iinf');
    for (const { type, content } of part ? partsOf(part, part[0] === 0 ? 6 : 8) : []) {
      if (type !== 'infe' || (content[0] ?? 0) < 2) continue;
      const isLong = content[0] === 3;
      const id = whole(() => (isLong ? content.readUInt32BE(4) : content.readUInt16BE(4)));
      const at = isLong ? 10 : 8;
      const codec = content.toString('latin1', at, at + 4);
      if (id === item) return /^[\w ]{4}$/.test(codec) ? codec : null;
    }
    return null;
  }

  codePointsOf(item: number): CodePoints | null {
    const colours = this.#propertiesOf(item).filter(({ type }) => type === 'colr');
    const kindOf = ({ content }: Part) => content.toString('latin1', 0, 4);
    if (colours.some((colour) => ['prof', 'rICC'].includes(kindOf(colour)))) return null;
    const points = colours.find((colour) => kindOf(colour) === 'nclx')?.content;
    if (points === undefined || points.length < 8) return null;
    return { primaries: points.readUInt16BE(4), transfer: points.readUInt16BE(6) };
  }

  /** By the first clean aperture (`clap`); rotation (`irot`) and mirror (`imir`) apply to what it shows, in the order of the properties. */
  cropOf(item: number): HeifCrop | null {
    const properties = this.#propertiesOf(item);
    const extent = properties.find(({ type, content }) => type === 'ispe' && content.length >= 12)?.content;
    const aperture = properties.find(({ type, content }) => type === 'clap' && content.length >= 32)?.content;
    if (!extent || !aperture) return null;
    let frame = { width: extent.readUInt32BE(4), height: extent.readUInt32BE(8) };
    let region: Region = { left: 0, top: 0, ...frame };
    for (const { type, content } of properties) {
      if (type === 'clap' && content === aperture) region = apertureIn(frame, content);
      if (type === 'imir') region = mirrored(region, frame, ((content[0] ?? 0) & 1) === 0);
      // By a quarter, anticlockwise.
      for (let quarters = type === 'irot' ? (content[0] ?? 0) & 3 : 0; quarters > 0; quarters -= 1) {
        const { left, top, width, height } = region;
        region = { left: top, top: frame.width - left - width, width: height, height: width };
        frame = { width: frame.height, height: frame.width };
      }
    }
    const whole = Buffer.alloc(32);
    for (const [index, value] of [extent.readUInt32BE(4), 1, extent.readUInt32BE(8), 1, 0, 1, 0, 1].entries()) {
      whole.writeUInt32BE(value, 4 * index);
    }
    return { ...region, start: aperture.byteOffset - this.meta.byteOffset, whole };
  }

  #part(type: string): Buffer | null {
    return this.#parts.find((part) => part.type === type)?.content ?? null;
  }

  #propertiesOf(item: number): readonly Part[] {
    const properties = this.#part('iprp');
    const [all, places] = ['ipco', 'ipma'].map((name) =>
      partsOf(properties ?? Buffer.alloc(0)).filter(({ type }) => type === name),
    );
    const list = partsOf(all?.[0]?.content ?? Buffer.alloc(0));
    return (places ?? []).flatMap(({ content }) => associated(content, item).flatMap((index) => list[index - 1] ?? []));
  }
}

/** Numbers, from 1, of an item's properties in a box `ipma`. */
function associated(content: Buffer, item: number): readonly number[] {
  const [isLong, isWide] = [(content[0] ?? 0) > 0, ((content[3] ?? 0) & 1) === 1];
  for (let at = 8; at + (isLong ? 5 : 3) <= content.length; ) {
    const id = isLong ? content.readUInt32BE(at) : content.readUInt16BE(at);
    at += isLong ? 4 : 2;
    const count = content[at] ?? 0;
    const bytes = content.subarray(at + 1, at + 1 + count * (isWide ? 2 : 1));
    if (id === item) {
      return isWide
        ? Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readUInt16BE(2 * index) & 0x7fff)
        : Array.from(bytes, (byte) => byte & 0x7f);
    }
    at += 1 + bytes.length;
    if (bytes.length === 0 && count > 0) break;
  }
  return [];
}

function whole(read: () => number): number | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Width, height and the distance of its middle from that of the frame, each a fraction (ISO 14496-12, 12.1.4). */
function apertureIn({ width, height }: Size, content: Buffer): Region {
  const size = (at: number) => content.readUInt32BE(at) / (content.readUInt32BE(at + 4) || 1);
  const distance = (at: number) => content.readInt32BE(at) / (content.readUInt32BE(at + 4) || 1);
  const within = (value: number, max: number) => Math.min(max, Math.max(0, Math.round(value)));
  const along = (length: number, shown: number, off: number) => {
    const start = within((length - shown) / 2 + off, length - 1);
    return { start, length: Math.max(1, within(shown, length - start)) };
  };
  const [across, down] = [along(width, size(0), distance(16)), along(height, size(8), distance(24))];
  return { left: across.start, top: down.start, width: across.length, height: down.length };
}

function mirrored({ left, top, width, height }: Region, frame: Size, isTopDown: boolean): Region {
  return isTopDown
    ? { left, top: frame.height - top - height, width, height }
    : { left: frame.width - left - width, top, width, height };
}
