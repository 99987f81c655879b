/** Parts of the first bytes that all have to be there: where, and what, a character for each byte. */
type Signature = readonly (readonly [at: number, text: string])[];

interface PictureType {
  readonly contentType: string;
  /** The extensions of the names of such files, without a dot, in lower case. */
  readonly extensions: readonly string[];
  /** One of them is that of each such file. */
  readonly signatures: readonly Signature[];
}

const begins = (...texts: readonly string[]): readonly Signature[] => texts.map((text) => [[0, text]]);
const branded = (...brands: readonly string[]): readonly Signature[] => brands.map((brand) => [[4, `ftyp${brand}`]]);
const tiff = begins('II*\0', 'MM\0*', 'II+\0', 'MM\0+');

const type = (contentType: string, extensions: string, signatures: readonly Signature[]): PictureType => ({
  contentType,
  extensions: extensions.split(' '),
  signatures,
});

/** The types of files that may be photos. */
export const pictureTypes: readonly PictureType[] = [
  type('image/jpeg', 'jpg jpeg jpe jfif jfi pjpeg mpo insp', begins('\xff\xd8\xff')),
  type('image/png', 'png apng', begins('\x89PNG\r\n\x1a\n')),
  type('image/webp', 'webp', [
    [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  ]),
  type('image/gif', 'gif', begins('GIF8')),
  type('image/tiff', 'tif tiff', tiff),
  type('image/avif', 'avif avifs', branded('avif', 'avis')),
  type('image/heic', 'heic heics hif', branded('heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs')),
  type('image/heif', 'heif heifs', branded('mif1', 'msf1')),
  type('image/x-adobe-dng', 'dng', tiff),
  type('image/x-canon-cr2', 'cr2', tiff),
  type('image/x-canon-cr3', 'cr3', branded('crx ')),
  type('image/x-nikon-nef', 'nef', tiff),
  type('image/x-nikon-nrw', 'nrw', tiff),
  type('image/x-sony-arw', 'arw', tiff),
  type('image/x-sony-sr2', 'sr2', tiff),
  type('image/x-fuji-raf', 'raf', begins('FUJIFILM')),
  type('image/x-olympus-orf', 'orf', begins('IIRO', 'IIRS', 'MMOR')),
  type('image/x-panasonic-rw2', 'rw2', begins('IIU\0')),
];

/** Endings of pictures that no service takes, by the names of their formats. */
export const otherPictures: Readonly<Record<string, readonly string[]>> = {
  AVCI: ['avci', 'avcs'],
  BMP: ['bmp', 'dib'],
  'JPEG 2000': ['jp2', 'j2k', 'jpf', 'jpx', 'jpm', 'j2c', 'jpc'],
  'JPEG-LS': ['jls'],
  'JPEG XL': ['jxl'],
  PSD: ['psd', 'psb'],
  EXR: ['exr'],
  HDR: ['hdr'],
  TGA: ['tga'],
  CRW: ['crw'],
  X3F: ['x3f'],
  MRW: ['mrw'],
  IIQ: ['iiq'],
};

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
  const found = typeByHead(await readHead());
  const format = Object.keys(otherPictures).find((each) => otherPictures[each]?.includes(extension));
  if (format === undefined) return { kind: found === null ? 'other' : 'photo' };
  // Raw files of other makers begin as a TIFF, too.
  return found === null || found === 'image/tiff' ? { kind: 'unsupported', format } : { kind: 'photo' };
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

function typeByHead(head: Uint8Array): string | null {
  const text = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  const has = (parts: Signature) => parts.every(([at, part]) => text.startsWith(part, at));
  return pictureTypes.find(({ signatures }) => signatures.some(has))?.contentType ?? null;
}

function extensionOf(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** Whether a service that accepts `formats` is certain to refuse a file of this name. */
export function isRefused(name: string, formats: readonly string[]): boolean {
  const type = typeByName(name);
  return type !== null && !formats.includes(type);
}
