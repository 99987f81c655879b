import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { isExpired } from '../../core/shared/clock.js';
import { invalid } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import { createShare, editShare, listShares, readShare, revokeShare } from '../../core/shares/own-shares.js';
import {
  MAX_SHARE_TITLE,
  MAX_SHARES,
  MIN_SHARE_PASSWORD,
  type Share,
  type ShareSettings,
} from '../../core/shares/share.js';
import { findTagNamed, readTags } from '../../core/tags/read-tag.js';
import { MAX_TAG_NAME, type Tag } from '../../core/tags/tag.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { oneOfQuery } from '../address.js';
import { ExpiryField, expiryOf, Field, lastDay } from '../form.js';
import { FieldLength } from '../form-fields.js';
import type { Formats } from '../formats.js';
import { requireConfirmed } from '../guards/page-guards.js';
import { PageController, redirectTo } from '../page.js';
import {
  CurrentPageContext,
  callerOfPage,
  customerOf,
  ForSelection,
  InNavigation,
  type PageContext,
  usePageContext,
} from '../page-context.js';
import { Badge, Card, Confirm, Copied, Copyable, Empty, Heading, LinkButton, Moment, QrCode, Table } from '../parts.js';
import { FormCard, type FormState, saveEdits, saveNew } from '../resource-form.js';
import { VisitRecorder } from '../visitors/visit-recorder.js';

const LIST = '/settings/shares';
const AREA = { section: 'shares', styles: ['areas.css'] } as const;
const WITH_LINKS = { ...AREA, scripts: ['copy.js'] } as const;

@Controller('settings/shares')
@RequireRole('editor')
export class ShareSettingsController extends PageController {
  @Inject(VisitRecorder) private readonly visits: VisitRecorder;

  @Get()
  @InNavigation('Shares', 35)
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    // With what this process has counted so far.
    await this.visits.flush();
    const shares = await listShares(this.ports, customerOf(context));
    const tags = await this.tagsOf(context, ...shares.map(({ share }) => share));
    const linkOf = (token: string) => this.ports.addresses.share(token);
    const now = this.ports.clock.now();
    const page = (
      <>
        <Heading
          title="Shares"
          lead={`Links under which others see photos, without an account. At most ${MAX_SHARES}.`}
        >
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
                contentsOf(context.formats, share, tags),
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
    return this.render(context, { ...WITH_LINKS, title: 'Shares' }, page);
  }

  @Get('new')
  @ForSelection({ name: 'share', label: 'Share', icon: 'share-2' })
  newForm(@CurrentPageContext() context: PageContext, @Query('photos') query: unknown): Reply {
    return this.newShare(context, photosIn(oneOfQuery(query)), { fields: shareForm.blank, problems: null });
  }

  @Post('new')
  async create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    if (context.form.has('mayDownload')) await requireConfirmed(this.ports, context);
    const photoIds = photosIn(context.form.text('photos', FieldLength.ids));
    const save = async (values: ShareSettings, { tag }: ShareFields) => {
      const contents = photoIds === null ? { tagId: await this.tagNamed(context, tag.trim()) } : { photoIds };
      const { share } = await createShare(this.ports, callerOfPage(context), {
        ...{ ...values, ...contents },
        password: values.password || null,
      });
      const text = `“${share.title}” is shared. Copy its link, and send it to the people who may see the photos.`;
      return redirectTo(context, sharePagePath(share.id), { kind: 'done', text });
    };
    return saveNew(context, shareForm, save, (form) => this.newShare(context, photoIds, form));
  }

  @Get(':id')
  async show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await this.visits.flush();
    return this.sharePage(context, id, null);
  }

  @Post(':id')
  async edit(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { share } = await readShare(this.ports, customerOf(context), id);
    const opensOriginals = context.form.has('mayDownload') && !share.mayDownload;
    if (opensOriginals) await requireConfirmed(this.ports, context);
    const save = async (changes: Partial<ShareSettings>, check: Precondition<Share>, { title }: ShareFields) => {
      // A password must not be made of the title, which stays.
      const values = changes.password ? { title, ...changes } : changes;
      const saved = await editShare(this.ports, callerOfPage(context), id, values, check);
      return redirectTo(context, sharePagePath(id), { kind: 'done', text: `“${saved.title}” was saved.` });
    };
    return saveEdits(context, shareForm, share, save, (form) => this.sharePage(context, id, form));
  }

  @Get(':id/revoke')
  async confirmRevoking(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { share } = await readShare(this.ports, customerOf(context), id);
    const [title, path] = [`Revoke share “${share.title}”?`, sharePagePath(id)];
    const page = (
      <Confirm title={title} action={sharePagePath(id, 'revoke')} button="Revoke share" back={path}>
        <p>Its link stops working immediately, and will never work again. The photos stay in your library.</p>
      </Confirm>
    );
    return this.render(context, { ...AREA, title: 'Revoke a share' }, page);
  }

  @Post(':id/revoke')
  async revoke(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { title } = await revokeShare(this.ports, callerOfPage(context), id);
    return redirectTo(context, LIST, { kind: 'done', text: `“${title}” was revoked: its link no longer works.` });
  }

  private newShare(context: PageContext, photoIds: readonly Id[] | null, { fields, problems }: ShareFormProps): Reply {
    const page = (
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
              <p>{context.formats.pluralize(photoIds.length, 'photo')} from your library.</p>
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
    return this.render(context, { ...AREA, title: 'Create share', scripts: ['tag-names.js'], problems }, page);
  }

  private async sharePage(context: PageContext, id: Id, sent: ShareFormProps | null): Promise<Reply> {
    const { share, token } = await readShare(this.ports, customerOf(context), id);
    const tags = await this.tagsOf(context, share);
    const link = token === null ? null : this.ports.addresses.share(token);
    const fields = sent?.fields ?? shareForm.fieldsOf(share);
    const problems = sent?.problems ?? null;
    const page = (
      <>
        <Heading title={`Share “${share.title}”`} lead={contentsOf(context.formats, share, tags)}>
          <LinkButton href={sharePagePath(share.id, 'revoke')} label="Revoke…" />
        </Heading>
        <Card title="Link" lead="Anyone who has it sees the photos. Pass it on as you would a key.">
          {isExpired(share, this.ports.clock.now()) && (
            <p class="flash warn">This link has expired. Choose a later date to open it again.</p>
          )}
          <Link id="link" link={link} />
          <Copied />
          {link !== null && <QrCode text={link} label="QR code of the link" />}
          <p>
            <Visits share={share} />
          </p>
        </Card>
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
      </>
    );
    return this.render(context, { ...WITH_LINKS, title: `Share “${share.title}”`, problems: sent?.problems }, page);
  }

  private tagsOf(context: PageContext, ...shares: readonly Share[]): Promise<readonly Tag[]> {
    const ids = [...new Set(shares.flatMap(({ tagId }) => tagId ?? []))];
    return readTags(this.ports, callerOfPage(context), ids);
  }

  /** Errors: `invalid_request`. */
  private async tagNamed(context: PageContext, name: string): Promise<Id> {
    const found = await findTagNamed(this.ports, callerOfPage(context), name);
    if (found !== null) return found.id;
    throw invalid({ field: 'tagId', code: 'unknown_tag', message: `There is no tag “${name}”.` });
  }
}

function Link({ id, link }: { id: string; link: string | null }) {
  if (link === null) return <>It cannot be shown: the operator has to add the SECRET_KEY under which it was created.</>;
  return <Copyable id={id} text={link} small />;
}

function Visits({ share: { visits, lastVisitedAt } }: { share: Share }) {
  const { formats } = usePageContext();
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

function sharePagePath(id: Id, act?: 'revoke'): string {
  return act === undefined ? `${LIST}/${id}` : `${LIST}/${id}/${act}`;
}

/** The photos that were selected in the library; null if there are none. */
function photosIn(text: string): readonly Id[] | null {
  const ids = text.split('.').flatMap((each) => parseId(each) ?? []);
  return ids.length === 0 ? null : ids;
}

type ShareFormProps = Omit<FormState<Share, ShareFields>, 'subject'>;

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
type ShareFields = typeof blank;

const shareForm = {
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
