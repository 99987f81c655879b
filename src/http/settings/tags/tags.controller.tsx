import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { invalid } from '../../../core/shared/errors.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { createTag } from '../../../core/tags/create-tag.js';
import { deleteTag } from '../../../core/tags/delete-tag.js';
import { editTag } from '../../../core/tags/edit-tag.js';
import { previewMerge } from '../../../core/tags/preview-merge.js';
import { listTags, readTag } from '../../../core/tags/read-tag.js';
import type { Tag } from '../../../core/tags/tag.js';
import { tagSorts } from '../../../core/tags/tag-query.js';
import { For } from '../../api/access.js';
import { PathId } from '../../api/path-id.js';
import { tagListRequest } from '../../api/tags/tag.dto.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { allOfQuery, oneOfQuery } from '../address.js';
import { counted } from '../counted.js';
import { type Problems, problemsOf } from '../form.js';
import type { FormFields } from '../form-fields.js';
import { goTo, page } from '../page.js';
import { callerOfVisit, type Visit, Visiting } from '../visit.js';
import { blankTag, EditTag, fieldsOfTag, NewTag, type TagFields } from './tag-form.view.js';
import { DeleteTag, MergeForm, TagList } from './tags.view.js';

const AREA = { section: 'tags', styles: ['areas.css'] } as const;
/** One stays, the others are as many as one merge takes (API.md §9). */
const MAX_CHOSEN = 21;

/** Tags: found, made, edited, merged, deleted. */
@Controller('settings/tags')
export class TagPagesController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @For('member')
  async list(@Visiting() visit: Visit, @Query() query: Record<string, unknown>): Promise<Reply> {
    const [q, cursor] = [oneOfQuery(query['q']).trim().slice(0, 200), oneOfQuery(query['cursor'])];
    const sort = tagSorts.find((each) => each === query['sort']) ?? 'name';
    const unused = query['unused'] === 'true';
    const asked = { ...(q !== '' && { q }), ...(unused && { unused }), ...(cursor !== '' && { cursor }), sort };
    const found = await listTags(this.ports, callerOfVisit(visit), tagListRequest(asked));
    const search = { q, sort, unused: unused ? 'true' : '' };
    return page(
      this.ports,
      visit,
      { ...AREA, title: 'Tags' },
      <TagList page={found} search={search} cursor={cursor} />,
    );
  }

  @Get('new')
  @For('member')
  blank(@Visiting() visit: Visit): Reply {
    return this.newTag(visit, blankTag, null);
  }

  @Post('new')
  @For('member')
  async create(@Visiting() visit: Visit): Promise<Reply> {
    const fields = fieldsOf(visit.form);
    try {
      const { tag } = await createTag(this.ports, callerOfVisit(visit), said(fields));
      return goTo(visit, '/settings/tags', { kind: 'done', text: `The tag “${tag.name}” was created.` });
    } catch (error) {
      return this.newTag(visit, fields, problemsOf(error));
    }
  }

  @Get('merge')
  @For('member')
  async chooseMerge(@Visiting() visit: Visit, @Query('id') asked: unknown): Promise<Reply> {
    const ids = idsOf(allOfQuery(asked));
    if (ids.length >= 2 && ids.length <= MAX_CHOSEN) return this.mergePage(visit, ids, null);
    const text = `Choose two tags or more to merge, at most ${MAX_CHOSEN}.`;
    return goTo(visit, '/settings/tags', { kind: 'failed', text });
  }

  @Post('merge')
  @For('member')
  async merge(@Visiting() visit: Visit): Promise<Reply> {
    const ids = idsOf(visit.form.all('id'));
    const into = parseId(visit.form.text('into')) ?? 0;
    try {
      if (ids.length > MAX_CHOSEN) {
        throw invalid({ field: 'id', code: 'too_many', message: `A merge takes at most ${MAX_CHOSEN} tags.` });
      }
      const mergeTagIds = ids.filter((id) => id !== into);
      const tag = await editTag(this.ports, callerOfVisit(visit), into, { mergeTagIds });
      const text = `${counted(mergeTagIds.length, 'tag')} merged into “${tag.name}”, now on ${counted(tag.photoCount, 'photo')}.`;
      return goTo(visit, '/settings/tags', { kind: 'done', text });
    } catch (error) {
      return this.mergePage(visit, ids, problemsOf(error));
    }
  }

  @Get(':id')
  @For('member')
  async show(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const tag = await readTag(this.ports, callerOfVisit(visit), id);
    return this.editPage(visit, tag, fieldsOfTag(tag), null);
  }

  @Post(':id')
  @For('member')
  async edit(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const [caller, fields] = [callerOfVisit(visit), fieldsOf(visit.form)];
    const tag = await readTag(this.ports, caller, id);
    try {
      const { name } = await editTag(this.ports, caller, id, said(fields));
      return goTo(visit, '/settings/tags', { kind: 'done', text: `The tag “${name}” was saved.` });
    } catch (error) {
      return this.editPage(visit, tag, fields, problemsOf(error));
    }
  }

  @Get(':id/delete')
  @For('member')
  async askDelete(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const tag = await readTag(this.ports, callerOfVisit(visit), id);
    return page(this.ports, visit, { ...AREA, title: 'Delete a tag' }, <DeleteTag tag={tag} />);
  }

  @Post(':id/delete')
  @For('member')
  async delete(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const caller = callerOfVisit(visit);
    const { name } = await readTag(this.ports, caller, id);
    await deleteTag(this.ports, caller, id);
    return goTo(visit, '/settings/tags', { kind: 'done', text: `The tag “${name}” was deleted.` });
  }

  private newTag(visit: Visit, fields: TagFields, problems: Problems | null): Reply {
    const words = { ...AREA, title: 'New tag', status: problems?.status ?? 200 };
    return page(this.ports, visit, words, <NewTag fields={fields} problems={problems} />);
  }

  private editPage(visit: Visit, tag: Tag, fields: TagFields, problems: Problems | null): Reply {
    const words = { ...AREA, title: tag.name, status: problems?.status ?? 200 };
    return page(this.ports, visit, words, <EditTag tag={tag} fields={fields} problems={problems} />);
  }

  private async mergePage(visit: Visit, ids: readonly Id[], problems: Problems | null): Promise<Reply> {
    const preview = await previewMerge(this.ports, callerOfVisit(visit), ids);
    const words = { ...AREA, title: 'Merge tags', status: problems?.status ?? 200 };
    return page(this.ports, visit, words, <MergeForm preview={preview} problems={problems} />);
  }
}

function fieldsOf(form: FormFields): TagFields {
  const { otherColor } = blankTag;
  const [name, description] = [form.text('name'), form.text('description')];
  return { name, description, color: form.text('color'), otherColor: form.text('otherColor') || otherColor };
}

function said({ name, color, otherColor, description }: TagFields) {
  const chosen = color === 'other' ? otherColor : color;
  return { name, color: chosen || null, description: description.trim() || null };
}

function idsOf(texts: readonly string[]): readonly Id[] {
  return [...new Set(texts.map((text) => parseId(text) ?? 0))];
}
