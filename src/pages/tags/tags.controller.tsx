import { Controller, Get, Post, Query } from '@nestjs/common';
import { tagListRequest } from '../../api/tags/tag.dto.js';
import { invalid } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import { createTag } from '../../core/tags/create-tags.js';
import { deleteTag } from '../../core/tags/delete-tag.js';
import { editTag, previewMerge } from '../../core/tags/edit-tag.js';
import { listTags, readTag } from '../../core/tags/read-tag.js';
import { type Tag, type TagCreation, type TagPatch, tagSorts } from '../../core/tags/tag.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { allOfQuery, oneOfQuery } from '../address.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, InNavigation, type PageContext } from '../page-context.js';
import { Confirm } from '../parts.js';
import { saveEdits, saveNew } from '../resource-form.js';
import { MergeForm, TagForm, type TagFormState, TagList, tagForm } from './tags.view.js';

/** Tags: found, created, edited, deleted. */
@Controller('settings/tags')
@RequireRole('editor')
export class TagPagesController extends PageController {
  @Get()
  @InNavigation('Tags', 30)
  @RequireRole('viewer')
  async list(@CurrentPageContext() context: PageContext, @Query() query: Record<string, unknown>): Promise<Reply> {
    const [q, cursor] = [oneOfQuery(query['q']).trim().slice(0, 200), oneOfQuery(query['cursor'])];
    const sort = tagSorts.find((each) => each === query['sort']) ?? 'name';
    const unused = query['unused'] === 'true';
    const parameters = { ...(q !== '' && { q }), ...(unused && { unused }), ...(cursor !== '' && { cursor }), sort };
    const found = await listTags(this.ports, callerOfPage(context), tagListRequest(parameters));
    const search = { q, sort, unused: unused ? 'true' : '' };
    const list = <TagList page={found} search={search} cursor={cursor} />;
    return this.render(context, { ...AREA, title: 'Tags' }, list);
  }

  @Get('new')
  newForm(@CurrentPageContext() context: PageContext): Reply {
    return this.form(context, { subject: null, fields: tagForm.blank, problems: null });
  }

  @Post('new')
  create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const save = async (values: TagCreation) => {
      const { tag } = await createTag(this.ports, callerOfPage(context), values);
      return redirectTo(context, LIST, { kind: 'done', text: `The tag “${tag.name}” was created.` });
    };
    return saveNew(context, tagForm, save, (state) => this.form(context, state));
  }

  @Get(':id')
  async show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const tag = await readTag(this.ports, callerOfPage(context), id);
    return this.form(context, { subject: tag, fields: tagForm.fieldsOf(tag), problems: null });
  }

  @Post(':id')
  async edit(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const tag = await readTag(this.ports, callerOfPage(context), id);
    const save = async (changes: TagPatch, check: Precondition<Tag>) => {
      const { name } = await editTag(this.ports, callerOfPage(context), id, changes, check);
      return redirectTo(context, LIST, { kind: 'done', text: `The tag “${name}” was saved.` });
    };
    return saveEdits(context, tagForm, tag, save, (state) => this.form(context, state));
  }

  @Get(':id/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { name, photoCount } = await readTag(this.ports, callerOfPage(context), id);
    const photos = context.formats.pluralize(photoCount, 'photo');
    const path = `${LIST}/${id}`;
    const page = (
      <Confirm title={`Delete tag “${name}”?`} action={`${path}/delete`} button="Delete tag" back={path}>
        <p>
          {photoCount === 0 ? 'No photo has it.' : `${photos} will lose it. The photos themselves are not affected.`}{' '}
          This cannot be undone.
        </p>
      </Confirm>
    );
    return this.render(context, { ...AREA, title: 'Delete a tag' }, page);
  }

  @Post(':id/delete')
  async delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const caller = callerOfPage(context);
    const { name } = await readTag(this.ports, caller, id);
    await deleteTag(this.ports, caller, id);
    return redirectTo(context, LIST, { kind: 'done', text: `The tag “${name}” was deleted.` });
  }

  private form(context: PageContext, state: TagFormState): Reply {
    const options = { ...AREA, title: state.subject?.name ?? 'Create tag', problems: state.problems };
    return this.render(context, options, <TagForm {...state} />);
  }
}

/** The tag to keep, and as many others as can be merged at once. */
const MAX_CHOSEN = 21;

/** Several tags become one. Before the pages of single tags, whose ids would take its path. */
@Controller('settings/tags/merge')
@RequireRole('editor')
export class MergeTagsController extends PageController {
  @Get()
  async chooseMerge(@CurrentPageContext() context: PageContext, @Query('id') query: unknown): Promise<Reply> {
    const ids = idsOf(allOfQuery(query));
    if (ids.length >= 2 && ids.length <= MAX_CHOSEN) return this.mergePage(context, ids, null);
    const text = `Select two or more tags to merge, at most ${MAX_CHOSEN}.`;
    return redirectTo(context, LIST, { kind: 'failed', text });
  }

  @Post()
  async merge(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const ids = idsOf(context.form.all('id', FieldLength.word));
    const into = parseId(context.form.text('into', FieldLength.word)) ?? 0;
    try {
      if (ids.length > MAX_CHOSEN) {
        throw invalid({ field: 'id', code: 'too_many', message: `At most ${MAX_CHOSEN} tags can be merged at once.` });
      }
      const mergeTagIds = ids.filter((id) => id !== into);
      const tag = await editTag(this.ports, callerOfPage(context), into, { mergeTagIds });
      const text = `${context.formats.pluralize(mergeTagIds.length, 'tag')} merged into “${tag.name}”, now on ${context.formats.pluralize(tag.photoCount, 'photo')}.`;
      return redirectTo(context, LIST, { kind: 'done', text });
    } catch (error) {
      return this.mergePage(context, ids, problemsOf(error));
    }
  }

  private async mergePage(context: PageContext, ids: readonly Id[], problems: Problems | null): Promise<Reply> {
    const preview = await previewMerge(this.ports, callerOfPage(context), ids);
    const options = { ...AREA, title: 'Merge tags', problems };
    return this.render(context, options, <MergeForm preview={preview} problems={problems} />);
  }
}

function idsOf(texts: readonly string[]): readonly Id[] {
  return [...new Set(texts.map((text) => parseId(text) ?? 0))];
}

const LIST = '/settings/tags';
/** The options of every page about tags. */
const AREA = { section: 'tags', styles: ['areas.css'] } as const;
