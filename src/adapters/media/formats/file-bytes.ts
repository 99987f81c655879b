import type { FileHandle } from 'node:fs/promises';

/** A file that is open, or bytes in memory. */
export interface ByteSource {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

/** Fewer when the file ends before; none from places that no file has. */
export async function bytesAt(file: ByteSource, start: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(start + length)) return Buffer.alloc(0);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, start);
  return buffer.subarray(0, bytesRead);
}

export function inMemory(bytes: Uint8Array): ByteSource {
  return {
    read: async (buffer, offset, length, position) => {
      const part = bytes.subarray(position, position + length);
      buffer.set(part, offset);
      return { bytesRead: part.length };
    },
  };
}

/** A box of an ISO base media file (ISO 14496-12, 4.2). It may be said to be longer than the file. */
export interface Box {
  readonly type: string;
  readonly start: number;
  readonly length: number;
  /** Where its content begins. */
  readonly content: number;
}

const MAX_BOXES = 1000;
/** Between the head of a box of type `uuid` and what is in it. */
export const UUID_BYTES = 16;

/** Finds boxes, a limited number of them in a file. One that does not end within what contains it is the last one there. */
export class Boxes {
  #left = MAX_BOXES;

  constructor(private readonly file: FileHandle) {}

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
