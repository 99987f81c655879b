import type { ExifTags } from '../../core/photos/photo.js';
import { cleanText, cut } from '../../core/shared/text.js';
import type { FileTags, Tag } from './tags.js';

/** As JSON, in bytes. */
const MAX_BYTES = 64 * 1024;
const MAX_TEXT = 1000;

/** Means of finding other tags, padding, and what only the camera's maker can read. */
const LEFT_OUT =
  /pointer|offset(?!time)|padding|makernote|thumbnail|^about$|^_raw$|applicationnotes|interchangeformat|subifds|iptc-naa|^icc|photoshopsettings|imagesourcedata|^strip|^tile/i;

/**
 * All tags on one level: EXIF's by their names, others as `XMP:…` and `IPTC:…`. Numbers stay numbers, all else is text for people.
 * Binary values are left out; what does not fit into 64 KiB is left out from the end.
 */
export function flatTags({ exif, xmp, iptc }: FileTags): ExifTags {
  const flat: [string, string | number][] = [];
  let size = 2;
  for (const [prefix, group] of [
    ['', exif],
    ['XMP:', xmp],
    ['IPTC:', iptc],
  ] as const) {
    for (const [name, tag] of Object.entries(group)) {
      const value =
        LEFT_OUT.test(name.replaceAll(' ', '')) || !/^[\w .:/()-]{1,80}$/.test(name) ? null : flatValue(tag);
      if (value === null) continue;
      const bytes = Buffer.byteLength(JSON.stringify([prefix + name, value]));
      if (size + bytes > MAX_BYTES) return Object.fromEntries(flat);
      flat.push([prefix + name, value]);
      size += bytes;
    }
  }
  return Object.fromEntries(flat);
}

function flatValue({ value, description }: Tag): string | number | null {
  if (typeof description === 'number') return Number.isFinite(description) ? description : null;
  if (typeof description !== 'string' || isBinary(value, description)) return null;
  const text = cut(cleanText(description), MAX_TEXT);
  if (text === '') return null;
  return typeof value === 'number' && String(value) === text ? value : text;
}

/** A list of bytes for which there is no better text than the numbers themselves, or a remark in brackets. */
function isBinary(value: unknown, description: string): boolean {
  if (!Array.isArray(value) || value.length <= 16 || !value.every((item) => typeof item === 'number')) return false;
  return description.startsWith('[') || description.startsWith(value.slice(0, 16).join(', '));
}
