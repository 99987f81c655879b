import type { Page } from '../../core/shared/pagination.js';
import { MAX_COUNTED, type MergePreview } from '../../core/tags/edit-tag.js';
import type { Tag } from '../../core/tags/tag.js';
import { MAX_SEARCH_TEXT } from '../../http/requests/parameters.js';
import { Button, Buttons, Form, ProblemSummary, type Problems } from '../form.js';
import { useFormats } from '../formats.js';
import { Allowed, useMayActAs } from '../page-context.js';
import { Card, Empty, Heading, Icon, Moment, Paging, Table } from '../parts.js';
import { Swatch } from './tag-form.view.js';

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
          <a class="button primary" href="/settings/tags/new">
            <Icon name="plus" /> Create tag
          </a>
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
            {orders.map(([value, label]) => (
              <option key={value} value={value} selected={value === search.sort}>
                {label}
              </option>
            ))}
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
                <a class="button plain small" href={`/settings/tags/${tag.id}`} aria-label={`Edit ${tag.name}`}>
                  Edit
                </a>
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

export function MergeForm({
  preview: { tags, photos },
  problems,
}: {
  preview: MergePreview;
  problems: Problems | null;
}) {
  const formats = useFormats();
  const most = tags.reduce((best, tag) => (tag.photoCount > best.photoCount ? tag : best));
  const count =
    photos >= MAX_COUNTED ? `More than ${formats.number(MAX_COUNTED - 1)} photos` : formats.pluralize(photos, 'photo');
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
