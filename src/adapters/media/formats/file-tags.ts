import { cleanText, truncate } from '../../../core/shared/text.js';

/** One tag as returned by ExifReader: `value` as in the file, `description` for people. Untrusted: any of it may be anything. */
export interface Tag {
  readonly value?: unknown;
  readonly description?: unknown;
}

/** Tags by name. The names in XMP are the file's own, without their namespace. */
export interface FileTags {
  readonly exif: Readonly<Record<string, Tag>>;
  readonly xmp: Readonly<Record<string, Tag>>;
  readonly iptc: Readonly<Record<string, Tag>>;
}

/** Text of a tag, cleaned and truncated to `max` code points; null when it is missing or empty. */
export function textOf(tag: Tag | undefined, max: number): string | null {
  return cut(writtenText(tag?.value) ?? (typeof tag?.description === 'string' ? tag.description : ''), max);
}

/** Text, cleaned and truncated; null when nothing is left of it. */
export function cut(written: string, max: number): string | null {
  const text = truncate(cleanText(written), max).trim();
  return text === '' ? null : text;
}

/** EXIF has a list of one string; XMP a string, or the same text in several languages, of which the default is used. */
function writtenText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const items: readonly unknown[] = value;
  const inLanguage = items.find((item) => languageOf(item) === 'x-default') ?? items[0];
  if (typeof inLanguage === 'string') return inLanguage;
  return typeof inLanguage === 'object' && inLanguage !== null && 'value' in inLanguage
    ? writtenText(inLanguage.value)
    : null;
}

function languageOf(item: unknown): unknown {
  const { attributes } = Object(item) as { attributes?: unknown };
  return (Object(attributes) as { lang?: unknown }).lang;
}

/** A number, or text that is one; null for everything else. */
export function numberOf(tag: Tag | undefined): number | null {
  const value = typeof tag?.value === 'string' && tag.value.trim() !== '' ? Number(tag.value) : tag?.value;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A number, or numerator ÷ denominator, or the first of several numbers; null for everything else, n/0 included. */
export function rationalOf(tag: Tag | undefined): number | null {
  const value = tag?.value;
  if (!Array.isArray(value)) return numberOf(tag);
  const [first, second]: unknown[] = value;
  if (typeof first !== 'number') return null;
  const quotient = value.length === 2 && typeof second === 'number' ? first / second : first;
  return Number.isFinite(quotient) ? quotient : null;
}

/** The first of several values: some cameras write two of what should be one. */
export function firstOf(tag: Tag | undefined): Tag | undefined {
  return Array.isArray(tag?.value) ? { value: tag.value[0] } : tag;
}

/** A number in this range; null for everything else. */
export function within(tag: Tag | undefined, min: number, max: number): number | null {
  const value = rationalOf(tag);
  return value !== null && value >= min && value <= max ? value : null;
}
