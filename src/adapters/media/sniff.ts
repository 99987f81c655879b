import { createRequire } from 'node:module';
import { fileTypeFromBuffer } from 'file-type/core';
import type { Sniffed } from '../../core/media/media-reader.js';

/** file-type's name → our name. A PNG with frames is a PNG; a HEIF sequence is represented by its first picture. */
const accepted: Readonly<Record<string, string>> = {
  'image/jpeg': 'image/jpeg',
  'image/png': 'image/png',
  'image/apng': 'image/png',
  'image/webp': 'image/webp',
  'image/gif': 'image/gif',
  'image/tiff': 'image/tiff',
  'image/avif': 'image/avif',
  'image/heic': 'image/heic',
  'image/heic-sequence': 'image/heic',
  'image/heif': 'image/heif',
  'image/heif-sequence': 'image/heif',
};

/** HEIC and HEIF need the WebAssembly decoder, which an installation may omit because of its licence (LGPL-3.0). */
export const formats: readonly string[] = [...new Set(Object.values(accepted))].filter(
  (type) => !isHeif(type) || hasHeifDecoder(),
);

/** Number of bytes that are examined. What follows is never read, so that a prefix and a whole file give the same result. */
export const HEAD_BYTES = 4100;

export function isHeif(contentType: string): boolean {
  return contentType === 'image/heic' || contentType === 'image/heif';
}

/** The type by the first bytes. XML, and so SVG, is treated as text. */
export async function sniff(head: Uint8Array): Promise<Sniffed> {
  const found = (await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES)))?.mime ?? tiff(head);
  if (found === undefined) return { kind: 'not_an_image' };
  const contentType = accepted[found] ?? found;
  if (formats.includes(contentType)) return { kind: 'accepted', contentType };
  return /^(image|video)\//.test(contentType) && !contentType.includes('svg')
    ? { kind: 'unsupported', contentType }
    : { kind: 'not_an_image' };
}

/** A TIFF may have its directory at the end, which file-type needs but is not given. */
function tiff(head: Uint8Array): string | undefined {
  const magic = String.fromCharCode(...head.subarray(0, 4));
  return ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(magic) ? 'image/tiff' : undefined;
}

function hasHeifDecoder(): boolean {
  try {
    createRequire(import.meta.url).resolve('libheif-js/libheif-wasm/libheif-bundle.js');
    return true;
  } catch {
    return false;
  }
}
