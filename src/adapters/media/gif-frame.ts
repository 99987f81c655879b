/**
 * Width and height that the first frame of a GIF declares, from the bytes at its beginning; null when they end before it. A frame may be
 * larger than the canvas, and decoders allocate memory for it.
 */
export function firstFrame(bytes: Uint8Array): { readonly width: number; readonly height: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  if (bytes.length < 13) return null;
  let at = 13 + colours(view.getUint8(10));
  while (at + 10 <= bytes.length) {
    const block = view.getUint8(at);
    if (block === 0x2c) return { width: view.getUint16(at + 5, true), height: view.getUint16(at + 7, true) };
    if (block !== 0x21) return null;
    // An extension: a label, then sub-blocks, each preceded by its length, until an empty one.
    at += 2;
    while (at < bytes.length && view.getUint8(at) !== 0) at += view.getUint8(at) + 1;
    at += 1;
  }
  return null;
}
