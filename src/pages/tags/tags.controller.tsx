import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { tagListRequest } from '../../api/tags/tag.dto.js';
import type { Ports } from '../../core/ports.js';
import { invalid } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { createTag } from '../../core/tags/create-tags.js';
import { deleteTag } from '../../core/tags/delete-tag.js';
import { editTag, previewMerge } from '../../core/tags/edit-tag.js';
import { listTags, readTag } from '../../core/tags/read-tag.js';
import { type Tag, tagSorts } from '../../core/tags/tag.js';
import { RequireRole } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { PathId } from '../../http/requests/path-id.js';
import type { Reply } from '../../http/responses/reply.js';
import { allOfQuery, oneOfQuery } from '../address.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, InNavigation, type PageContext } from '../page-context.js';
import { editsOf } from '../shown-values.js';
import { blankTag, EditTag, fieldsOfTag, NewTag, type TagFields } from './tag-form.view.js';
import { DeleteTag, MergeForm, TagList } from './tags.view.js';

/** Tags: found, created, edited, deleted. */
@Controller('settings/tags')
export class TagPagesController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

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
    return renderPage(
      this.ports,
      context,
      { ...AREA, title: 'Tags' },
      <TagList page={found} search={search} cursor={cursor} />,
    );
  }

  @Get('new')
  @RequireRole('editor')
  newForm(@CurrentPageContext() context: PageContext): Reply {
    return this.newTag(context, blankTag, null);
  }

  @Post('new')
  @RequireRole('editor')
  async create(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const fields = fieldsOf(context.form);
    try {
      const { tag } = await createTag(this.ports, callerOfPage(context), submittedValues(fields));
      return redirectTo(context, '/settings/tags', { kind: 'done', text: `The tag “${tag.name}” was created.` });
    } catch (error) {
      return this.newTag(context, fields, problemsOf(error));
    }
  }

  @Get(':id')
  @RequireRole('editor')
  async show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const tag = await readTag(this.ports, callerOfPage(context), id);
    return this.editPage(context, tag, fieldsOfTag(tag), null);
  }

  @Post(':id')
  @RequireRole('editor')
  async edit(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const [caller, fields] = [callerOfPage(context), fieldsOf(context.form)];
    const tag = await readTag(this.ports, caller, id);
    const { changed, requireUnchanged } = editsOf(context.form, fields);
    try {
      const { name } = await editTag(this.ports, caller, id, changesOf(changed, fields), (current) =>
        requireUnchanged(fieldsOfTag(current)),
      );
      return redirectTo(context, '/settings/tags', { kind: 'done', text: `The tag “${name}” was saved.` });
    } catch (error) {
      return this.editPage(context, tag, { ...fieldsOfTag(tag), ...changed }, problemsOf(error));
    }
  }

  @Get(':id/delete')
  @RequireRole('editor')
  async confirmDelete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const tag = await readTag(this.ports, callerOfPage(context), id);
    return renderPage(this.ports, context, { ...AREA, title: 'Delete a tag' }, <DeleteTag tag={tag} />);
  }

  @Post(':id/delete')
  @RequireRole('editor')
  async delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const caller = callerOfPage(context);
    const { name } = await readTag(this.ports, caller, id);
    await deleteTag(this.ports, caller, id);
    return redirectTo(context, '/settings/tags', { kind: 'done', text: `The tag “${name}” was deleted.` });
  }

  private newTag(context: PageContext, fields: TagFields, problems: Problems | null): Reply {
    const options = { ...AREA, title: 'Create tag', status: problems?.status ?? 200 };
    return renderPage(this.ports, context, options, <NewTag fields={fields} problems={problems} />);
  }

  private editPage(context: PageContext, tag: Tag, fields: TagFields, problems: Problems | null): Reply {
    const options = { ...AREA, title: tag.name, status: problems?.status ?? 200 };
    return renderPage(this.ports, context, options, <EditTag tag={tag} fields={fields} problems={problems} />);
  }
}

function fieldsOf(form: FormFields): TagFields {
  const { otherColor } = blankTag;
  const [name, description] = [form.text('name', FieldLength.line), form.text('description', FieldLength.text)];
  return {
    name,
    description,
    color: form.text('color', FieldLength.word),
    otherColor: form.text('otherColor', FieldLength.word) || otherColor,
  };
}

/** A colour and that of “other” are one value. */
function changesOf(changed: Partial<TagFields>, fields: TagFields) {
  const { name, color, description } = submittedValues(fields);
  return {
    ...(changed.name !== undefined && { name }),
    ...(changed.description !== undefined && { description }),
    ...((changed.color !== undefined || changed.otherColor !== undefined) && { color }),
  };
}

function submittedValues({ name, color, otherColor, description }: TagFields) {
  const chosen = color === 'other' ? otherColor : color;
  return { name, color: chosen || null, description: description.trim() || null };
}

/** The tag to keep, and as many others as can be merged at once. */
const MAX_CHOSEN = 21;

/** Several tags become one. Before the pages of single tags, whose ids would take its path. */
@Controller('settings/tags/merge')
export class MergeTagsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @RequireRole('editor')
  async chooseMerge(@CurrentPageContext() context: PageContext, @Query('id') query: unknown): Promise<Reply> {
    const ids = idsOf(allOfQuery(query));
    if (ids.length >= 2 && ids.length <= MAX_CHOSEN) return this.mergePage(context, ids, null);
    const text = `Select two or more tags to merge, at most ${MAX_CHOSEN}.`;
    return redirectTo(context, '/settings/tags', { kind: 'failed', text });
  }

  @Post()
  @RequireRole('editor')
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
      return redirectTo(context, '/settings/tags', { kind: 'done', text });
    } catch (error) {
      return this.mergePage(context, ids, problemsOf(error));
    }
  }

  private async mergePage(context: PageContext, ids: readonly Id[], problems: Problems | null): Promise<Reply> {
    const preview = await previewMerge(this.ports, callerOfPage(context), ids);
    const options = { ...AREA, title: 'Merge tags', status: problems?.status ?? 200 };
    return renderPage(this.ports, context, options, <MergeForm preview={preview} problems={problems} />);
  }
}

function idsOf(texts: readonly string[]): readonly Id[] {
  return [...new Set(texts.map((text) => parseId(text) ?? 0))];
}

/** The options of every page about tags. */
const AREA = { section: 'tags', styles: ['areas.css'] } as const;
