import type { ApiKey, KeySettings } from '../../../core/access/api-key.js';
import { type Scope, scopes } from '../../../core/access/caller.js';
import { type FieldError, invalid } from '../../../core/shared/errors.js';
import { endOf, lastDay, wrongExpiryDay } from '../expiry-day.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { entriesOf, entriesText } from '../ip-list-text.js';

/** The fields of a key's form, as typed. */
export interface KeyFields {
  readonly name: string;
  readonly preset: string;
  readonly scopes: readonly string[];
  readonly ipList: string;
  readonly expiresOn: string;
  readonly readLimit: string;
  readonly writeLimit: string;
}

export interface Preset {
  readonly name: string;
  readonly label: string;
  readonly what: string;
  readonly scopes: readonly Scope[];
}

/** What most keys are for. */
export const presets: readonly Preset[] = [
  {
    name: 'read',
    label: 'Read only',
    what: 'View the account, photos and tags, and download. Changes nothing.',
    scopes: ['customer:read', 'photos:read', 'tags:read'],
  },
  {
    name: 'import',
    label: 'Importer',
    what: 'Read, import and edit photos, create and edit tags. Cannot delete photos.',
    scopes: ['customer:read', 'photos:read', 'photos:write', 'tags:read', 'tags:write'],
  },
  { name: 'full', label: 'Full access', what: 'Everything the API offers, including deleting photos.', scopes },
];

export function scopesOf({ preset, scopes: chosen }: Pick<KeyFields, 'preset' | 'scopes'>): readonly string[] {
  return presets.find(({ name }) => name === preset)?.scopes ?? chosen;
}

export const emptyFields: KeyFields = {
  name: '',
  preset: 'read',
  scopes: [],
  ipList: '',
  expiresOn: '',
  readLimit: '',
  writeLimit: '',
};

export function fieldsOf(key: ApiKey): KeyFields {
  const preset = presets.find((each) => each.scopes.join() === key.scopes.join())?.name ?? 'chosen';
  return {
    name: key.name,
    preset,
    scopes: key.scopes,
    ipList: entriesText(key.ipList),
    expiresOn: lastDay(key.expiresAt),
    readLimit: key.readLimit?.toString() ?? '',
    writeLimit: key.writeLimit?.toString() ?? '',
  };
}

export function sentFields(form: FormFields): KeyFields {
  return {
    name: form.text('name', FieldLength.line),
    preset: form.text('preset', FieldLength.word),
    scopes: form.all('scopes', FieldLength.word),
    ipList: form.text('ipList', FieldLength.addresses),
    expiresOn: form.text('expiresOn', FieldLength.word).trim(),
    readLimit: form.text('readLimit', FieldLength.word).trim(),
    writeLimit: form.text('writeLimit', FieldLength.word).trim(),
  };
}

/** The values of the fields. An unchanged day keeps the exact instant. Errors: `invalid_request`. */
export function settingsOf(fields: KeyFields, before: ApiKey | null): KeySettings {
  const [readLimit, writeLimit] = [wholeOf(fields.readLimit), wholeOf(fields.writeLimit)];
  const expiresAt =
    fields.expiresOn === lastDay(before?.expiresAt ?? null) ? before?.expiresAt : endOf(fields.expiresOn);
  const errors: FieldError[] = [];
  const number = 'Enter a whole number of requests per minute, or leave it empty for the default.';
  if (readLimit === undefined) errors.push({ field: 'readLimit', code: 'invalid_format', message: number });
  if (writeLimit === undefined) errors.push({ field: 'writeLimit', code: 'invalid_format', message: number });
  if (expiresAt === undefined && fields.expiresOn !== '') errors.push(wrongExpiryDay);
  if (errors.length > 0) throw invalid(...errors);
  return {
    name: fields.name,
    ipList: entriesOf(fields.ipList),
    readLimit: readLimit ?? null,
    writeLimit: writeLimit ?? null,
    expiresAt: expiresAt ?? null,
  };
}

/** Null when empty; undefined when it is not a whole number. */
function wholeOf(text: string): number | null | undefined {
  if (text === '') return null;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
