import { otherPictures, pictureTypes } from './picture-formats.js';

/** Bytes of a file's beginning within which all signatures are. */
export const HEAD_BYTES = 32;

/** A file as far as its name and its first bytes say: a photo, a picture of a format that no service takes, or something else. */
export type FileKind =
  | { readonly kind: 'photo' }
  | { readonly kind: 'unsupported'; readonly format: string }
  | { readonly kind: 'other' };

/**
 * The kind of a file. The service decides by all of its bytes; this only keeps films and texts from being sent.
 * @param readHead Reads the first `HEAD_BYTES` of the file; called where its name does not say enough.
 */
export async function kindOfFile(name: string, readHead: () => Promise<Uint8Array>): Promise<FileKind> {
  const extension = extensionOf(name);
  if (looksLikePhoto(name)) return { kind: 'photo' };
  const head = String.fromCharCode(...(await readHead()).subarray(0, HEAD_BYTES));
  const found = pictureTypes.filter(({ signatures }) =>
    signatures.some((parts) => parts.every(([at, part]) => head.startsWith(part, at))),
  );
  const format = Object.keys(otherPictures).find((each) => otherPictures[each]?.includes(extension));
  if (format === undefined) return { kind: found.length === 0 ? 'other' : 'photo' };
  // Raw files of other makers begin as those of several formats do.
  return found.length === 1 ? { kind: 'photo' } : { kind: 'unsupported', format };
}

/** Whether a file of this name may be a photo. Others may be as well: `kindOfFile` looks into them. */
export function looksLikePhoto(name: string): boolean {
  return typeByName(name) !== null;
}

/** The probable content of a file of this name; null when the name does not look like a photo's. */
function typeByName(name: string): string | null {
  const extension = extensionOf(name);
  return pictureTypes.find(({ extensions }) => extensions.includes(extension))?.contentType ?? null;
}

function extensionOf(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Whether a service that accepts `formats` is certain to refuse a file of this name. */
export function isRefused(name: string, formats: readonly string[]): boolean {
  const type = typeByName(name);
  return type !== null && !formats.includes(type);
}
