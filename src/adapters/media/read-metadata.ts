import { open, readFile } from 'node:fs/promises';
import ExifReader from 'exifreader';
import { isRawType } from '../../core/media/formats.js';
import { jpegAroundIptc, type SplitMetadata, splitMetadata } from './jpeg-metadata.js';
import { metadataOf, type PictureMetadata } from './metadata.js';
import type { MetadataSource } from './metadata-reader.js';
import type { FileTags } from './tags.js';

/** Of each of EXIF, XMP and IPTC, inflated. Nothing that is read here needs more; depth maps in XMP do. */
const MAX_BYTES = 1024 * 1024;

const options = {
  expanded: true,
  includeTags: { exif: true, iptc: true },
  decompress: { maxDecompressedSize: MAX_BYTES },
} as const;

/** What cannot be read is treated as absent. Takes as long, and as much memory, as the file makes it: run it where both are limited. */
export async function readMetadata({ xmp, ...source }: MetadataSource): Promise<PictureMetadata> {
  // A file without any EXIF or IPTC is an error to ExifReader, and may still have XMP.
  const inFile = await tagsIn(source).catch(() => ({}));
  return metadataOf({ exif: {}, iptc: {}, ...inFile, xmp: xmp ? xmpTags(xmp) : {} } as FileTags);
}

type Tags = Partial<Pick<FileTags, 'exif' | 'iptc'>>;

async function tagsIn({ path, contentType, exif }: Omit<MetadataSource, 'xmp'>): Promise<Tags> {
  if (isRawType(contentType)) return rawTags(path, exif);
  if (contentType === 'image/tiff') return tiffTags(path);
  // In a WebP, EXIF follows the picture, where ExifReader does not look unless it is given the whole file; libvips does.
  if (contentType === 'image/webp') return exif ? exifTags(exif) : {};
  const tags = await fileTags(path).catch((): Tags => ({}));
  return contentType === 'image/jpeg' ? { ...tags, ...(await splitTags(path).catch((): Tags => ({}))) } : tags;
}

/** What a raw file itself does not say may be in its preview: of some makers, all of it. */
async function rawTags(preview: string, exif: Uint8Array | undefined): Promise<Tags> {
  const inPreview = await tagsIn({ path: preview, contentType: 'image/jpeg', exif: undefined });
  return exif ? { ...inPreview, exif: { ...inPreview.exif, ...exifTags(exif).exif } } : inPreview;
}

/** For a JPEG whose metadata spans several segments: ExifReader takes one of them for all. */
async function splitTags(path: string): Promise<Tags> {
  const file = await open(path, 'r');
  let split: SplitMetadata;
  try {
    split = await splitMetadata(file, MAX_BYTES);
  } finally {
    await file.close();
  }
  const around = split.iptc && jpegAroundIptc(split.iptc);
  return { ...(split.exif && exifTags(split.exif)), ...(around && iptcTags(around)) };
}

/** EXIF on its own: a TIFF, in some containers with the prefix that it has in JPEG. */
function exifTags(bytes: Uint8Array): Tags {
  if (bytes.length > MAX_BYTES) return {};
  const hasPrefix = new TextDecoder('latin1').decode(bytes.subarray(0, 4)) === 'Exif';
  const { exif } = ExifReader.load(Buffer.from(hasPrefix ? bytes.subarray(6) : bytes), options);
  return (exif ? { exif } : {}) as Tags;
}

function iptcTags(jpeg: Buffer): Tags {
  const { iptc } = ExifReader.load(jpeg, options);
  return (iptc ? { iptc } : {}) as Tags;
}

async function fileTags(path: string): Promise<Tags> {
  // `auto` reads the parts of the file that contain metadata, not the whole.
  const { exif, iptc, metadataRange } = await ExifReader.load(path, {
    ...options,
    includeOffsets: true,
    length: 'auto',
  });
  const sizeOf = (type: string) =>
    (metadataRange?.blocks ?? []).reduce((sum, block) => sum + (block.type === type ? block.end - block.start : 0), 0);
  return {
    ...(exif && sizeOf('exif') <= MAX_BYTES ? { exif } : {}),
    ...(iptc && sizeOf('iptc') <= MAX_BYTES ? { iptc } : {}),
  } as Tags;
}

/** A TIFF's directory and its values may be anywhere in it. */
async function tiffTags(path: string): Promise<Tags> {
  const { exif, iptc } = ExifReader.load(await readFile(path), options);
  return { ...(exif ? { exif } : {}), ...(iptc ? { iptc } : {}) } as Tags;
}

const PACKET = '<?xpacket begin';

/** libvips finds and inflates XMP in every container, ExifReader does not; it reads XMP by itself when it begins as a packet. */
function xmpTags(xmp: Uint8Array): object {
  if (xmp.length > MAX_BYTES) return {};
  const text = new TextDecoder().decode(xmp).trimStart();
  const packet = text.startsWith(PACKET) ? text : `${PACKET}="" id=""?>${text}`;
  try {
    return ExifReader.load(Buffer.from(packet), { expanded: true, includeTags: { xmp: true } }).xmp ?? {};
  } catch {
    return {};
  }
}
