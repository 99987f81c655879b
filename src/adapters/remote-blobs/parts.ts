/** A part of a blob in memory, so that it can be sent more than once. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

const FIRST_ROOM = 64 * 1024;

/**
 * Cuts bytes into parts of exactly `partBytes` except for the last, of which there is always one. Errors of `bytes` are rethrown unchanged.
 */
export async function* inParts(bytes: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Part, void, void> {
  // Its buffer grows with its content, so that small blobs take little memory.
  const emptyPart = () => Buffer.allocUnsafeSlow(Math.min(FIRST_ROOM, partBytes));
  let [part, length] = [emptyPart(), 0];
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      if (length === partBytes) {
        yield { bytes: part, isLast: false };
        [part, length] = [emptyPart(), 0];
      }
      const taken = Math.min(chunk.length - at, partBytes - length);
      if (length + taken > part.length) {
        const grown = Buffer.allocUnsafeSlow(Math.min(partBytes, Math.max(length + taken, part.length * 2)));
        grown.set(part.subarray(0, length));
        part = grown;
      }
      // Copied: the source may reuse its chunk.
      part.set(chunk.subarray(at, at + taken), length);
      length += taken;
      at += taken;
    }
  }
  yield { bytes: part.subarray(0, length), isLast: true };
}
