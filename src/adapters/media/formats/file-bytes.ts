import { copyFile, open, readFile, writeFile } from 'node:fs/promises';

/** A picture as libraries take it: the path of its file, or its bytes in memory. Nothing changes either. */
export type PictureInput = string | Buffer;

/** Bytes to read parts of: of a file that is open, or in memory. */
export interface ByteSource {
  readonly size: number;
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

/** Opens a picture for `work`, wherever it is. */
export async function withSource<T>(input: PictureInput, work: (source: ByteSource) => Promise<T>): Promise<T> {
  if (typeof input !== 'string') return work(inMemory(input));
  const file = await open(input, 'r');
  try {
    const { size } = await file.stat();
    return await work({ size, read: (...of) => file.read(...of) });
  } finally {
    await file.close();
  }
}

export function inMemory(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read: async (buffer, offset, length, position) => {
      const part = bytes.subarray(position, position + length);
      buffer.set(part, offset);
      return { bytesRead: part.length };
    },
  };
}

/** Returns all of it, for the caller to change. */
export async function wholeOf(input: PictureInput): Promise<Buffer> {
  return typeof input === 'string' ? readFile(input) : Buffer.from(input);
}

/** Writes all of it to a new file, but for other bytes from `at` on. */
export async function copyWith(input: PictureInput, path: string, bytes: Buffer, at: number): Promise<void> {
  if (typeof input === 'string') await copyFile(input, path);
  else await writeFile(path, input, { mode: 0o600 });
  const copy = await open(path, 'r+');
  try {
    await copy.write(bytes, 0, bytes.length, at);
  } finally {
    await copy.close();
  }
}

/** Number of bytes that are examined for a file's type. What follows is never read, so that a prefix and a whole file give the same result. */
export const HEAD_BYTES = 4100;

/** Fewer when the file ends before; none from places that no file has. */
export async function bytesAt(file: ByteSource, start: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(start + length)) return Buffer.alloc(0);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, start);
  return buffer.subarray(0, bytesRead);
}

/** Bytes from `start` of the file; nothing says that they exist. */
export interface Range {
  readonly start: number;
  readonly length: number;
}

/** A box of an ISO base media file (ISO 14496-12, 4.2). It may be said to be longer than the file. */
export interface Box extends Range {
  readonly type: string;
  /** Where its content begins. */
  readonly content: number;
}

const MAX_BOXES = 1000;
/** Between the head of a box of type `uuid` and what is in it. */
export const UUID_BYTES = 16;

/** Finds boxes, a limited number of them in a file. One that does not end within what contains it is the last one there. */
export class Boxes {
  #left = MAX_BOXES;

  constructor(private readonly file: ByteSource) {}

  /** Boxes within a box, `skipped` bytes after its content begins. */
  in(box: Box, skipped = 0): Promise<readonly Box[]> {
    return this.within(box.content + skipped, box.start + box.length);
  }

  async within(start: number, end: number): Promise<readonly Box[]> {
    const found: Box[] = [];
    for (let at = start; at + 8 <= end && this.#left > 0; this.#left -= 1) {
      const head = await bytesAt(this.file, at, 16);
      if (head.length < 8) break;
      const [short, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)];
      const isLong = short === 1 && head.length === 16;
      const length = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
      const content = at + (isLong ? 16 : 8);
      if (at + length < content) break;
      found.push({ type, start: at, length, content });
      at += length;
    }
    return found;
  }

  /** The first box of an own type. */
  async ofUuid(boxes: readonly Box[], uuid: string): Promise<Box | null> {
    for (const box of boxes) {
      if (box.type !== 'uuid') continue;
      if ((await bytesAt(this.file, box.content, UUID_BYTES)).toString('hex') === uuid) return box;
    }
    return null;
  }

  /** A box inside others: the first of each type. */
  async at(box: Box, ...path: string[]): Promise<Box | null> {
    let found: Box | null = box;
    for (const type of path) {
      found = found && ((await this.in(found)).find((inner) => inner.type === type) ?? null);
    }
    return found;
  }
}

/** One tag of a directory. Whether its value is inside the file is checked when it is read. */
export interface TiffEntry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** Start of its value, from the beginning of the file. */
  readonly start: number;
  /** Length of its value, in bytes. */
  readonly length: number;
}

export interface TiffDirectory {
  readonly entries: ReadonlyMap<number, TiffEntry>;
  /** Offset of the next directory; 0: this is the last one. */
  readonly next: number;
}

const SHORT = 3;
const LONG = 4;
const IFD = 13;
const LONG8 = 16;
const IFD8 = 18;
/** Bytes of a value of each type, from 1 (BYTE) to 13 (IFD), and of those of BigTIFF, from 16 (LONG8) to 18 (IFD8). */
const SIZES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

/** Real files have at most some twenty directories, of at most some hundred tags. */
const MAX_DIRECTORIES = 64;
const MAX_ENTRIES = 1024;
const MAX_NUMBERS = 16_384;
/** All values together. */
const MAX_VALUE_BYTES = 4 * 1024 * 1024;

/** In the place of 42. */
const BIG = 43;

/** A whole number of eight bytes. From 2⁵³ on it is not exact, and no place in a file. */
function long8(bytes: Buffer, at: number, little: boolean): number {
  return Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
}

/** EXIF without the prefix that it has in a JPEG: it is a TIFF. */
export function tiffOf(exif: Uint8Array): Uint8Array {
  return Buffer.from(exif.subarray(0, 4)).toString('latin1') === 'Exif' ? exif.subarray(6) : exif;
}

/** Opens a TIFF at `base`, with its first directory; null when there is no header of one, whatever follows. */
export async function openTiff(file: ByteSource, base = 0) {
  const head = await bytesAt(file, base, 16);
  const order = head.toString('latin1', 0, 2);
  if (head.length < 8 || (order !== 'II' && order !== 'MM')) return null;
  const little = order === 'II';
  const short = (at: number) => (little ? head.readUInt16LE(at) : head.readUInt16BE(at));
  // 42, 43 in a BigTIFF, and others in some raw formats.
  const magic = short(2);
  // Offsets, and all that is counted, have eight bytes then.
  const isBig = magic === BIG && short(4) === 8 && head.length === 16;
  const first = isBig ? long8(head, 8, little) : little ? head.readUInt32LE(4) : head.readUInt32BE(4);
  const tiff = new TiffReader(file, base, little, isBig);
  return { tiff, magic, isBig, directory: await tiff.directory(first) };
}

/**
 * Reads directories of a TIFF, or of what is built like one, from anywhere in a file. The file may be hostile: no directory is read twice, and
 * their number, that of their tags and the bytes of their values are limited. What is beyond a limit or outside the file is absent.
 */
export class TiffReader {
  readonly #seen = new Set<number>();
  #valueBytes = 0;

  /** @param base What its offsets count from, from the beginning of the file. */
  constructor(
    private readonly file: ByteSource,
    private readonly base: number,
    readonly little: boolean,
    private readonly isBig = false,
  ) {}

  async directory(offset: number): Promise<TiffDirectory | null> {
    if (offset === 0 || this.#seen.has(offset) || this.#seen.size >= MAX_DIRECTORIES) return null;
    this.#seen.add(offset);
    const at = this.base + offset;
    const [countBytes, entryBytes, offsetBytes] = this.isBig ? [8, 20, 8] : [2, 12, 4];
    const head = await bytesAt(this.file, at, countBytes);
    if (head.length < countBytes) return null;
    const count = this.isBig ? long8(head, 0, this.little) : this.#short(head, 0);
    if (count > MAX_ENTRIES) return null;
    const bytes = await bytesAt(this.file, at + countBytes, entryBytes * count + offsetBytes);
    const entries = new Map<number, TiffEntry>();
    for (let index = 0; index < count && entryBytes * (index + 1) <= bytes.length; index += 1) {
      const entry = this.#entry(bytes, entryBytes * index, at + countBytes);
      if (entry !== null && !entries.has(entry.tag)) entries.set(entry.tag, entry);
    }
    const isWhole = bytes.length === entryBytes * count + offsetBytes;
    return { entries, next: isWhole ? this.#offset(bytes, entryBytes * count) : 0 };
  }

  /** Whole numbers, as offsets and lengths are; none when the value is of another type. */
  async numbers(entry: TiffEntry | undefined): Promise<readonly number[]> {
    if (entry === undefined || entry.count > MAX_NUMBERS) return [];
    const bytes = [SHORT, LONG, IFD, LONG8, IFD8].includes(entry.type) ? await this.value(entry) : null;
    if (bytes === null) return [];
    const read = (index: number) => {
      if (entry.type === SHORT) return this.#short(bytes, 2 * index);
      return entry.type < LONG8 ? this.#long(bytes, 4 * index) : long8(bytes, 8 * index, this.little);
    };
    return Array.from({ length: entry.count }, (_, index) => read(index));
  }

  /** The first number. */
  async number(entry: TiffEntry | undefined): Promise<number | null> {
    return (await this.numbers(entry))[0] ?? null;
  }

  /** The bytes as in the file; null when they are not all there, or are too many. */
  async value(entry: TiffEntry | undefined): Promise<Buffer | null> {
    if (entry === undefined || this.#valueBytes + entry.length > MAX_VALUE_BYTES) return null;
    const bytes = await bytesAt(this.file, entry.start, entry.length);
    this.#valueBytes += bytes.length;
    return bytes.length === entry.length ? bytes : null;
  }

  #entry(bytes: Buffer, at: number, startOfBytes: number): TiffEntry | null {
    const [tag, type, count] = [this.#short(bytes, at), this.#short(bytes, at + 2), this.#offset(bytes, at + 4)];
    const length = (SIZES[type] ?? 0) * count;
    if (length === 0) return null;
    const offsetBytes = this.isBig ? 8 : 4;
    const place = at + 4 + offsetBytes;
    const start = length <= offsetBytes ? startOfBytes + place : this.base + this.#offset(bytes, place);
    return { tag, type, count, start, length };
  }

  /** Reads an offset, of as many bytes as offsets have in this file. */
  #offset(bytes: Buffer, at: number): number {
    return this.isBig ? long8(bytes, at, this.little) : this.#long(bytes, at);
  }

  #short(bytes: Buffer, at: number): number {
    return this.little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  }

  #long(bytes: Buffer, at: number): number {
    return this.little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  }
}

/** A tag with the bytes of its value. */
export type StoredEntry = Pick<TiffEntry, 'tag' | 'type' | 'count'> & { readonly value: Uint8Array };

/** A whole number of so many bytes. */
export function written(value: number, size: 2 | 4, little: boolean): Buffer {
  const bytes = Buffer.alloc(size);
  if (little) bytes.writeUIntLE(value, 0, size);
  else bytes.writeUIntBE(value, 0, size);
  return bytes;
}

/** A directory to stand at `at`, the last of its file; values that do not fit into an entry stand behind. Its length does not depend on `at`. */
export function tiffDirectory(entries: readonly StoredEntry[], at: number, little: boolean): Buffer {
  const [short, long] = [(value: number) => written(value, 2, little), (value: number) => written(value, 4, little)];
  let end = at + 2 + 12 * entries.length + 4;
  const values: Buffer[] = [];
  const fields = entries
    .toSorted((a, b) => a.tag - b.tag)
    .map(({ tag, type, count, value }) => {
      const head = [short(tag), short(type), long(count)];
      if (value.length <= 4) return Buffer.concat([...head, value, Buffer.alloc(4 - value.length)]);
      const even = Buffer.concat([value, Buffer.alloc(value.length % 2)]);
      values.push(even);
      end += even.length;
      return Buffer.concat([...head, long(end - even.length)]);
    });
  return Buffer.concat([short(entries.length), ...fields, long(0), ...values]);
}
