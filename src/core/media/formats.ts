/** Parts of the first bytes that all have to be there: where, and what, a character for each byte. */
export type Signature = readonly (readonly [at: number, text: string])[];

/** A kind of picture, and all that is particular to it: what else there is follows from here. */
export interface PictureFormat {
  readonly contentType: string;
  /** For people. */
  readonly name: string;
  /** Extensions of file names, without a dot, in lower case. Files are recognized by their bytes: these are for finding and selecting them. */
  readonly extensions: readonly string[];
  /** One of them is that of each file; those of several formats may be the same. */
  readonly signatures: readonly Signature[];
  /** The module that opens such a file: one of the folder `decoders` of a media reader. */
  readonly decoder: 'libvips' | 'tiff' | 'heif' | 'jxl' | 'raw';
  /** The package that decodes it, where an installation may lack it. */
  readonly package?: string;
  /**
   * Where EXIF and IPTC are: in segments of a JPEG, in the directories of a TIFF, wherever the decoder finds them, in the embedded preview
   * too, or in places that a reader of metadata looks for itself.
   */
  readonly metadata: 'segments' | 'directories' | 'decoder' | 'preview' | 'file';
  /** The most that its decoder manages within the time for a picture, where that is less than the limit for all pictures. */
  readonly maxPixels?: number;
  /** The most pixels that a byte of such a file can encode, where there is a limit. */
  readonly maxPixelsPerByte?: number;
  /** Where the film of a motion photo is: after the picture, as the picture's metadata tell, or in a box of its own. */
  readonly film?: 'after' | 'box';
  /** Whether browsers display such a file themselves. */
  readonly isDisplayable?: boolean;
  /** A file of a few pixels, in base64url: reading it shows whether an installation decodes the format. */
  readonly sample?: string;
}

const together = (...signature: Signature): readonly Signature[] => [signature];
const begins = (...texts: readonly string[]): readonly Signature[] => texts.map((text) => [[0, text]]);
const branded = (...brands: readonly string[]): readonly Signature[] => brands.map((brand) => [[4, `ftyp${brand}`]]);
const tiff = begins('II*\0', 'MM\0*', 'II+\0', 'MM\0+');

/**
 * Pictures of one colour, 64 megapixels, as small as encoders of each format make them, reached 511 pixels per byte (JPEG), 8,258 (PNG) and
 * 1,452 (GIF, whose codes can reach 2,730). The other formats have no such limit: a WebP or AVIF of one colour takes a few bytes, whatever its size.
 */
const [JPEG_PIXELS_PER_BYTE, PNG_PIXELS_PER_BYTE, GIF_PIXELS_PER_BYTE] = [1000, 10_000, 4000];

const raw = (name: string, maker: string, signatures = tiff): PictureFormat => ({
  contentType: `image/x-${maker}-${name.toLowerCase()}`,
  name,
  extensions: [name.toLowerCase()],
  signatures,
  decoder: 'raw',
  metadata: 'preview',
  maxPixelsPerByte: JPEG_PIXELS_PER_BYTE,
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

/** HEVC is decoded by WebAssembly, which an installation may omit because of its licence (LGPL-3.0). */
const LIBHEIF = 'libheif-js';

/** All accepted formats. A build may lack some of them: `MediaReader.formats`. */
export const acceptedFormats: readonly PictureFormat[] = [
  {
    contentType: 'image/jpeg',
    name: 'JPEG',
    // The last ones: pictures for both eyes, and those of all directions, whose first picture is a JPEG like any other.
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif', 'jfi', 'pjpeg', 'mpo', 'insp'],
    signatures: begins('\xff\xd8\xff'),
    decoder: 'libvips',
    metadata: 'segments',
    maxPixelsPerByte: JPEG_PIXELS_PER_BYTE,
    film: 'after',
    isDisplayable: true,
    sample:
      '_9j_2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P_2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P_wAARCAACAAIDASIAAhEBAxEB_8QAFQABAQAAAAAAAAAAAAAAAAAAAAb_xAAaEAACAwEBAAAAAAAAAAAAAAABAgADBAUS_8QAFAEBAAAAAAAAAAAAAAAAAAAABP_EABcRAAMBAAAAAAAAAAAAAAAAAAABAjL_2gAMAwEAAhEDEQA_AKbk5Mz8jEzZ6mZqEJJQEk-RERB1pgL0z__Z',
  },
  {
    contentType: 'image/png',
    name: 'PNG',
    extensions: ['png', 'apng'],
    signatures: begins('\x89PNG\r\n\x1a\n'),
    decoder: 'libvips',
    metadata: 'decoder',
    maxPixelsPerByte: PNG_PIXELS_PER_BYTE,
    isDisplayable: true,
    sample:
      'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAFklEQVQImWM4IScnd0KOQU7uxIcPHwAgFgXdTt4gzwAAAABJRU5ErkJggg',
  },
  {
    contentType: 'image/webp',
    name: 'WebP',
    extensions: ['webp'],
    signatures: together([0, 'RIFF'], [8, 'WEBP']),
    decoder: 'libvips',
    metadata: 'decoder',
    isDisplayable: true,
    sample: 'UklGRjoAAABXRUJQVlA4IC4AAACQAQCdASoCAAIAAUAmJaQAAudHxMAA_vKT8yhd3F_xi__PvDy0owWOjLk8AAAA',
  },
  {
    contentType: 'image/gif',
    name: 'GIF',
    extensions: ['gif'],
    signatures: begins('GIF8'),
    decoder: 'libvips',
    metadata: 'file',
    maxPixelsPerByte: GIF_PIXELS_PER_BYTE,
    isDisplayable: true,
    sample: 'R0lGODlhAgACAIIAAExpccgeHvDw8B7IHh4eyAAAAAAAAAAAACH5BAUAAAAALAAAAAACAAIAAAMDGEOSADs',
  },
  {
    contentType: 'image/tiff',
    name: 'TIFF',
    extensions: ['tif', 'tiff'],
    signatures: tiff,
    decoder: 'tiff',
    metadata: 'directories',
    sample:
      'SUkqABQAAADIHh4eyB4eHsjw8PAPAAABAwABAAAAAgAAAAEBAwABAAAAAgAAAAIBAwADAAAA3gAAAAMBAwABAAAAAQAAAAYBAwABAAAAAgAAABEBBAABAAAACAAAABIBAwABAAAAAQAAABUBAwABAAAAAwAAABYBAwABAAAAAAEAABcBBAABAAAADAAAABoBBQABAAAAzgAAABsBBQABAAAA1gAAABwBAwABAAAAAQAAACgBAwABAAAAAgAAAFMBAwADAAAA5AAAAAAAAAAzM8sAAAAIADMzywAAAAgACAAIAAgAAQABAAEA',
  },
  {
    contentType: 'image/avif',
    name: 'AVIF',
    extensions: ['avif', 'avifs'],
    signatures: branded('avif', 'avis'),
    decoder: 'heif',
    metadata: 'file',
    isDisplayable: true,
    sample:
      'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA-gABAAAAAAAAACwAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAABAAAAAQAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAA0bWRhdBIACgg4DP_aQENBpDIeHEJi5OAAFhIAdNaeZzXSkuEzmtPAvC51F_VKdKrO',
  },
  {
    contentType: 'image/heic',
    name: 'HEIC',
    extensions: ['heic', 'heics', 'hif'],
    signatures: branded('heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'),
    decoder: 'heif',
    package: LIBHEIF,
    metadata: 'file',
    film: 'box',
    sample:
      'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAa1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAACAAAAEGlkYXQAAAAAAAIAAgAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHRAAEAAAAAAAAALAACAAEAAAAAAAAAAQAAAAAAAAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAAAgAAZ3JpZAAAAADYaXBycAAAALZpcGNvAAAAdmh2Y0MBA3AAAAAAAAAAAAAe8AD8_fj4AAAPAyAAAQAYQAEMAf__A3AAAAMAkAAAAwAAAwAeugJAIQABACpCAQEDcAAAAwCQAAADAAADAB6gIIEFluqumubgQEDAgAAAAwCAAAADAIQiAAEABkQBwXPBiQAAABRpc3BlAAAAAAAAAEAAAABAAAAAFGlzcGUAAAAAAAAAAgAAAAIAAAAQcGl4aQAAAAADCAgIAAAAGmlwbWEAAAAAAAAAAgABAoECAAICA4QAAAAaaXJlZgAAAAAAAAAOZGltZwACAAEAAQAAADRtZGF0AAAAKCgBrwQSFecc_WnUy3u37Oyb1snEBEUnhPQEjshBkEJgvx-KCLtLYCA',
  },
  {
    contentType: 'image/heif',
    name: 'HEIF',
    extensions: ['heif', 'heifs'],
    signatures: branded('mif1', 'msf1'),
    decoder: 'heif',
    package: LIBHEIF,
    metadata: 'file',
    film: 'box',
  },
  {
    contentType: 'image/jxl',
    name: 'JPEG XL',
    extensions: ['jxl'],
    // A codestream on its own, or in a container.
    signatures: begins('\xff\x0a', '\0\0\0\x0cJXL \r\n\x87\n'),
    decoder: 'jxl',
    package: 'jxl-oxide-wasm',
    metadata: 'decoder',
    // Cameras have up to 102 megapixels; a slow core takes 45 seconds for these.
    maxPixels: 104_000_000,
    sample: '_woIEBBQXAgIAgEAfABLGIsVUlwXnGMh2w1FOPww4QfY801bGp3pfn8VioMC',
  },
  ...rawFormats,
];

type OtherFormat = Pick<PictureFormat, 'contentType' | 'name' | 'extensions' | 'signatures'>;

const other = (
  contentType: string,
  name: string,
  extensions: readonly string[],
  signatures: readonly Signature[],
): OtherFormat => ({ contentType, name, extensions, signatures });

/** Pictures that are not accepted, so that they can be called by their names. */
export const otherFormats: readonly OtherFormat[] = [
  other('image/avci', 'AVCI', ['avci', 'avcs'], branded('avci', 'avcs')),
  other('image/bmp', 'BMP', ['bmp', 'dib'], []),
  other(
    'image/jp2',
    'JPEG 2000',
    ['jp2', 'j2k', 'jpf', 'jpx', 'jpm', 'j2c', 'jpc'],
    begins('\0\0\0\x0cjP  ', '\xff\x4f\xff\x51'),
  ),
  other('image/jls', 'JPEG-LS', ['jls'], begins('\xff\xd8\xff\xf7')),
  other('image/vnd.adobe.photoshop', 'PSD', ['psd', 'psb'], begins('8BPS')),
  other('image/x-exr', 'EXR', ['exr'], begins('\x76\x2f\x31\x01')),
  other('image/vnd.radiance', 'HDR', ['hdr'], begins('#?RADIANCE', '#?RGBE')),
  // Its first bytes have no signature.
  other('image/x-tga', 'TGA', ['tga'], []),
  other('image/x-canon-crw', 'CRW', ['crw'], together([0, 'II'], [6, 'HEAPCCDR'])),
  other('image/x-sigma-x3f', 'X3F', ['x3f'], begins('FOVb')),
  other('image/x-minolta-mrw', 'MRW', ['mrw'], begins('\0MRM')),
  other('image/x-phaseone-iiq', 'IIQ', ['iiq'], [...together([8, 'IIII'], [13, 'waR']), ...together([8, 'MMMMRaw'])]),
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

export function formatOf(contentType: string): PictureFormat | undefined {
  return acceptedFormats.find((format) => format.contentType === contentType);
}

/** For people: `JPEG, …, GIF and raw files of cameras (DNG, …)`. */
export const formatNames: string = [
  acceptedFormats.filter((format) => !rawFormats.includes(format)).map(({ name }) => name),
  [`raw files of cameras (${rawFormats.map(({ name }) => name).join(', ')})`],
]
  .map((names) => names.join(', '))
  .join(' and ');
