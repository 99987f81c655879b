import { type Readable, Transform } from 'node:stream';

export async function headOf(file: { open(start: number): Promise<Readable> }, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of await file.open(0)) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop ends the stream.
    if (length >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
}

/** Returns a stream without its first bytes, for what can only be read from its beginning, as compressed files. */
export function without(stream: Readable, bytes: number): Readable {
  let left = bytes;
  const rest = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      const skipped = Math.min(left, chunk.length);
      left -= skipped;
      done(null, chunk.subarray(skipped));
    },
  });
  stream.once('error', (error) => rest.destroy(error));
  rest.once('close', () => stream.destroy());
  return stream.pipe(rest);
}
