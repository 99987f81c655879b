import { invalid } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { MAX_SHARE_TITLE, MIN_SHARE_PASSWORD, type Share, type ShareSettings } from '../../core/shares/share.js';
import { MAX_TAG_NAME } from '../../core/tags/tag.js';
import { Button, ExpiryField, expiryOf, Field, Form, lastDay, ProblemSummary, type Problems } from '../form.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { useFormats } from '../formats.js';
import { Card, Heading } from '../parts.js';
import { ShownValues } from '../shown-values.js';
import { LIST, sharePagePath } from './shares.view.js';

interface NewShareProps {
  readonly fields: ShareFields;
  readonly problems: Problems | null;
  /** The photos that were chosen in the library; null: a tag is shared. */
  readonly photoIds: readonly Id[] | null;
}

export function NewShare({ fields, problems, photoIds }: NewShareProps) {
  const formats = useFormats();
  return (
    <>
      <Heading title="Create share" lead="Whoever has its link sees the photos, without an account." />
      <Card>
        <ProblemSummary problems={problems} />
        <Form action={`${LIST}/new`}>
          {photoIds === null ? (
            <Field
              label="Tag"
              name="tag"
              errors={problems?.renamed('tagId', 'tag')}
              hint="Visitors see the photos that have this tag when they look. To share chosen photos, select them in the library."
              input={{
                value: fields.tag,
                required: true,
                maxLength: MAX_TAG_NAME,
                autocomplete: 'off',
                list: 'tag-names',
              }}
              beside={<datalist id="tag-names" data-tag-names />}
            />
          ) : (
            <>
              <p>{formats.pluralize(photoIds.length, 'photo')} from your library.</p>
              <input type="hidden" name="photos" value={photoIds.join('.')} />
              {problems?.of('photoIds').map((message) => (
                <p key={message} class="error">
                  {message}
                </p>
              ))}
            </>
          )}
          <Settings fields={fields} problems={problems} hasPassword={false} />
          <div class="buttons">
            <Button>Create share</Button>
            <a class="button plain" href={LIST}>
              Cancel
            </a>
          </div>
        </Form>
      </Card>
    </>
  );
}

export function EditShare({ share, fields, problems }: Omit<NewShareProps, 'photoIds'> & { readonly share: Share }) {
  return (
    <Card title="Settings" lead="Changes take effect immediately; the link stays the same.">
      <ProblemSummary problems={problems} />
      <Form action={sharePagePath(share.id)}>
        <ShownValues fields={fieldsOfShare(share)} />
        <Settings fields={fields} problems={problems} hasPassword={share.passwordHash !== null} />
        <div class="buttons">
          <Button>Save</Button>
          <a class="button plain" href={LIST}>
            Cancel
          </a>
        </div>
      </Form>
    </Card>
  );
}

interface SettingsProps {
  readonly fields: ShareFields;
  readonly problems: Problems | null;
  readonly hasPassword: boolean;
}

function Settings({ fields, problems, hasPassword }: SettingsProps) {
  return (
    <>
      <Field
        label="Title"
        name="title"
        errors={problems}
        hint="What visitors read above the photos."
        input={{ value: fields.title, required: true, maxLength: MAX_SHARE_TITLE, autocomplete: 'off' }}
      />
      <div class="choice">
        <input type="checkbox" id="may-download" name="mayDownload" value="yes" checked={fields.mayDownload} />
        <label for="may-download">Visitors can download originals, with all that is stored in the files</label>
      </div>
      <Field
        label="Files that visitors can add"
        name="uploadFiles"
        errors={problems?.renamed('uploadFilesLimit', 'uploadFiles')}
        hint="In total. They arrive in your library with a tag of their own. Leave it empty if visitors cannot add any."
        input={{ value: fields.uploadFiles, inputMode: 'numeric', autocomplete: 'off' }}
      />
      <Field
        label="Megabytes that visitors can add"
        name="uploadMegabytes"
        errors={problems?.renamed('uploadBytesLimit', 'uploadMegabytes')}
        hint={`In all; ${DEFAULT_MEGABYTES} unless you enter another number.`}
        input={{ value: fields.uploadMegabytes, inputMode: 'numeric', autocomplete: 'off' }}
      />
      <ExpiryField end="The link stops working" value={fields.expiresOn} problems={problems} />
      <Field
        label={hasPassword ? 'New password' : 'Password'}
        name="password"
        errors={problems}
        hint={`At least ${MIN_SHARE_PASSWORD} characters that are hard to guess, which visitors have to enter. Optional.`}
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      {hasPassword && (
        <div class="choice">
          <input type="checkbox" id="without-password" name="withoutPassword" value="yes" />
          <label for="without-password">Remove the password</label>
        </div>
      )}
    </>
  );
}

const MEGABYTE = 1_000_000;
/** The limit of uploads, if a number of files is given alone. */
const DEFAULT_MEGABYTES = 2000;

/** The content of the form. A password is never shown again. */
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
  /** The tag of a new share, by its name. */
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
