import { createRequire } from 'node:module';
import { fileTypeFromBuffer } from 'file-type/core';
import { acceptedFormats, formatBySignature, otherFormats } from '../../../core/media/formats.js';
import type { Sniffed } from '../../../core/media/media-reader.js';

/** The accepted formats but for those whose package this installation lacks. */
export const formats: readonly string[] = acceptedFormats
  .filter((format) => format.package === undefined || isInstalled(format.package))
  .map(({ contentType }) => contentType);

/** Number of bytes that are examined. What follows is never read, so that a prefix and a whole file give the same result. */
export const HEAD_BYTES = 4100;

/** The type by the first bytes. XML, and so SVG, is treated as text. */
export async function sniff(head: Uint8Array): Promise<Sniffed> {
  const declared = formatBySignature(otherFormats, head) ?? formatBySignature(acceptedFormats, head);
  const found = async () => (await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES)))?.mime;
  const contentType = declared?.contentType ?? (isTarga(head) ? 'image/x-tga' : await found());
  if (contentType === undefined) return { kind: 'not_an_image' };
  if (formats.includes(contentType)) return { kind: 'accepted', contentType };
  return /^(image|video)\//.test(contentType) && !contentType.includes('svg')
    ? { kind: 'unsupported', contentType }
    : { kind: 'not_an_image' };
}

/** Whether the file begins like a TIFF (or Olympus's or Panasonic's variant), a RAF or a CR3: whether it is one takes more than its first bytes. */
export function mayBeRaw(head: Uint8Array): boolean {
  const text = String.fromCharCode(...head.subarray(0, 12));
  return /^(II|MM|FUJIFILM)/.test(text) || text.endsWith('ftypcrx ');
}

const TARGA_HEADER_BYTES = 18;
const TARGA_TYPES = [1, 2, 3, 9, 10, 11];

/** Whether each field of the first bytes is one of a TGA, which has no signature there. No text begins so. */
function isTarga(head: Uint8Array): boolean {
  if (head.length < TARGA_HEADER_BYTES) return false;
  const { buffer, byteOffset } = head;
  const header = new DataView(buffer, byteOffset, TARGA_HEADER_BYTES);
  const [hasMap, type, depth, descriptor] = [1, 2, 16, 17].map((at) => header.getUint8(at)) as [number, ...number[]];
  const isMapped = type === 1 || type === 9;
  const mapLength = header.getUint16(5, true);
  return (
    TARGA_TYPES.includes(type as number) &&
    hasMap === (isMapped ? 1 : 0) &&
    mapLength > 0 === isMapped &&
    header.getUint16(12, true) > 0 &&
    header.getUint16(14, true) > 0 &&
    [8, 15, 16, 24, 32].includes(depth as number) &&
    ((descriptor as number) & 0xc0) === 0
  );
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
