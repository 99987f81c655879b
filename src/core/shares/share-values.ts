import { type FieldError, invalid } from '../shared/errors.js';
import { codePoints } from '../shared/text.js';
import { expiryErrors, requiredTextErrors } from '../shared/value-errors.js';
import { type PasswordStrength, strengthError } from '../users/password-strength.js';
import { MAX_PASSWORD } from '../users/user.js';
import { MAX_SHARE_TITLE, MAX_UPLOAD_BYTES, MAX_UPLOAD_FILES, MIN_SHARE_PASSWORD, type Share } from './share.js';

/** What people choose, and may change later. */
export interface ShareSettings
  extends Pick<Share, 'title' | 'mayDownload' | 'expiresAt' | 'uploadFilesLimit' | 'uploadBytesLimit'> {
  /** Null: none. */
  readonly password: string | null;
}

/** Those that were given. */
export type GivenShareSettings = { readonly [Name in keyof ShareSettings]?: ShareSettings[Name] | undefined };

/** All problems with the values. Absent ones are not examined. */
export function settingsErrors(settings: GivenShareSettings, now: Date): FieldError[] {
  const { title, expiresAt, password, uploadFilesLimit, uploadBytesLimit } = settings;
  return [
    ...requiredTextErrors('title', title, MAX_SHARE_TITLE),
    ...expiryErrors(expiresAt, now),
    ...passwordErrors(password),
    ...limitErrors('uploadFilesLimit', uploadFilesLimit, MAX_UPLOAD_FILES),
    ...limitErrors('uploadBytesLimit', uploadBytesLimit, MAX_UPLOAD_BYTES),
  ];
}

/** Errors: `invalid_request` for a password that is easy to guess, or made of the title. */
export async function requireGoodPassword(
  uses: { passwordStrength: PasswordStrength },
  password: string | null | undefined,
  title: string | undefined,
): Promise<void> {
  const error = password ? await strengthError(uses, password, title === undefined ? [] : [title]) : null;
  if (error !== null) throw invalid(error);
}

function limitErrors(field: string, limit: number | undefined, max: number): FieldError[] {
  if (limit === undefined || (Number.isInteger(limit) && limit >= 0 && limit <= max)) return [];
  return [{ field, code: 'out_of_range', message: `${field} must be a whole number from 0 to ${max}.`, min: 0, max }];
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
