import { open } from 'node:fs/promises';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** RGB, or RGB with alpha that is not multiplied in. */
  readonly channels: 3 | 4;
  row(y: number): Uint8Array;
}

const SHORT = 3;
const LONG = 4;
const UNDEFINED = 7;
const ROWS_PER_STRIP = 64;

/**
 * Writes pixels as a plain TIFF 6.0 file with their colour profile: the one form in which libvips takes both raw pixels and a profile, and
 * reads them from disk in strips rather than hold them all.
 */
export async function writePixelTiff(path: string, pixels: Pixels, profile: Uint8Array | undefined): Promise<void> {
  const { width, height, channels } = pixels;
  const strips = Math.ceil(height / ROWS_PER_STRIP);
  const rowsOf = (strip: number) => Math.min(ROWS_PER_STRIP, height - strip * ROWS_PER_STRIP);
  const header = (firstPixel: number) =>
    headerBytes([
      [256, LONG, [width]],
      [257, LONG, [height]],
      [258, SHORT, Array(channels).fill(8)],
      [259, SHORT, [1]],
      [262, SHORT, [2]],
      [273, LONG, Array.from({ length: strips }, (_, strip) => firstPixel + strip * ROWS_PER_STRIP * width * channels)],
      [277, SHORT, [channels]],
      [278, LONG, [ROWS_PER_STRIP]],
      [279, LONG, Array.from({ length: strips }, (_, strip) => rowsOf(strip) * width * channels)],
      ...(channels === 4 ? ([[338, SHORT, [2]]] satisfies Tag[]) : []),
      ...(profile ? ([[34675, UNDEFINED, profile]] satisfies Tag[]) : []),
    ]);
  // The header's length does not depend on what it says.
  const head = header(header(0).length);
  const file = await open(path, 'wx', 0o600);
  try {
    // `writeFile`, which goes on where a call wrote only some of its bytes, as on a disk that is nearly full.
    await file.writeFile(head);
    for (let strip = 0; strip < strips; strip += 1) {
      const rows = Array.from({ length: rowsOf(strip) }, (_, row) => pixels.row(strip * ROWS_PER_STRIP + row));
      await file.writeFile(Buffer.concat(rows));
    }
  } finally {
    await file.close();
  }
}

type Tag = readonly [tag: number, type: number, values: ArrayLike<number>];

/** The header and its one directory; values that do not fit into an entry stand behind. */
function headerBytes(tags: readonly Tag[]): Buffer {
  const entries = Buffer.alloc(2 + 12 * tags.length + 4);
  entries.writeUInt16LE(tags.length, 0);
  const rest: Buffer[] = [];
  let end = 8 + entries.length;
  tags.forEach(([tag, type, values], index) => {
    const at = 2 + 12 * index;
    entries.writeUInt16LE(tag, at);
    entries.writeUInt16LE(type, at + 2);
    entries.writeUInt32LE(values.length, at + 4);
    const bytes = valueBytes(type, values);
    if (bytes.length <= 4) {
      bytes.copy(entries, at + 8);
      return;
    }
    entries.writeUInt32LE(end, at + 8);
    const even = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
    rest.push(even);
    end += even.length;
  });
  return Buffer.concat([Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0]), entries, ...rest]);
}

function valueBytes(type: number, values: ArrayLike<number>): Buffer {
  const list = Array.from(values);
  if (type === UNDEFINED) return Buffer.from(list);
  const size = type === SHORT ? 2 : 4;
  const bytes = Buffer.alloc(size * list.length);
  for (const [index, value] of list.entries()) bytes.writeUIntLE(value, index * size, size);
  return bytes;
}
