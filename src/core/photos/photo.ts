import type { ExpectedBytes } from '../blobs/verified-blobs.js';
import { type CaptureTime, fromWallClock, isLocalTime, isTimeZone, parseInstant } from '../media/capture-time.js';
import { type FieldValues, type GivenValues, givenErrors, type Range } from '../media/photo-fields.js';
import type { Camera, Companion, Exposure } from '../media/picture-metadata.js';
import { type Focus, turnFocus } from '../media/transformation.js';
import { after, DAY, SECOND } from '../shared/clock.js';
import { type FieldError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { CONTROL_CHARACTERS, normalized, textErrors, verbatimErrors } from '../shared/text.js';
import type { TagName } from '../tags/tag.js';
import type { Place } from './places.js';

/** A photo as it is stored. Its bytes are at `blobKey`, which no client ever sees or can write. */
export interface Photo extends FieldValues, CaptureTime {
  readonly id: Id;
  readonly customerId: Id;
  readonly filename: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** 64 hex digits. */
  readonly sha256: string;
  /** 0, except for the deliberate duplicates of an import with `duplicatePolicy: allow`: (customer, sha256, dupSeq) is unique. */
  readonly dupSeq: number;
  readonly blobKey: string;
  /** Pixels as displayed: after orientation and rotation. */
  readonly width: number;
  readonly height: number;
  /** EXIF value in effect, 1 to 8. */
  readonly orientation: number;
  readonly rotation: Rotation;
  /** The point that crops keep in view, as the picture is displayed. */
  readonly focus: Focus | null;
  readonly alpha: boolean;
  readonly place: Place | null;
  readonly camera: Camera | null;
  readonly exposure: Exposure | null;
  readonly companion: Companion | null;
  readonly metadata: Metadata;
  readonly importId: Id | null;
  readonly damaged: boolean;
  /** Since when the stored original is known to be missing or damaged (integrity/); null: no damage known, or imported again (imports/publish.ts). */
  readonly originalLostAt: Date | null;
  readonly thumbhash: string | null;
  readonly dominantColor: string | null;
  /** 16 hex digits, of the upright picture before `rotation`; null of a plain picture. */
  readonly phash: string | null;
  /**
   * The bytes of the thumb in the photo's own rotation, which a power failure may have spoilt: any others are made again. Null for a photo of an
   * earlier release.
   */
  readonly thumb: ExpectedBytes | null;
  readonly trashedAt: Date | null;
  /** When a trashed photo is deleted permanently. */
  readonly purgeAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

/** With its tags, sorted by name, as queries return it. */
export interface PhotoWithTags extends Photo {
  readonly tags: readonly TagName[];
}

/** Degrees clockwise. */
export const rotations = [0, 90, 180, 270] as const;
export type Rotation = (typeof rotations)[number];

export function isRotation(degrees: unknown): degrees is Rotation {
  return (rotations as readonly unknown[]).includes(degrees);
}

export type Metadata = Readonly<Record<string, string>>;

export function isTrashed(photo: Pick<Photo, 'trashedAt'>): boolean {
  return photo.trashedAt !== null;
}

/** Can be restored for `retentionDays` from now. */
export function trash(photo: Photo, at: Date, retentionDays: number): Photo {
  return { ...photo, trashedAt: at, purgeAt: after(at, retentionDays * DAY) };
}

export function restore(photo: Photo): Photo {
  return { ...photo, trashedAt: null, purgeAt: null };
}

/** Its stored original is missing or damaged. Importing the same bytes again restores it. */
export function markLost(photo: Photo, at: Date): Photo {
  return { ...photo, originalLostAt: photo.originalLostAt ?? at };
}

/** Its original is intact again, at `blobKey`. */
export function markRecovered(photo: Photo, blobKey = photo.blobKey): Photo {
  return { ...photo, blobKey, originalLostAt: null };
}

/** A quarter turn swaps width and height. The focus stays on what it was on. */
export function rotate(photo: Photo, rotation: Rotation): Photo {
  const quarter = (rotation - photo.rotation) % 180 !== 0;
  return {
    ...photo,
    rotation,
    width: quarter ? photo.height : photo.width,
    height: quarter ? photo.width : photo.height,
    focus: photo.focus && turnFocus(photo.focus, rotation - photo.rotation),
  };
}

/** The input for a photo: types are right, values are not validated yet. An absent field was not sent. */
export interface PhotoInput extends GivenValues {
  readonly filename?: string | undefined;
  readonly takenAt?: string | null | undefined;
  readonly takenAtLocal?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
  /** In a patch, null removes the key. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
}

/** All problems with the values, with `prefix` before each field's name. */
export function inputErrors(input: PhotoInput, prefix = ''): FieldError[] {
  return [
    ...filenameErrors(`${prefix}filename`, input.filename),
    ...givenErrors(input, prefix),
    ...timeErrors(prefix, input),
    ...metadataErrors(`${prefix}metadata`, input.metadata),
  ];
}

/** In code points, as it is stored. */
export const MAX_FILENAME = 255;

/**
 * The name of a file as it is stored. `filenameErrors` says which characters it may not have. What is sent to browsers, or written to disks, is made
 * safe for them by `fileName` (cli/src/file-name.ts).
 */
export function cleanFilename(filename: string): string {
  return normalized(filename, 'NFC').trim();
}

function filenameErrors(field: string, filename: string | undefined): FieldError[] {
  if (filename === undefined) return [];
  const name = cleanFilename(filename);
  if (name === '') {
    const message = `${field} must have 1 to ${MAX_FILENAME} characters.`;
    return [{ field, code: 'too_short', message, min: 1, max: MAX_FILENAME }];
  }
  if (CONTROL_CHARACTERS.test(name) || /[/\\]/.test(name) || name === '.' || name === '..' || !name.isWellFormed()) {
    const message = `${field} must be a plain file name: no / or \\, no control characters, and not . or ..`;
    return [{ field, code: 'invalid_format', message }];
  }
  return textErrors(field, filename, MAX_FILENAME);
}

function timeErrors(prefix: string, input: PhotoInput): FieldError[] {
  const { takenAt, takenAtLocal, timeZone } = input;
  if (takenAt !== undefined && (takenAtLocal !== undefined || timeZone !== undefined)) {
    const message = 'Send either takenAt, with its UTC offset, or takenAtLocal with timeZone.';
    return [{ field: `${prefix}takenAt`, code: 'conflict', message }];
  }
  const isWallClock = takenAtLocal && timeZone && isLocalTime(takenAtLocal) && isTimeZone(timeZone);
  // In some zone, the clocks of the first and the last day show an instant that RFC 3339 cannot express.
  const isBeyond = isWallClock && fromWallClock(takenAtLocal, timeZone) === null;
  return [
    ...formatErrors(`${prefix}takenAt`, takenAt, (text) => parseInstant(text) !== null, '2026-11-21T03:04:05+01:00'),
    ...formatErrors(`${prefix}takenAtLocal`, takenAtLocal, isLocalTime, '2026-11-21T03:04:05'),
    ...formatErrors(`${prefix}timeZone`, timeZone, isTimeZone, '+01:00 or Europe/Paris'),
    ...(isBeyond ? [beyondYears(`${prefix}takenAtLocal`)] : []),
  ];
}

export function beyondYears(field: string): FieldError {
  return { field, code: 'out_of_range', message: `${field} must be in the years 0001 to 9999 in UTC.` };
}

function formatErrors(
  field: string,
  text: string | null | undefined,
  isRight: (text: string) => boolean,
  example: string,
): FieldError[] {
  if (text === null || text === undefined || isRight(text)) return [];
  return [{ field, code: 'invalid_format', message: `${field} must look like ${example}.` }];
}

export const MAX_METADATA_KEYS = 50;
export const MAX_METADATA_VALUE = 500;

function metadataErrors(field: string, metadata: PhotoInput['metadata']): FieldError[] {
  const entries = Object.entries(metadata ?? {});
  // Drops those that are null.
  if (entries.filter(([, value]) => value !== null).length > MAX_METADATA_KEYS) return [tooManyKeys(field)];
  return entries.flatMap(([key, value]): FieldError[] => {
    if (/^[A-Za-z0-9_.-]{1,40}$/.test(key)) return verbatimErrors(`${field}.${key}`, value, MAX_METADATA_VALUE);
    const message = 'A metadata key must have 1 to 40 of the characters A-Z a-z 0-9 _ . -';
    return [{ field: `${field}.${key}`, code: 'invalid_format', message }];
  });
}

/**
 * The values to store: the client's values replace those of the file key by key, and null removes one. Errors: `invalid_request`
 * (`too_many`).
 */
export function mergedMetadata(current: Metadata, given: PhotoInput['metadata']): Metadata {
  const merged = Object.entries({ ...current, ...given }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  if (merged.length > MAX_METADATA_KEYS) throw invalid(tooManyKeys('metadata'));
  return Object.fromEntries(merged);
}

function tooManyKeys(field: string): FieldError {
  const message = `${field} can have at most ${MAX_METADATA_KEYS} keys.`;
  return { field, code: 'too_many', message, max: MAX_METADATA_KEYS };
}

/** From the left or the top of a picture to its right or bottom. */
export const focusPoints: Range = { min: 0, max: 1 };

/** By which a capture time can be moved in either direction: a century of days. */
export const MAX_SHIFT_SECONDS = (36_525 * DAY) / SECOND;
