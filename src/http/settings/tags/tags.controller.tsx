import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { createTag } from '../../../core/tags/create-tag.js';
import { deleteTag } from '../../../core/tags/delete-tag.js';
import { editTag } from '../../../core/tags/edit-tag.js';
import { listTags, readTag } from '../../../core/tags/read-tag.js';
import type { Tag } from '../../../core/tags/tag.js';
import { tagSorts } from '../../../core/tags/tag-query.js';
import { For } from '../../api/access.js';
import { PathId } from '../../api/path-id.js';
import { tagListRequest } from '../../api/tags/tag.dto.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { oneOfQuery } from '../address.js';
import { type Problems, problemsOf } from '../form.js';
import type { FormFields } from '../form-fields.js';
import { goTo, page } from '../page.js';
import { callerOfVisit, type Visit, Visiting } from '../visit.js';
import { AREA } from './tag-area.js';
import { blankTag, EditTag, fieldsOfTag, NewTag, type TagFields } from './tag-form.view.js';
import { DeleteTag, TagList } from './tags.view.js';

/** Tags: found, made, edited, deleted. */
@Controller('settings/tags')
export class TagPagesController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @For('member')
  async list(@Visiting() visit: Visit, @Query() query: Record<string, unknown>): Promise<Reply> {
    const [q, cursor] = [oneOfQuery(query['q']).trim().slice(0, 200), oneOfQuery(query['cursor'])];
    const sort = tagSorts.find((each) => each === query['sort']) ?? 'name';
    const unused = query['unused'] === 'true';
    const parameters = { ...(q !== '' && { q }), ...(unused && { unused }), ...(cursor !== '' && { cursor }), sort };
    const found = await listTags(this.ports, callerOfVisit(visit), tagListRequest(parameters));
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
