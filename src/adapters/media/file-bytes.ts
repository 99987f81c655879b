import type { FileHandle } from 'node:fs/promises';

/** Fewer when the file ends before; none from places that no file has. */
export async function bytesAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(start + length)) return Buffer.alloc(0);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}
