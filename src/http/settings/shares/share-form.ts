import { invalid } from '../../../core/shared/errors.js';
import type { Share } from '../../../core/shares/share.js';
import type { ShareSettings } from '../../../core/shares/share-values.js';
import type { FormFields } from '../form-fields.js';
import { endOf, lastDay } from '../keys/key-form.js';

/** What the form says. A password is never shown again. */
export interface ShareFields {
  readonly title: string;
  readonly mayDownload: boolean;
  readonly expiresOn: string;
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
  password: '',
  withoutPassword: false,
  tag: '',
};

export function fieldsOfShare({ title, mayDownload, expiresAt }: Share): ShareFields {
  return { ...blankShare, title, mayDownload, expiresOn: lastDay(expiresAt) };
}

export function sentFields(form: FormFields): ShareFields {
  return {
    title: form.text('title'),
    mayDownload: form.has('mayDownload'),
    expiresOn: form.text('expiresOn').trim(),
    password: form.text('password'),
    withoutPassword: form.has('withoutPassword'),
    tag: form.text('tag').trim(),
  };
}

/** Errors: `invalid_request`. */
export function settingsOf(fields: ShareFields): ShareSettings {
  const { title, mayDownload, password } = fields;
  return { title, mayDownload, expiresAt: expiryOf(fields), password: password || null };
}

/** Without what was not changed: an expiry may have passed since. Errors: `invalid_request`. */
export function changesOf(fields: ShareFields, before: Share): Partial<ShareSettings> {
  const { title, mayDownload, password, withoutPassword, expiresOn } = fields;
  return {
    ...{ title, mayDownload },
    ...(expiresOn !== lastDay(before.expiresAt) && { expiresAt: expiryOf(fields) }),
    ...((password !== '' || withoutPassword) && { password: withoutPassword ? null : password }),
  };
}

function expiryOf({ expiresOn }: ShareFields): Date | null {
  if (expiresOn === '') return null;
  const end = endOf(expiresOn);
  if (end !== undefined) return end;
  throw invalid({ field: 'expiresAt', code: 'invalid_format', message: 'Enter a date such as 2027-01-31.' });
}
