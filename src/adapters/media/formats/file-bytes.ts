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

/** Writes all of it to a new file, for the caller to change. */
export async function copyOf(input: PictureInput, path: string): Promise<void> {
  if (typeof input === 'string') await copyFile(input, path);
  else await writeFile(path, input, { mode: 0o600 });
}

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
