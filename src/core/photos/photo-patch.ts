import { type CaptureTime, fromInstant, fromWallClock, shiftLocalTime, UNKNOWN_TIME } from '../media/capture-time.js';
import { type ClientField, clientFields, patchedValues, valuesOf } from '../media/photo-fields.js';
import type { Focus } from '../media/transformation.js';
import { type FieldError, invalid } from '../shared/errors.js';
import type { Reader } from '../shared/transactional.js';
import { isRotation, type Photo, restore, rotate } from './photo.js';
import {
  beyondYears,
  cleanFilename,
  focusErrors,
  inputErrors,
  mergedMetadata,
  type PhotoInput,
  shiftErrors,
} from './photo-values.js';

export interface PhotoPatch extends PhotoInput {
  /** Moves the wall clock of a photo and keeps its zone. A photo without a capture time stays as it is. */
  readonly shiftTakenAt?: { readonly seconds: number } | undefined;
  readonly rotation?: number | undefined;
  /** A point of the picture as the patch leaves it, if it is also rotated. */
  readonly focus?: Focus | null | undefined;
  /** False restores from the trash. */
  readonly trashed?: boolean | undefined;
}

const captureTime = ['takenAt', 'takenAtLocal', 'timeZone', 'takenAtSource'] as const;

/** The fields of a photo that a patch of one of them changes, besides its version: no other field does. */
export const changedBy = {
  ...(valuesOf(clientFields, (name) => [name]) as { readonly [Name in ClientField]: readonly [Name] }),
  filename: ['filename'],
  location: ['location', 'place'],
  takenAt: captureTime,
  takenAtLocal: captureTime,
  timeZone: captureTime,
  shiftTakenAt: captureTime,
  rotation: ['rotation', 'width', 'height', 'focus'],
  focus: ['focus'],
  metadata: ['metadata'],
  trashed: ['trashedAt', 'purgeAt'],
} as const satisfies Readonly<Record<keyof PhotoPatch, readonly (keyof Photo)[]>>;

/** Problems with a patch that do not depend on the photo. */
export function patchErrors(patch: PhotoPatch) {
  const errors = [...inputErrors(patch), ...focusErrors('focus', patch.focus)];
  errors.push(...shiftErrors('shiftTakenAt.seconds', patch.shiftTakenAt?.seconds));
  const { takenAt, takenAtLocal, timeZone } = patch;
  if (patch.shiftTakenAt !== undefined && [takenAt, takenAtLocal, timeZone].some((value) => value !== undefined)) {
    const message = 'Send either shiftTakenAt, or the new values of takenAt, takenAtLocal and timeZone.';
    errors.push({ field: 'shiftTakenAt', code: 'conflict', message });
  }
  if (patch.rotation !== undefined && !isRotation(patch.rotation)) {
    errors.push({
      field: 'rotation',
      code: 'out_of_range',
      message: 'rotation must be 0, 90, 180 or 270 degrees clockwise.',
    });
  }
  if (patch.trashed === true) {
    const message = 'To move a photo to the trash, delete it, which requires the scope photos:delete.';
    errors.push({ field: 'trashed', code: 'read_only', message });
  }
  return errors;
}

/** The photo with what a patch without errors says. Errors: `invalid_request`, for a capture time that the photo's own rules out. */
export async function applyPatch(transaction: Reader<'customer'>, photo: Photo, patch: PhotoPatch): Promise<Photo> {
  const now = isRotation(patch.rotation) ? rotate(photo, patch.rotation) : photo;
  return {
    ...(patch.trashed === false ? restore(now) : now),
    filename: patch.filename === undefined ? photo.filename : cleanFilename(patch.filename),
    ...patchedValues(photo, patch),
    focus: patch.focus === undefined ? now.focus : patch.focus && { x: patch.focus.x, y: patch.focus.y },
    metadata: mergedMetadata(photo.metadata, patch.metadata),
    ...(await captureTimeAfter(transaction, photo, patch)),
  };
}

/**
 * Setting the zone alone keeps the wall clock and moves the instant; setting or shifting the wall clock alone keeps the zone. A bulk edit
 * shifts the clock and sets the zone in one patch.
 */
async function captureTimeAfter(
  transaction: Reader<'customer'>,
  photo: Photo,
  patch: PhotoPatch,
): Promise<CaptureTime> {
  const { takenAt, takenAtLocal, timeZone, shiftTakenAt } = patch;
  if (takenAt === null || takenAtLocal === null) return UNKNOWN_TIME;
  if (takenAt !== undefined) return unlessSame(photo, fromInstant(takenAt) ?? UNKNOWN_TIME);
  if (takenAtLocal === undefined && timeZone === undefined && shiftTakenAt === undefined) return timeOf(photo);
  const local = takenAtLocal ?? photo.takenAtLocal;
  // A photo without a capture time has no zone either, and no clock to shift.
  if (local === null && (timeZone === null || shiftTakenAt !== undefined)) return timeOf(photo);
  if (local === null) {
    const message = 'This photo has no capture time: send both takenAtLocal and timeZone.';
    throw invalid({ field: 'takenAtLocal', code: 'required', message });
  }
  const zone = timeZone === undefined ? photo.timeZone : timeZone;
  const clock = shiftTakenAt === undefined ? local : shiftLocalTime(local, shiftTakenAt.seconds);
  const time = fromWallClock(clock, zone ?? (await transaction.customer.read()).defaultTimeZone);
  if (time === null) throw invalid(shiftTakenAt === undefined ? beyondYears('takenAtLocal') : shiftedBeyondYears);
  return unlessSame(photo, time);
}

const shiftedBeyondYears: FieldError = {
  field: 'shiftTakenAt.seconds',
  code: 'out_of_range',
  message: 'shiftTakenAt.seconds moves the capture time of this photo out of the years 0001 to 9999 in UTC.',
};

/** Setting a value to what it is already is no change: the source stays. */
function unlessSame(photo: Photo, time: CaptureTime): CaptureTime {
  const same = time.takenAtLocal === photo.takenAtLocal && time.timeZone === photo.timeZone;
  return same ? timeOf(photo) : time;
}

function timeOf({ takenAt, takenAtLocal, timeZone, takenAtSource }: Photo): CaptureTime {
  return { takenAt, takenAtLocal, timeZone, takenAtSource };
}
