/** Parts of the first bytes that all have to be there: where, and what, a character for each byte. */
export type Signature = readonly (readonly [at: number, text: string])[];

/** A kind of picture. */
export interface PictureFormat {
  readonly contentType: string;
  /** For people. */
  readonly name: string;
  /** Extensions of file names, without a dot, in lower case. Files are recognized by their bytes: these are for finding and selecting them. */
  readonly extensions: readonly string[];
  /** One of them is that of each file; those of several formats may be the same. */
  readonly signatures: readonly Signature[];
  /** The way to its pixels: libvips, libheif, or libvips from the preview that it contains. */
  readonly decoder: 'libvips' | 'libheif' | 'preview';
}

const begins = (...texts: readonly string[]): readonly Signature[] => texts.map((text) => [[0, text]]);
const branded = (...brands: readonly string[]): readonly Signature[] => brands.map((brand) => [[4, `ftyp${brand}`]]);
const tiff = begins('II*\0', 'MM\0*', 'II+\0', 'MM\0+');

const raw = (name: string, maker: string, signatures = tiff): PictureFormat => ({
  contentType: `image/x-${maker}-${name.toLowerCase()}`,
  name,
  extensions: [name.toLowerCase()],
  signatures,
  decoder: 'preview',
});

/** Raw files of cameras, whose embedded preview is the picture. */
const rawFormats: readonly PictureFormat[] = [
  raw('DNG', 'adobe'),
  raw('CR2', 'canon'),
  raw('CR3', 'canon', branded('crx ')),
  raw('NEF', 'nikon'),
  raw('NRW', 'nikon'),
  raw('ARW', 'sony'),
  raw('SR2', 'sony'),
  raw('RAF', 'fuji', begins('FUJIFILM')),
  raw('ORF', 'olympus', begins('IIRO', 'IIRS', 'MMOR')),
  raw('RW2', 'panasonic', begins('IIU\0')),
];

/** All accepted formats. A build may lack some of them: `MediaReader.formats`. */
export const acceptedFormats: readonly PictureFormat[] = [
  {
    contentType: 'image/jpeg',
    name: 'JPEG',
    // The last ones: pictures for both eyes, and those of all directions, whose first picture is a JPEG like any other.
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif', 'jfi', 'pjpeg', 'mpo', 'insp'],
    signatures: begins('\xff\xd8\xff'),
    decoder: 'libvips',
  },
  {
    contentType: 'image/png',
    name: 'PNG',
    extensions: ['png', 'apng'],
    signatures: begins('\x89PNG\r\n\x1a\n'),
    decoder: 'libvips',
  },
  {
    contentType: 'image/webp',
    name: 'WebP',
    extensions: ['webp'],
    signatures: [
      [
        [0, 'RIFF'],
        [8, 'WEBP'],
      ],
    ],
    decoder: 'libvips',
  },
  { contentType: 'image/gif', name: 'GIF', extensions: ['gif'], signatures: begins('GIF8'), decoder: 'libvips' },
  { contentType: 'image/tiff', name: 'TIFF', extensions: ['tif', 'tiff'], signatures: tiff, decoder: 'libvips' },
  {
    contentType: 'image/avif',
    name: 'AVIF',
    extensions: ['avif', 'avifs'],
    signatures: branded('avif', 'avis'),
    decoder: 'libvips',
  },
  {
    contentType: 'image/heic',
    name: 'HEIC',
    extensions: ['heic', 'heics', 'hif'],
    signatures: branded('heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'),
    decoder: 'libheif',
  },
  {
    contentType: 'image/heif',
    name: 'HEIF',
    extensions: ['heif', 'heifs'],
    signatures: branded('mif1', 'msf1'),
    decoder: 'libheif',
  },
  ...rawFormats,
];

/** Pictures that are not accepted, so that they can be called by their names. */
export const otherFormats: readonly Omit<PictureFormat, 'decoder'>[] = [
  { contentType: 'image/avci', name: 'AVCI', extensions: ['avci', 'avcs'], signatures: branded('avci', 'avcs') },
  { contentType: 'image/bmp', name: 'BMP', extensions: ['bmp', 'dib'], signatures: [] },
  {
    contentType: 'image/jp2',
    name: 'JPEG 2000',
    extensions: ['jp2', 'j2k', 'jpf', 'jpx', 'jpm', 'j2c', 'jpc'],
    signatures: begins('\0\0\0\x0cjP  ', '\xff\x4f\xff\x51'),
  },
  { contentType: 'image/jls', name: 'JPEG-LS', extensions: ['jls'], signatures: begins('\xff\xd8\xff\xf7') },
  {
    contentType: 'image/jxl',
    name: 'JPEG XL',
    extensions: ['jxl'],
    signatures: begins('\xff\x0a', '\0\0\0\x0cJXL \r\n\x87\n'),
  },
  {
    contentType: 'image/vnd.adobe.photoshop',
    name: 'PSD',
    extensions: ['psd', 'psb'],
    signatures: begins('8BPS'),
  },
  { contentType: 'image/x-exr', name: 'EXR', extensions: ['exr'], signatures: begins('\x76\x2f\x31\x01') },
  {
    contentType: 'image/vnd.radiance',
    name: 'HDR',
    extensions: ['hdr'],
    signatures: begins('#?RADIANCE', '#?RGBE'),
  },
  // Its first bytes have no signature.
  { contentType: 'image/x-tga', name: 'TGA', extensions: ['tga'], signatures: [] },
  {
    contentType: 'image/x-canon-crw',
    name: 'CRW',
    extensions: ['crw'],
    signatures: [
      [
        [0, 'II'],
        [6, 'HEAPCCDR'],
      ],
    ],
  },
  { contentType: 'image/x-sigma-x3f', name: 'X3F', extensions: ['x3f'], signatures: begins('FOVb') },
  { contentType: 'image/x-minolta-mrw', name: 'MRW', extensions: ['mrw'], signatures: begins('\0MRM') },
  {
    contentType: 'image/x-phaseone-iiq',
    name: 'IIQ',
    extensions: ['iiq'],
    signatures: [
      [
        [8, 'IIII'],
        [13, 'waR'],
      ],
      [[8, 'MMMMRaw']],
    ],
  },
];

/** Extensions of the names of files that may be accepted, with their dots. */
export const fileExtensions: readonly string[] = acceptedFormats.flatMap(({ extensions }) =>
  extensions.map((each) => `.${each}`),
);

/** The format whose signature a file has: the first one, where several have the same. */
export function formatBySignature<T extends Pick<PictureFormat, 'signatures'>>(
  formats: readonly T[],
  head: Uint8Array,
): T | undefined {
  const text = String.fromCharCode(...head.subarray(0, SIGNATURE_BYTES));
  return formats.find(({ signatures }) =>
    signatures.some((parts) => parts.every(([at, part]) => text.startsWith(part, at))),
  );
}

/** All signatures are within them. */
const SIGNATURE_BYTES = 32;

export function isRawType(contentType: string): boolean {
  return rawFormats.some((format) => format.contentType === contentType);
}

/** For people: `JPEG, …, GIF and raw files of cameras (DNG, …)`. */
export const formatNames: string = [
  acceptedFormats.filter((format) => !rawFormats.includes(format)).map(({ name }) => name),
  [`raw files of cameras (${rawFormats.map(({ name }) => name).join(', ')})`],
]
  .map((names) => names.join(', '))
  .join(' and ');
