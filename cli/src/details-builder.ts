import type { PhotoDetails } from 'photo-service-sdk';

/** Something of a photo that does not come along, and why. */
export interface Loss {
  /** The name that the source gives it, such as `description` or `xmp:Label`. */
  readonly field: string;
  readonly reason: LossReason;
  /** The text that is lost, cut to a readable length. */
  readonly value?: string;
}

/** New ones may come. */
type LossReason =
  /** The API's limit of this field. */
  | 'too_long'
  | 'too_many'
  | 'invalid'
  /** Without its time of day, or without its zone. */
  | 'incomplete'
  /** The API has no place for it. */
  | 'not_supported'
  | 'unreadable'
  /** The program that it comes from derived it from the photo; no person wrote it. */
  | 'generated'
  /** The source says nothing of the photo but its name. */
  | 'missing'
  /** Another of several fields for the same detail was used. */
  | 'superseded';

// What the service takes of each photo.
const MAX_LENGTHS = { title: 255, description: 10_000, externalId: 255, creator: 255, copyright: 1000 };
const MAX_TAGS = 100;
const MAX_TAG_NAME = 100;
const MAX_METADATA_KEYS = 50;
const MAX_METADATA_VALUE = 500;

/**
 * Collects the details of a photo in the form that the service takes: one value that it would refuse would keep it from taking the photo. What
 * does not fit is among the losses.
 */
export class DetailsBuilder {
  readonly losses: Loss[] = [];
  private readonly fields: PhotoDetails = {};
  private readonly tags = new Map<string, string>();
  private readonly metadata = new Map<string, string>();

  lose(field: string, reason: LossReason, value?: string): void {
    this.losses.push({ field, reason, ...(value !== undefined && { value: cut(value, 200) }) });
  }

  /** A text of one line, but for descriptions and copyrights; empty ones are left out. */
  text(field: keyof typeof MAX_LENGTHS, text: string | null | undefined): void {
    const clean = field === 'description' || field === 'copyright' ? cleanText(text) : oneLine(text);
    if (clean !== '') this.fields[field] = this.fit(field, clean, MAX_LENGTHS[field]);
  }

  favorite(is: boolean | null | undefined): void {
    if (is === true) this.fields.favorite = true;
  }

  /** 0 to 5, rounded. */
  rating(stars: number | null | undefined): void {
    if (stars === null || stars === undefined) return;
    if (stars >= 0 && stars <= 5) this.fields.rating = Math.round(stars);
    else this.lose('rating', 'invalid', String(stars));
  }

  /** Degrees (WGS84) and metres. 0/0 is what programs write that know of none. */
  location(latitude: unknown, longitude: unknown, altitude?: unknown): void {
    if (latitude === 0 && longitude === 0) return;
    if (within(latitude, -90, 90) && within(longitude, -180, 180))
      this.fields.location = { latitude, longitude, ...(within(altitude, -12_000, 100_000) && { altitude }) };
    else this.lose('location', 'invalid', `${latitude}, ${longitude}`);
  }

  /** The moment with its offset, RFC 3339. */
  takenAt(instant: string): void {
    this.fields.takenAt = instant;
    delete this.fields.takenAtLocal;
    delete this.fields.timeZone;
  }

  /** The time on the camera's clock; without a zone the one that the file or the account has applies. */
  takenAtLocal(local: string, timeZone?: string): void {
    delete this.fields.takenAt;
    this.fields.takenAtLocal = local;
    if (timeZone !== undefined) this.fields.timeZone = timeZone;
  }

  tag(name: string): void {
    const clean = oneLine(name);
    const key = clean.normalize('NFKC').toLowerCase();
    if (clean === '' || this.tags.has(key)) return;
    if ([...clean].length > MAX_TAG_NAME) this.lose('tags', 'too_long', clean);
    else if (this.tags.size >= MAX_TAGS) this.lose('tags', 'too_many', clean);
    else this.tags.set(key, clean);
  }

  /** A value under a key of ours; empty values are left out. */
  note(key: string, value: string | null | undefined): void {
    if (value === null || value === undefined || value === '') return;
    if (this.metadata.size >= MAX_METADATA_KEYS && !this.metadata.has(key)) this.lose(key, 'too_many', value);
    else this.metadata.set(key, this.fit(key, cleanText(value), MAX_METADATA_VALUE));
  }

  build(): PhotoDetails {
    return {
      ...this.fields,
      ...(this.tags.size > 0 && { tagNames: [...this.tags.values()] }),
      ...(this.metadata.size > 0 && { metadata: Object.fromEntries(this.metadata) }),
    };
  }

  private fit(field: string, text: string, most: number): string {
    if ([...text].length <= most) return text;
    this.lose(field, 'too_long', text);
    return cut(text, most).trim();
  }
}

/** Returns the text as the service stores it, so that limits are measured alike. */
function cleanText(text: string | null | undefined): string {
  return (text ?? '').replaceAll('\u0000', '').toWellFormed().normalize('NFC').trim();
}

function oneLine(text: string | null | undefined): string {
  return cleanText(text)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : [...text].slice(0, most).join('');
}

function within(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most;
}
