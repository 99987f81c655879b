import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { invalid } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import { createShare, editShare, listShares, readShare, revokeShare } from '../../core/shares/own-shares.js';
import type { Share, ShareSettings } from '../../core/shares/share.js';
import { findTagNamed, readTags } from '../../core/tags/read-tag.js';
import type { Tag } from '../../core/tags/tag.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { oneOfQuery } from '../address.js';
import { FieldLength } from '../form-fields.js';
import { requireConfirmed } from '../guards/confirm-identity.js';
import { PageController, redirectTo } from '../page.js';
import {
  CurrentPageContext,
  callerOfPage,
  customerOf,
  ForSelection,
  InNavigation,
  type PageContext,
  personOf,
} from '../page-context.js';
import { Confirm } from '../parts.js';
import { saveEdits, saveNew } from '../resource-form.js';
import { VisitRecorder } from '../visitors/visit-recorder.js';
import {
  AREA,
  EditShare,
  LIST,
  NewShare,
  photosIn,
  type ShareFields,
  type ShareFormProps,
  ShareList,
  SharePage,
  shareForm,
  sharePagePath,
} from './shares.view.js';

const WITH_LINKS = { ...AREA, scripts: ['copy.js'] } as const;

/** Shares: created from a tag or a selection of the library, looked at, edited, revoked. */
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
    const page = <ShareList shares={shares} tags={tags} now={this.ports.clock.now()} linkOf={linkOf} />;
    return this.render(context, { ...WITH_LINKS, title: 'Shares' }, page);
  }

  @Get('new')
  @ForSelection({ name: 'share', label: 'Share', icon: 'share-2' })
  newForm(@CurrentPageContext() context: PageContext, @Query('photos') query: unknown): Reply {
    return this.newShare(context, photosIn(oneOfQuery(query)), { fields: shareForm.blank, problems: null });
  }

  @Post('new')
  async create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    if (context.form.has('mayDownload')) await requireConfirmed(this.ports, context, personOf(context));
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
    if (opensOriginals) await requireConfirmed(this.ports, context, personOf(context));
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
    const options = { ...AREA, title: 'Create share', scripts: ['tag-names.js'], problems };
    const page = <NewShare fields={fields} problems={problems} photoIds={photoIds} />;
    return this.render(context, options, page);
  }

  private async sharePage(context: PageContext, id: Id, sent: ShareFormProps | null): Promise<Reply> {
    const { share, token } = await readShare(this.ports, customerOf(context), id);
    const tags = await this.tagsOf(context, share);
    const link = token === null ? null : this.ports.addresses.share(token);
    const options = { ...WITH_LINKS, title: `Share “${share.title}”`, problems: sent?.problems };
    const page = (
      <SharePage share={share} tags={tags} link={link} now={this.ports.clock.now()}>
        <EditShare share={share} fields={sent?.fields ?? shareForm.fieldsOf(share)} problems={sent?.problems ?? null} />
      </SharePage>
    );
    return this.render(context, options, page);
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
