import { createRequire } from 'node:module';
import type { Libheif, default as OpenLibheif } from 'libheif-js/libheif-wasm/libheif-bundle.js';
import type { Pixels } from './pixel-tiff.js';
import { decodeFailed, requirePictureSize } from './refusals.js';

// From libheif's heif_image.h.
const COLORSPACE_RGB = 1;
const CHROMA_INTERLEAVED_RGB = 10;
const CHROMA_INTERLEAVED_RGBA = 11;
const CHANNEL_INTERLEAVED = 10;

export interface DecodedHeif extends Pixels {
  /** Some of it could not be decoded and is left blank. */
  readonly damaged: boolean;
}

/**
 * Decodes the primary picture of a HEIC file to 8 bits per channel in the file's own colour space, rotated and mirrored as the container
 * specifies. Throws a refusal when it cannot be decoded, or is over `maxPixels`. The pixels are a view into memory of the decoder.
 */
export function decodeHeif(file: Uint8Array, maxPixels: number): DecodedHeif {
  try {
    // An instance for each picture: its memory never shrinks, and nothing of a hostile file outlives it.
    return decodeWith(openLibheif()({ print: () => undefined, printErr: () => undefined }), file, maxPixels);
  } catch (error) {
    // A trap inside WebAssembly, out of memory included.
    if (error instanceof Error && error.name === 'RuntimeError') throw decodeFailed();
    throw error;
  }
}

/** Loaded with the first of its pictures: it takes a third of the time in which a process starts. */
function openLibheif(): typeof OpenLibheif {
  return createRequire(import.meta.url)('libheif-js/libheif-wasm/libheif-bundle.js');
}

function decodeWith(heif: Libheif, file: Uint8Array, maxPixels: number): DecodedHeif {
  /** `struct heif_error` (code, subcode, message), followed by one word for the output of a call. */
  const error = heif._malloc(16);
  const out = error + 12;
  const word = (pointer: number) => heif.HEAPU32[pointer / 4] ?? 0;
  const requireSuccess = () => {
    if (word(error) !== 0) throw decodeFailed();
  };

  const context = heif._heif_context_alloc();
  const copy = heif._malloc(file.length);
  heif.HEAPU8.set(file, copy);
  heif._heif_context_read_from_memory(error, context, copy, file.length, 0);
  requireSuccess();
  heif._free(copy);

  heif._heif_context_get_primary_image_handle(error, context, out);
  requireSuccess();
  const handle = word(out);
  requirePictureSize(heif._heif_image_handle_get_width(handle), heif._heif_image_handle_get_height(handle), maxPixels);

  const alpha = heif._heif_image_handle_has_alpha_channel(handle) !== 0;
  const chroma = alpha ? CHROMA_INTERLEAVED_RGBA : CHROMA_INTERLEAVED_RGB;
  heif._heif_decode_image(error, handle, out, COLORSPACE_RGB, chroma, 0);
  requireSuccess();
  const image = word(out);
  const [width, height] = [
    heif._heif_image_get_width(image, CHANNEL_INTERLEAVED),
    heif._heif_image_get_height(image, CHANNEL_INTERLEAVED),
  ];
  requirePictureSize(width, height, maxPixels);
  const plane = heif._heif_image_get_plane_readonly2(image, CHANNEL_INTERLEAVED, out);
  const stride = word(out);
  return {
    width,
    height,
    channels: alpha ? 4 : 3,
    damaged: heif._heif_image_get_decoding_warnings(image, 0, 0, 0) > 0,
    row: (y) => heif.HEAPU8.subarray(plane + y * stride, plane + y * stride + width * (alpha ? 4 : 3)),
  };
}
