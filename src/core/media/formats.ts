/** A kind of picture that is accepted. */
export interface PictureFormat {
  readonly contentType: string;
  /** For people. */
  readonly name: string;
  /** Of file names, without a dot, in lower case. Files are recognized by their bytes: these are for finding and selecting them. */
  readonly extensions: readonly string[];
}

const raw = (name: string, maker: string): PictureFormat => ({
  contentType: `image/x-${maker}-${name.toLowerCase()}`,
  name,
  extensions: [name.toLowerCase()],
});

/** Raw files of cameras, whose embedded preview is the picture. */
const rawFormats: readonly PictureFormat[] = [
  raw('DNG', 'adobe'),
  raw('CR2', 'canon'),
  raw('CR3', 'canon'),
  raw('NEF', 'nikon'),
  raw('ARW', 'sony'),
  raw('RAF', 'fuji'),
  raw('ORF', 'olympus'),
  raw('RW2', 'panasonic'),
];

/** All accepted formats. A build may lack some of them: `MediaReader.formats`. */
export const acceptedFormats: readonly PictureFormat[] = [
  { contentType: 'image/jpeg', name: 'JPEG', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'] },
  { contentType: 'image/png', name: 'PNG', extensions: ['png'] },
  { contentType: 'image/webp', name: 'WebP', extensions: ['webp'] },
  { contentType: 'image/gif', name: 'GIF', extensions: ['gif'] },
  { contentType: 'image/tiff', name: 'TIFF', extensions: ['tif', 'tiff'] },
  { contentType: 'image/avif', name: 'AVIF', extensions: ['avif'] },
  { contentType: 'image/heic', name: 'HEIC', extensions: ['heic'] },
  { contentType: 'image/heif', name: 'HEIF', extensions: ['heif'] },
  ...rawFormats,
];

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
