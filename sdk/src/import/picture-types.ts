/** Content types of the files that may be photos, by the extensions of their names. */
export const pictureTypes: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpe: 'image/jpeg',
  jfif: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  avif: 'image/avif',
  heic: 'image/heic',
  heif: 'image/heif',
  dng: 'image/x-adobe-dng',
  cr2: 'image/x-canon-cr2',
  cr3: 'image/x-canon-cr3',
  nef: 'image/x-nikon-nef',
  arw: 'image/x-sony-arw',
  raf: 'image/x-fuji-raf',
  orf: 'image/x-olympus-orf',
  rw2: 'image/x-panasonic-rw2',
};

/** What a file of this name probably contains; null when it does not look like a photo. */
export function typeByName(name: string): string | null {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(pictureTypes, extension) ? (pictureTypes[extension] ?? null) : null;
}

/** Whether a service that accepts `formats` is certain to refuse a file of this name: one of HEIC and raw files, which not every service accepts. */
export function isRefused(name: string, formats: readonly string[]): boolean {
  const type = typeByName(name);
  return type !== null && /hei[cf]|image\/x-/.test(type) && !formats.includes(type);
}
