import type { ComponentChildren } from 'preact';
import { isExpired } from '../../core/shared/clock.js';
import { invalid } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import type { ShareWithToken } from '../../core/shares/own-shares.js';
import { MAX_SHARE_TITLE, MAX_SHARES, MIN_SHARE_PASSWORD, type Share } from '../../core/shares/share.js';
import { MAX_TAG_NAME, type Tag } from '../../core/tags/tag.js';
import { ExpiryField, expiryOf, Field, lastDay } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { type Formats, useFormats } from '../formats.js';
import { Badge, Card, Copied, Copyable, Empty, Heading, LinkButton, Moment, QrCode, Table } from '../parts.js';
import { FormCard, type FormState } from '../resource-form.js';

interface ShareListProps {
  readonly shares: readonly ShareWithToken[];
  /** The tags whose photos are shared, as far as they still exist. */
  readonly tags: readonly Tag[];
  readonly now: Date;
  linkOf(token: string): string;
}

export function ShareList({ shares, tags, now, linkOf }: ShareListProps) {
  const formats = useFormats();
  return (
    <>
      <Heading title="Shares" lead={`Links under which others see photos, without an account. At most ${MAX_SHARES}.`}>
        <LinkButton href={`${LIST}/new`} label="Create share" kind="primary" />
      </Heading>
      {shares.length === 0 ? (
        <Empty icon="share-2" title="No shares yet">
          <p>Share the photos of a tag, or select some in the library.</p>
        </Empty>
      ) : (
        <Table
          caption="Shares"
          columns={['Share', 'Photos', 'Visits', 'Expires', 'Link', '']}
          rows={shares.map(({ share, token }) => ({
            key: share.id,
            cells: [
              <>
                <a class="strong" href={sharePagePath(share.id)}>
                  {share.title}
                </a>
                {share.passwordHash !== null && <Badge>Password</Badge>}
                {isExpired(share, now) && <Badge tone="bad">Expired</Badge>}
              </>,
              contentsOf(formats, share, tags),
              <Visits key="visits" share={share} />,
              <Moment key="expires" at={share.expiresAt} />,
              <Link key="link" id={`link-${share.id}`} link={token && linkOf(token)} />,
              <span key="do" class="actions">
                <LinkButton
                  href={sharePagePath(share.id, 'revoke')}
                  label="Revoke…"
                  isSmall
                  name={`Revoke ${share.title}`}
                />
              </span>,
            ],
          }))}
        />
      )}
      <Copied />
    </>
  );
}

interface ShareHeadProps {
  readonly share: Share;
  readonly tags: readonly Tag[];
  /** Null: it cannot be shown. */
  readonly link: string | null;
  readonly now: Date;
  readonly children: ComponentChildren;
}

export function SharePage({ share, tags, link, now, children }: ShareHeadProps) {
  const formats = useFormats();
  return (
    <>
      <Heading title={`Share “${share.title}”`} lead={contentsOf(formats, share, tags)}>
        <LinkButton href={sharePagePath(share.id, 'revoke')} label="Revoke…" />
      </Heading>
      <Card title="Link" lead="Anyone who has it sees the photos. Pass it on as you would a key.">
        {isExpired(share, now) && (
          <p class="flash warn">This link has expired. Choose a later date to open it again.</p>
        )}
        <Link id="link" link={link} />
        <Copied />
        {link !== null && <QrCode text={link} label="QR code of the link" />}
        <p>
          <Visits share={share} />
        </p>
      </Card>
      {children}
    </>
  );
}

function Link({ id, link }: { id: string; link: string | null }) {
  if (link === null) return <>It cannot be shown: the operator has to add the SECRET_KEY under which it was created.</>;
  return <Copyable id={id} text={link} small />;
}

function Visits({ share: { visits, lastVisitedAt } }: { share: Share }) {
  const formats = useFormats();
  if (lastVisitedAt === null) return <>No visits yet</>;
  return (
    <>
      {formats.pluralize(visits, 'visit')}, last <Moment at={lastVisitedAt} />
    </>
  );
}

function contentsOf(formats: Formats, { tagId, photoIds }: Share, tags: readonly Tag[]): string {
  if (tagId === null) return `${formats.pluralize(photoIds.length, 'chosen photo')}`;
  const tag = tags.find(({ id }) => id === tagId);
  return tag === undefined ? 'None: the tag was deleted' : `All with the tag “${tag.name}”`;
}

export const LIST = '/settings/shares';
/** The options of every page about shares. */
export const AREA = { section: 'shares', styles: ['areas.css'] } as const;

export function sharePagePath(id: Id, act?: 'revoke'): string {
  return act === undefined ? `${LIST}/${id}` : `${LIST}/${id}/${act}`;
}

/** The photos that were selected in the library; null if there are none. */
export function photosIn(text: string): readonly Id[] | null {
  const ids = text.split('.').flatMap((each) => parseId(each) ?? []);
  return ids.length === 0 ? null : ids;
}

export type ShareFormProps = Omit<FormState<Share, ShareFields>, 'subject'>;

/** @param photoIds The photos that were chosen in the library; null: a tag is shared. */
export function NewShare({ fields, problems, photoIds }: ShareFormProps & { readonly photoIds: readonly Id[] | null }) {
  const formats = useFormats();
  return (
    <>
      <Heading title="Create share" lead="Anyone who has its link sees the photos, without an account." />
      <FormCard action={`${LIST}/new`} problems={problems} button="Create share" cancel={LIST}>
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
      </FormCard>
    </>
  );
}

export function EditShare({ share, fields, problems }: ShareFormProps & { readonly share: Share }) {
  return (
    <FormCard
      title="Settings"
      lead="Changes take effect immediately; the link stays the same."
      action={sharePagePath(share.id)}
      problems={problems}
      shown={shareForm.fieldsOf(share)}
      button="Save"
      cancel={LIST}
    >
      <Settings fields={fields} problems={problems} hasPassword={share.passwordHash !== null} />
    </FormCard>
  );
}

function Settings({ fields, problems, hasPassword }: ShareFormProps & { readonly hasPassword: boolean }) {
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

const blank = {
  title: '',
  mayDownload: false,
  expiresOn: '',
  /** Whole numbers; empty: visitors may not upload. */
  uploadFiles: '',
  uploadMegabytes: '',
  /** Never shown again. */
  password: '',
  /** Remove the password that there is. */
  withoutPassword: false,
  /** The tag of a new share, by its name. */
  tag: '',
};
export type ShareFields = typeof blank;

export const shareForm = {
  blank,
  lengths: { expiresOn: FieldLength.word, uploadFiles: FieldLength.word, uploadMegabytes: FieldLength.word },
  fieldsOf: ({ title, mayDownload, expiresAt, ...limits }: Share): ShareFields => {
    const { uploadFilesLimit: files, uploadBytesLimit: bytes } = limits;
    const uploadMegabytes = bytes === 0 ? '' : String(Math.ceil(bytes / MEGABYTE));
    const uploads = { uploadFiles: files === 0 ? '' : String(files), uploadMegabytes };
    return { ...blank, title, mayDownload, expiresOn: lastDay(expiresAt), ...uploads };
  },
  /** An empty password is none, and null removes one. Errors: `invalid_request`. */
  valuesOf: ({ title, mayDownload, expiresOn, password, withoutPassword, ...uploads }: ShareFields) => ({
    ...{ title, mayDownload, expiresAt: expiryOf(expiresOn), ...uploadsOf(uploads) },
    password: withoutPassword ? null : password,
  }),
};

/** Errors: `invalid_request`. */
function uploadsOf({ uploadFiles, uploadMegabytes }: Pick<ShareFields, 'uploadFiles' | 'uploadMegabytes'>) {
  if (uploadFiles === '' || uploadFiles === '0') return { uploadFilesLimit: 0, uploadBytesLimit: 0 };
  const megabytes = whole(uploadMegabytes === '' ? String(DEFAULT_MEGABYTES) : uploadMegabytes, 'uploadBytesLimit');
  return { uploadFilesLimit: whole(uploadFiles, 'uploadFilesLimit'), uploadBytesLimit: megabytes * MEGABYTE };
}

function whole(text: string, field: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw invalid({ field, code: 'invalid_format', message: 'Enter a whole number.' });
}
