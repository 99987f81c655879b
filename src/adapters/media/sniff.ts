import { createRequire } from 'node:module';
import { fileTypeFromBuffer } from 'file-type/core';
import { acceptedFormats } from '../../core/media/formats.js';
import type { Sniffed } from '../../core/media/media-reader.js';

/** file-type's names that are not ours. A PNG with frames is a PNG; a HEIF sequence is represented by its first picture. */
const ownNames: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'image/heic-sequence': 'image/heic',
  'image/heif-sequence': 'image/heif',
  'image/x-fujifilm-raf': 'image/x-fuji-raf',
};

/** HEIC and HEIF need the WebAssembly decoder, which an installation may omit because of its licence (LGPL-3.0). */
export const formats: readonly string[] = acceptedFormats
  .map(({ contentType }) => contentType)
  .filter((type) => !isHeif(type) || hasHeifDecoder());

/** Number of bytes that are examined. What follows is never read, so that a prefix and a whole file give the same result. */
export const HEAD_BYTES = 4100;

export function isHeif(contentType: string): boolean {
  return contentType === 'image/heic' || contentType === 'image/heif';
}

/** The type by the first bytes. XML, and so SVG, is treated as text. */
export async function sniff(head: Uint8Array): Promise<Sniffed> {
  const found = (await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES)))?.mime ?? tiffOf(head);
  if (found === undefined) return { kind: 'not_an_image' };
  const contentType = ownNames[found] ?? found;
  if (formats.includes(contentType)) return { kind: 'accepted', contentType };
  return /^(image|video)\//.test(contentType) && !contentType.includes('svg')
    ? { kind: 'unsupported', contentType }
    : { kind: 'not_an_image' };
}

/** What begins like a TIFF, Olympus's and Panasonic's variants included, a RAF or a CR3: whether it is one takes more than its first bytes. */
export function mayBeRaw(head: Uint8Array): boolean {
  const text = textOf(head.subarray(0, 12));
  return /^(II|MM|FUJIFILM)/.test(text) || text.endsWith('ftypcrx ');
}

/** A TIFF may have its directory at the end, which file-type needs but is not given. It does not know all that begins ORF. */
function tiffOf(head: Uint8Array): string | undefined {
  const magic = textOf(head.subarray(0, 4));
  if (['IIRO', 'IIRS', 'MMOR'].includes(magic)) return 'image/x-olympus-orf';
  return ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(magic) ? 'image/tiff' : undefined;
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function hasHeifDecoder(): boolean {
  try {
    createRequire(import.meta.url).resolve('libheif-js/libheif-wasm/libheif-bundle.js');
    return true;
  } catch {
    return false;
  }
}
