import { invalid } from '../../../core/shared/errors.js';
import type { Share, ShareSettings } from '../../../core/shares/share.js';
import { expiryOf, lastDay } from '../expiry-day.js';
import { FieldLength, type FormFields } from '../form-fields.js';

const MEGABYTE = 1_000_000;
/** Of uploads, if a number of files is given alone. */
export const DEFAULT_MEGABYTES = 2000;

/** What the form says. A password is never shown again. */
export interface ShareFields {
  readonly title: string;
  readonly mayDownload: boolean;
  readonly expiresOn: string;
  /** Whole numbers; empty: visitors may not upload. */
  readonly uploadFiles: string;
  readonly uploadMegabytes: string;
  readonly password: string;
  /** Remove the password that there is. */
  readonly withoutPassword: boolean;
  /** Of a new share: the name of its tag. */
  readonly tag: string;
}

export const blankShare: ShareFields = {
  title: '',
  mayDownload: false,
  expiresOn: '',
  uploadFiles: '',
  uploadMegabytes: '',
  password: '',
  withoutPassword: false,
  tag: '',
};

export function fieldsOfShare({ title, mayDownload, expiresAt, ...share }: Share): ShareFields {
  const uploadFiles = share.uploadFilesLimit === 0 ? '' : String(share.uploadFilesLimit);
  const uploadMegabytes = share.uploadBytesLimit === 0 ? '' : String(Math.ceil(share.uploadBytesLimit / MEGABYTE));
  return { ...blankShare, title, mayDownload, expiresOn: lastDay(expiresAt), uploadFiles, uploadMegabytes };
}

export function sentFields(form: FormFields): ShareFields {
  return {
    title: form.text('title', FieldLength.line),
    mayDownload: form.has('mayDownload'),
    expiresOn: form.text('expiresOn', FieldLength.word).trim(),
    uploadFiles: form.text('uploadFiles', FieldLength.word).trim(),
    uploadMegabytes: form.text('uploadMegabytes', FieldLength.word).trim(),
    password: form.text('password', FieldLength.line),
    withoutPassword: form.has('withoutPassword'),
    tag: form.text('tag', FieldLength.line).trim(),
  };
}

/** Errors: `invalid_request`. */
export function settingsOf(fields: ShareFields): ShareSettings {
  const { title, mayDownload, password } = fields;
  return {
    title,
    mayDownload,
    expiresAt: expiryOf(fields.expiresOn),
    password: password || null,
    ...uploadsOf(fields),
  };
}

/** Without what was not changed: an expiry may have passed since. Errors: `invalid_request`. */
export function changesOf(fields: ShareFields, before: Share): Partial<ShareSettings> {
  const { title, mayDownload, password, withoutPassword, expiresOn } = fields;
  return {
    ...{ title, mayDownload, ...uploadsOf(fields) },
    ...(expiresOn !== lastDay(before.expiresAt) && { expiresAt: expiryOf(fields.expiresOn) }),
    ...((password !== '' || withoutPassword) && { password: withoutPassword ? null : password }),
  };
}

/** Errors: `invalid_request`. */
function uploadsOf({ uploadFiles, uploadMegabytes }: ShareFields) {
  if (uploadFiles === '' || uploadFiles === '0') return { uploadFilesLimit: 0, uploadBytesLimit: 0 };
  const megabytes = whole(uploadMegabytes === '' ? String(DEFAULT_MEGABYTES) : uploadMegabytes, 'uploadBytesLimit');
  return { uploadFilesLimit: whole(uploadFiles, 'uploadFilesLimit'), uploadBytesLimit: megabytes * MEGABYTE };
}

function whole(text: string, field: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw invalid({ field, code: 'invalid_format', message: 'Enter a whole number.' });
}
