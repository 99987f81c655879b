/**
 * Width and height that the first frame of a GIF declares, from the bytes at its beginning; null when they end before it. A frame may be
 * larger than the canvas, and decoders allocate memory for it.
 */
export function firstFrame(bytes: Uint8Array): { readonly width: number; readonly height: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const { kind, start } of blocks(bytes)) {
    if (kind === IMAGE) return { width: view.getUint16(start + 5, true), height: view.getUint16(start + 7, true) };
  }
  return null;
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const XMP_LABEL = '!\xff\x0bXMP DataXMP';

/** The XMP packet of a GIF, with what follows it in its block, from the bytes at its beginning; undefined when there is none. */
export function gifXmp(bytes: Uint8Array): Uint8Array | undefined {
  const label = Buffer.from(XMP_LABEL, 'latin1');
  for (const { start, end } of blocks(bytes)) {
    const packet = start + label.length;
    if (label.equals(bytes.subarray(start, packet))) return bytes.subarray(packet, end);
  }
  return undefined;
}

/** The images and extensions of a GIF (GIF89a, 20 and 24 to 26), while they are whole as far as their headers. */
function* blocks(
  bytes: Uint8Array,
): Generator<{ readonly kind: number; readonly start: number; readonly end: number }> {
  const byte = (at: number) => bytes[at] ?? 0;
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let start = 13 + colours(byte(10));
  while (start + 10 <= bytes.length) {
    const kind = byte(start);
    if (kind !== IMAGE && kind !== EXTENSION) return;
    // An extension begins with a label, an image with its size, colours and the width of its codes. Sub-blocks follow, each preceded by its
    // length, until an empty one.
    let end = start + (kind === EXTENSION ? 2 : 11 + colours(byte(start + 9)));
    while (byte(end) !== 0) end += byte(end) + 1;
    yield { kind, start, end };
    start = end + 1;
  }
}
