import { Controller, Get, Post, Query } from '@nestjs/common';
import { tagListRequest } from '../../api/tags/tag.dto.js';
import { invalid } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import type { Precondition } from '../../core/shared/transactional.js';
import { createTag } from '../../core/tags/create-tags.js';
import { deleteTag } from '../../core/tags/delete-tag.js';
import { editTag, MAX_COUNTED_PHOTOS, previewMerge } from '../../core/tags/edit-tag.js';
import { listTags, readTag } from '../../core/tags/read-tag.js';
import {
  MAX_TAG_DESCRIPTION,
  MAX_TAG_NAME,
  type Tag,
  type TagCreation,
  type TagPatch,
  tagSorts,
} from '../../core/tags/tag.js';
import { RequireRole } from '../../http/access.js';
import { MAX_SEARCH_TEXT, PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { oneOfQuery } from '../address.js';
import { Button, Field, Form, Options, ProblemSummary, type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { PageController, redirectTo } from '../page.js';
import {
  Allowed,
  CurrentPageContext,
  callerOfPage,
  InNavigation,
  type PageContext,
  useMayActAs,
  usePageContext,
} from '../page-context.js';
import { Buttons, Card, Confirm, Empty, Heading, LinkButton, Moment, Paging, Table } from '../parts.js';
import { FormCard, type FormState, saveEdits, saveNew } from '../resource-form.js';

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
    const list = (
      <>
        <Heading title="Tags" lead="Organize photos by tags. A photo can have several.">
          <Allowed least="editor">
            <LinkButton href="/settings/tags/new" icon="plus" label="Create tag" kind="primary" />
          </Allowed>
        </Heading>
        {found.data.length === 0 && q === '' && !unused && cursor === '' ? (
          <Empty icon="tag" title="No tags yet">
            <p>Create one here, or let an import or an API client add some.</p>
          </Empty>
        ) : (
          <>
            <search>
              <form class="filters" method="get" action="/settings/tags">
                <div class="field">
                  <label for="field-q">Name</label>
                  <input type="search" id="field-q" name="q" value={q} maxLength={MAX_SEARCH_TEXT} />
                </div>
                <div class="field">
                  <label for="field-sort">Order</label>
                  <select id="field-sort" name="sort">
                    <Options choices={orders} chosen={sort} />
                  </select>
                </div>
                <div class="choice">
                  <input type="checkbox" id="field-unused" name="unused" value="true" checked={unused} />
                  <label for="field-unused">Only those without photos</label>
                </div>
                <Button kind="plain">Search</Button>
              </form>
            </search>
            {found.data.length === 0 ? (
              <Empty icon="search" title="No tags match">
                <a href="/settings/tags">Show all tags</a>
              </Empty>
            ) : (
              <Rows tags={found.data} />
            )}
            <Paging page={found} path="/settings/tags" query={search} cursor={cursor} label="Pages of tags" />
          </>
        )}
      </>
    );
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
    const { name } = await readTag(this.ports, callerOfPage(context), id);
    await deleteTag(this.ports, callerOfPage(context), id);
    return redirectTo(context, LIST, { kind: 'done', text: `The tag “${name}” was deleted.` });
  }

  private form(context: PageContext, { subject, fields, problems }: FormState<Tag, typeof blank>): Reply {
    const page = (
      <>
        {subject === null ? (
          <Heading title="Create tag" />
        ) : (
          <Heading title={subject.name} lead={`On ${context.formats.pluralize(subject.photoCount, 'photo')}.`}>
            <LinkButton href={`/settings/tags/${subject.id}/delete`} label="Delete…" />
          </Heading>
        )}
        <FormCard
          action={`/settings/tags/${subject === null ? 'new' : subject.id}`}
          problems={problems}
          shown={subject && tagForm.fieldsOf(subject)}
          button={subject === null ? 'Create tag' : 'Save'}
          cancel="/settings/tags"
        >
          <Field
            label="Name"
            name="name"
            errors={problems}
            hint="Must be unique; case is ignored."
            input={{ value: fields.name, required: true, maxLength: MAX_TAG_NAME, autocomplete: 'off' }}
          />
          <fieldset class="field">
            <legend>Colour</legend>
            <div class="colors">
              {[['', 'None'] as const, ...palette].map(([value, label]) => (
                <span class="choice" key={value}>
                  <input
                    type="radio"
                    id={`color-${label}`}
                    name="color"
                    value={value}
                    checked={fields.color === value}
                  />
                  <label for={`color-${label}`}>
                    <Swatch color={value || null} /> {label}
                  </label>
                </span>
              ))}
              <span class="choice">
                <input type="radio" id="color-other" name="color" value="other" checked={fields.color === 'other'} />
                <label for="color-other">Another</label>
                <input type="color" name="otherColor" value={fields.otherColor} aria-label="Another colour" />
              </span>
            </div>
            {problems?.of('color').map((message) => (
              <p key={message} class="error">
                {message}
              </p>
            ))}
          </fieldset>
          <Field
            label="Description"
            name="description"
            errors={problems}
            lines={3}
            input={{ value: fields.description, maxLength: MAX_TAG_DESCRIPTION }}
          />
        </FormCard>
      </>
    );
    return this.render(context, { ...AREA, title: subject?.name ?? 'Create tag', problems }, page);
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
    const ids = idsOf([query].flat().filter((each) => typeof each === 'string'));
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
    const { tags, photos } = await previewMerge(this.ports, callerOfPage(context), ids);
    const { formats } = context;
    const most = tags.reduce((best, tag) => (tag.photoCount > best.photoCount ? tag : best));
    const count =
      photos >= MAX_COUNTED_PHOTOS
        ? `More than ${formats.number(MAX_COUNTED_PHOTOS - 1)} photos`
        : formats.pluralize(photos, 'photo');
    return this.render(
      context,
      { ...AREA, title: 'Merge tags', problems },
      <>
        <Heading
          title={`Merge ${formats.pluralize(tags.length, 'tag')} into one`}
          lead="The tag that you keep gets all their photos. The others are deleted. This cannot be undone."
        />
        <Card>
          <ProblemSummary problems={problems} />
          <Form action="/settings/tags/merge">
            {tags.map(({ id }) => (
              <input key={id} type="hidden" name="id" value={String(id)} />
            ))}
            <fieldset>
              <legend>Keep</legend>
              {tags.map((tag) => (
                <div class="choice" key={tag.id}>
                  <input type="radio" id={`into-${tag.id}`} name="into" value={String(tag.id)} checked={tag === most} />
                  <label for={`into-${tag.id}`}>
                    <Swatch color={tag.color} /> {tag.name}{' '}
                    <span class="soft">· {formats.pluralize(tag.photoCount, 'photo')}</span>
                  </label>
                </div>
              ))}
            </fieldset>
            <p class="outcome">{count} will have the remaining tag, including photos in the trash.</p>
            <Buttons label="Merge tags" kind="danger" cancel="/settings/tags" />
          </Form>
        </Card>
      </>,
    );
  }
}

function idsOf(texts: readonly string[]): readonly Id[] {
  return [...new Set(texts.map((text) => parseId(text) ?? 0))];
}

const LIST = '/settings/tags';
const AREA = { section: 'tags', styles: ['areas.css'] } as const;

const orders = [
  ['name', 'A to Z'],
  ['-name', 'Z to A'],
  ['-id', 'Newest first'],
  ['id', 'Oldest first'],
] as const;

/** A form that only leads on: choosing changes nothing, so it works by GET. */
function Rows({ tags }: { tags: readonly Tag[] }) {
  const { formats } = usePageContext();
  const mayEdit = useMayActAs('editor');
  return (
    <form class="rows" method="get" action="/settings/tags/merge">
      <Table
        caption="Tags"
        columns={['Tag', 'Photos', 'Changed', '']}
        rows={tags.map((tag) => ({
          key: tag.id,
          cells: [
            <span key="tag" class="tag-cell">
              {mayEdit && (
                <input type="checkbox" name="id" value={String(tag.id)} aria-label={`Select ${tag.name} for merging`} />
              )}
              <Swatch color={tag.color} />
              <span class="tag-words">
                <a
                  href={
                    mayEdit ? `/settings/tags/${tag.id}` : `/settings/library?${new URLSearchParams({ tag: tag.name })}`
                  }
                >
                  {tag.name}
                </a>
                {tag.description && <span class="small soft">{tag.description}</span>}
              </span>
            </span>,
            formats.number(tag.photoCount),
            <Moment key="at" at={tag.updatedAt} />,
            <span key="do" class="actions">
              {mayEdit && (
                <LinkButton href={`/settings/tags/${tag.id}`} label="Edit" isSmall name={`Edit ${tag.name}`} />
              )}
            </span>,
          ],
        }))}
      />
      <Allowed least="editor">
        <p class="chosen">
          <button type="submit" class="button plain small">
            Merge selected tags…
          </button>
          <span class="hint">Select two or more. The next page shows a preview.</span>
        </p>
      </Allowed>
    </form>
  );
}

/** `color`: `#rrggbb`, `other` for what `otherColor` says, or empty for none. */
const blank = { name: '', color: '', otherColor: '#888888', description: '' };

const tagForm = {
  blank,
  lengths: { color: FieldLength.word, otherColor: FieldLength.word, description: FieldLength.text },
  fieldsOf: ({ name, color, description }: Tag) => {
    const isOther = color !== null && !palette.some(([value]) => value === color);
    const chosen = isOther ? { color: 'other', otherColor: color } : { color: color ?? '' };
    return { ...blank, name, ...chosen, description: description ?? '' };
  },
  valuesOf: ({ name, color, otherColor, description }: typeof blank) => {
    const chosen = color === 'other' ? otherColor || blank.otherColor : color;
    return { name, color: chosen || null, description: description.trim() || null };
  },
};

/** Told apart in the light and in the dark. */
const palette: readonly (readonly [value: string, label: string])[] = [
  ['#d64545', 'Red'],
  ['#e07b39', 'Orange'],
  ['#c99a1b', 'Yellow'],
  ['#4f9d55', 'Green'],
  ['#2f9e9e', 'Teal'],
  ['#3b7dd8', 'Blue'],
  ['#7a5cc9', 'Violet'],
  ['#c4528f', 'Pink'],
  ['#8a7565', 'Brown'],
];

/** The colour of a tag. It says nothing that its name does not, so it is not read out. */
function Swatch({ color }: { color: string | null }) {
  return (
    <svg class="swatch" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      {color === null ? (
        <circle cx="7" cy="7" r="5.5" fill="none" stroke="currentColor" stroke-dasharray="2 2" />
      ) : (
        <circle cx="7" cy="7" r="6.5" fill={color} />
      )}
    </svg>
  );
}
