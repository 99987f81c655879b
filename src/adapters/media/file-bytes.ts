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
