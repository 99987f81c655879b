import { fromWallClock, isLocalTime, isTimeZone, parseInstant } from '../media/capture-time.js';
import { type GivenValues, givenErrors, type Range, rangeErrors } from '../media/photo-fields.js';
import type { Focus } from '../media/transformation.js';
import { DAY, SECOND } from '../shared/clock.js';
import { type FieldError, invalid } from '../shared/errors.js';
import { CONTROL_CHARACTERS, normalized, textErrors, verbatimErrors } from '../shared/text.js';
import type { Metadata } from './photo.js';

/** The input for a photo: types are right, values are not validated yet. An absent field was not sent. */
export interface PhotoInput extends GivenValues {
  readonly filename?: string | undefined;
  readonly takenAt?: string | null | undefined;
  readonly takenAtLocal?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
  /** In a patch, null removes the key. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
}

/** In code points, as it is stored. */
export const MAX_FILENAME = 255;

/** From the left or the top of a picture to its right or bottom. */
export const focusPoints: Range = { min: 0, max: 1 };

/** By which a capture time can be moved in either direction: a century of days. */
export const MAX_SHIFT_SECONDS = (36_525 * DAY) / SECOND;

export const MAX_METADATA_KEYS = 50;
export const MAX_METADATA_VALUE = 500;

/** All problems with the values, with `prefix` before each field's name. */
export function inputErrors(input: PhotoInput, prefix = ''): FieldError[] {
  return [
    ...filenameErrors(`${prefix}filename`, input.filename),
    ...givenErrors(input, prefix),
    ...timeErrors(prefix, input),
    ...metadataErrors(`${prefix}metadata`, input.metadata),
  ];
}

export function focusErrors(field: string, focus: Focus | null | undefined): FieldError[] {
  if (focus === null || focus === undefined) return [];
  return [...rangeErrors(`${field}.x`, focus.x, focusPoints), ...rangeErrors(`${field}.y`, focus.y, focusPoints)];
}

export function shiftErrors(field: string, seconds: number | undefined): FieldError[] {
  const errors = [...rangeErrors(field, seconds, { min: -MAX_SHIFT_SECONDS, max: MAX_SHIFT_SECONDS, whole: true })];
  if (errors.length > 0 || seconds !== 0) return errors;
  return [{ field, code: 'out_of_range', message: `${field} must not be 0.` }];
}

export function cleanFilename(filename: string): string {
  return normalized(filename, 'NFC').trim();
}

function filenameErrors(field: string, filename: string | undefined): FieldError[] {
  if (filename === undefined) return [];
  const name = cleanFilename(filename);
  if (name === '')
    return [
      {
        field,
        code: 'too_short',
        message: `${field} must have 1 to ${MAX_FILENAME} characters.`,
        min: 1,
        max: MAX_FILENAME,
      },
    ];
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
  return [
    ...formatErrors(`${prefix}takenAt`, takenAt, (text) => parseInstant(text) !== null, '2026-11-21T03:04:05+01:00'),
    ...formatErrors(`${prefix}takenAtLocal`, takenAtLocal, isLocalTime, '2026-11-21T03:04:05'),
    ...formatErrors(`${prefix}timeZone`, timeZone, isTimeZone, '+01:00 or Europe/Paris'),
    ...yearErrors(`${prefix}takenAtLocal`, takenAtLocal, timeZone),
  ];
}

/** In some zone, the clocks of the first and the last day show an instant that RFC 3339 cannot express. */
function yearErrors(field: string, local: string | null | undefined, zone: string | null | undefined): FieldError[] {
  if (!local || !zone || !isLocalTime(local) || !isTimeZone(zone) || fromWallClock(local, zone) !== null) return [];
  return [beyondYears(field)];
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

function metadataErrors(field: string, metadata: PhotoInput['metadata']): FieldError[] {
  const entries = Object.entries(metadata ?? {});
  // Drops those that are null.
  if (entries.filter(([, value]) => value !== null).length > MAX_METADATA_KEYS) return [tooManyKeys(field)];
  return entries.flatMap(([key, value]): FieldError[] => {
    if (!/^[A-Za-z0-9_.-]{1,40}$/.test(key)) {
      return [
        {
          field: `${field}.${key}`,
          code: 'invalid_format',
          message: 'A metadata key must have 1 to 40 of the characters A-Z a-z 0-9 _ . -',
        },
      ];
    }
    return verbatimErrors(`${field}.${key}`, value, MAX_METADATA_VALUE);
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
  return {
    field,
    code: 'too_many',
    message: `${field} can have at most ${MAX_METADATA_KEYS} keys.`,
    max: MAX_METADATA_KEYS,
  };
}
