import { type FieldError, invalid } from '../shared/errors.js';
import { cleanText, codePoints } from '../shared/text.js';
import { textErrors } from '../shared/text-errors.js';
import { MAX_PASSWORD } from '../users/user.js';
import { MAX_SHARE_TITLE, MAX_UPLOAD_BYTES, MAX_UPLOAD_FILES, MIN_SHARE_PASSWORD, type Share } from './share.js';

/** What people choose, and may change later. */
export interface ShareSettings
  extends Pick<Share, 'title' | 'mayDownload' | 'expiresAt' | 'uploadFilesLimit' | 'uploadBytesLimit'> {
  /** Null: none. */
  readonly password: string | null;
}

/** All problems with the values. Absent ones are not examined. */
export function settingsErrors(settings: Partial<ShareSettings>, now: Date): FieldError[] {
  const { title, expiresAt, password, uploadFilesLimit, uploadBytesLimit } = settings;
  return [
    ...titleErrors(title),
    ...expiryErrors(expiresAt, now),
    ...passwordErrors(password),
    ...limitErrors('uploadFilesLimit', uploadFilesLimit, MAX_UPLOAD_FILES),
    ...limitErrors('uploadBytesLimit', uploadBytesLimit, MAX_UPLOAD_BYTES),
  ];
}

/** Errors: `invalid_request`. */
export function requireNone(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(...errors);
}

function titleErrors(title: string | undefined): FieldError[] {
  if (title === undefined || cleanText(title) !== '') return textErrors('title', title, MAX_SHARE_TITLE);
  return [{ field: 'title', code: 'too_short', message: 'title must not be empty.', min: 1 }];
}

function limitErrors(field: string, limit: number | undefined, max: number): FieldError[] {
  if (limit === undefined || (Number.isInteger(limit) && limit >= 0 && limit <= max)) return [];
  return [{ field, code: 'out_of_range', message: `${field} must be a whole number from 0 to ${max}.`, min: 0, max }];
}

function expiryErrors(expiresAt: Date | null | undefined, now: Date): FieldError[] {
  if (expiresAt === null || expiresAt === undefined || expiresAt.getTime() > now.getTime()) return [];
  return [{ field: 'expiresAt', code: 'out_of_range', message: 'expiresAt must be in the future.' }];
}

function passwordErrors(password: string | null | undefined): FieldError[] {
  if (password === null || password === undefined) return [];
  const [field, length] = ['password', codePoints(password)];
  if (length < MIN_SHARE_PASSWORD) {
    const message = `password must have at least ${MIN_SHARE_PASSWORD} characters.`;
    return [{ field, code: 'too_short', message, min: MIN_SHARE_PASSWORD }];
  }
  if (length <= MAX_PASSWORD) return [];
  return [
    { field, code: 'too_long', message: `password can have at most ${MAX_PASSWORD} characters.`, max: MAX_PASSWORD },
  ];
}
