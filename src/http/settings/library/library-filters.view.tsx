import { MAX_TAG_NAME } from '../../../core/tags/tag.js';
import { Button } from '../form.js';
import { type LibraryQuery, libraryPath, librarySorts } from './library-query.js';

export function Filters({ query }: { query: LibraryQuery }) {
  const isOpen = [query.tag, query.from, query.to].some((text) => text !== '');
  return (
    <search aria-label="Photos">
      <form class="filters" method="get" action="/settings/library">
        {query.trash && <input type="hidden" name="view" value="trash" />}
        {query.importId !== null && <input type="hidden" name="import" value={query.importId} />}
        <div class="search">
          <label class="unseen" for="filter-q">
            Search
          </label>
          <input
            id="filter-q"
            type="search"
            name="q"
            value={query.q}
            placeholder="Search titles, file names, tags, places"
          />
          <label class="unseen" for="filter-sort">
            Order
          </label>
          <select id="filter-sort" name="sort">
            {librarySorts.map(([value, text]) => (
              <option key={value} value={value} selected={value === query.sort}>
                {text}
              </option>
            ))}
          </select>
          <Button kind="plain">Show</Button>
        </div>
        <details open={isOpen}>
          <summary>Tag and date</summary>
          <div class="narrow-by">
            <TagField label="Tag" id="filter-tag" value={query.tag} />
            <div class="field">
              <label for="filter-from">Taken from</label>
              <input id="filter-from" type="date" name="from" value={query.from} />
            </div>
            <div class="field">
              <label for="filter-to">Taken until</label>
              <input id="filter-to" type="date" name="to" value={query.to} />
            </div>
          </div>
        </details>
        <Narrowed query={query} />
      </form>
    </search>
  );
}

/** A field for the name of a tag; a script suggests those that there are. */
export function TagField({ label, id, value = '' }: { label: string; id: string; value?: string }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        name="tag"
        value={value}
        maxLength={MAX_TAG_NAME}
        autocomplete="off"
        list={`${id}-names`}
      />
      <datalist id={`${id}-names`} data-tag-names />
    </div>
  );
}

/** What narrows the list, each with a link that takes it away. */
function Narrowed({ query }: { query: LibraryQuery }) {
  const by: [string, Partial<LibraryQuery>][] = [];
  if (query.q) by.push([`“${query.q}”`, { q: '' }]);
  if (query.tag) by.push([`Tag ${query.tag}`, { tag: '' }]);
  if (query.from) by.push([`From ${query.from}`, { from: '' }]);
  if (query.to) by.push([`Until ${query.to}`, { to: '' }]);
  if (query.importId !== null) by.push([`Import ${query.importId}`, { importId: null }]);
  if (by.length === 0) return null;
  return (
    <ul class="narrowed" aria-label="Active filters">
      {by.map(([text, without]) => (
        <li key={text}>
          <a class="badge" href={libraryPath({ ...query, ...without })}>
            {text} <span aria-hidden="true">×</span>
            <span class="unseen">, remove filter</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
