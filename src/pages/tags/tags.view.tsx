import type { Page } from '../../core/shared/pagination.js';
import { MAX_COUNTED_PHOTOS, type MergePreview } from '../../core/tags/edit-tag.js';
import { MAX_TAG_DESCRIPTION, MAX_TAG_NAME, type Tag } from '../../core/tags/tag.js';
import { MAX_SEARCH_TEXT } from '../../http/requests/parameters.js';
import { Button, Field, Form, Options, ProblemSummary, type Problems } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { useFormats } from '../formats.js';
import { Allowed, useMayActAs } from '../page-context.js';
import { Buttons, Card, Empty, Heading, LinkButton, Moment, Paging, Table } from '../parts.js';
import { FormCard, type FormState } from '../resource-form.js';

/** The search in the list, as its form says it. */
export interface TagSearch {
  readonly q: string;
  readonly sort: string;
  /** `true`, or empty. */
  readonly unused: string;
}

export function TagList({ page, search, cursor }: { page: Page<Tag>; search: TagSearch; cursor: string }) {
  const isSearch = search.q !== '' || search.unused !== '';
  const isBare = page.data.length === 0 && !isSearch && cursor === '';
  return (
    <>
      <Heading title="Tags" lead="Organize photos by tags. A photo can have several.">
        <Allowed least="editor">
          <LinkButton href="/settings/tags/new" icon="plus" label="Create tag" kind="primary" />
        </Allowed>
      </Heading>
      {isBare ? (
        <Empty icon="tag" title="No tags yet">
          <p>Create one here, or let an import or an API client add some.</p>
        </Empty>
      ) : (
        <>
          <Search search={search} />
          {page.data.length === 0 ? (
            <Empty icon="search" title="No tags match">
              <a href="/settings/tags">Show all tags</a>
            </Empty>
          ) : (
            <Rows tags={page.data} />
          )}
          <Paging page={page} path="/settings/tags" query={{ ...search }} cursor={cursor} label="Pages of tags" />
        </>
      )}
    </>
  );
}

function Search({ search }: { search: TagSearch }) {
  return (
    <search>
      <form class="filters" method="get" action="/settings/tags">
        <div class="field">
          <label for="field-q">Name</label>
          <input type="search" id="field-q" name="q" value={search.q} maxLength={MAX_SEARCH_TEXT} />
        </div>
        <div class="field">
          <label for="field-sort">Order</label>
          <select id="field-sort" name="sort">
            <Options choices={orders} chosen={search.sort} />
          </select>
        </div>
        <div class="choice">
          <input type="checkbox" id="field-unused" name="unused" value="true" checked={search.unused === 'true'} />
          <label for="field-unused">Only those without photos</label>
        </div>
        <Button kind="plain">Search</Button>
      </form>
    </search>
  );
}

const orders = [
  ['name', 'A to Z'],
  ['-name', 'Z to A'],
  ['-id', 'Newest first'],
  ['id', 'Oldest first'],
] as const;

/** A form that only leads on: choosing changes nothing, so it works by GET. */
function Rows({ tags }: { tags: readonly Tag[] }) {
  const formats = useFormats();
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
              <Allowed least="editor">
                <LinkButton href={`/settings/tags/${tag.id}`} label="Edit" isSmall name={`Edit ${tag.name}`} />
              </Allowed>
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

export function MergeForm({ preview, problems }: { preview: MergePreview; problems: Problems | null }) {
  const formats = useFormats();
  const { tags, photos } = preview;
  const most = tags.reduce((best, tag) => (tag.photoCount > best.photoCount ? tag : best));
  const count =
    photos >= MAX_COUNTED_PHOTOS
      ? `More than ${formats.number(MAX_COUNTED_PHOTOS - 1)} photos`
      : formats.pluralize(photos, 'photo');
  return (
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
    </>
  );
}

/** `color`: `#rrggbb`, `other` for what `otherColor` says, or empty for none. */
const blank = { name: '', color: '', otherColor: '#888888', description: '' };

export const tagForm = {
  blank,
  lengths: { color: FieldLength.word, otherColor: FieldLength.word, description: FieldLength.text },
  fieldsOf: ({ name, color, description }: Tag) => {
    const isOther = color !== null && !palette.some(([value]) => value === color);
    const shown = isOther
      ? { color: 'other', otherColor: color }
      : { color: color ?? '', otherColor: blank.otherColor };
    return { name, ...shown, description: description ?? '' };
  },
  valuesOf: ({ name, color, otherColor, description }: typeof blank) => {
    const chosen = color === 'other' ? otherColor || blank.otherColor : color;
    return { name, color: chosen || null, description: description.trim() || null };
  },
};

export type TagFormState = FormState<Tag, typeof blank>;

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

export function TagForm({ subject, fields, problems }: TagFormState) {
  const formats = useFormats();
  return (
    <>
      {subject === null ? (
        <Heading title="Create tag" />
      ) : (
        <Heading title={subject.name} lead={`On ${formats.pluralize(subject.photoCount, 'photo')}.`}>
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
                <input type="radio" id={`color-${label}`} name="color" value={value} checked={fields.color === value} />
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
}
