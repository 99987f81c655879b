import { MAX_SEARCH_NAME, type SavedSearch } from '../../core/searches/saved-search.js';
import { Button, Form, OtherAction } from '../form.js';
import { isNarrow, type LibraryQuery, queryText } from '../library-query/library-query.js';
import { useMayActAs } from '../page-context.js';

/** Saved searches to go to and to edit, and a form that saves what is active now. */
export function SavedSearches({ searches, query }: { searches: readonly SavedSearch[]; query: LibraryQuery }) {
  const current = queryText(query);
  const mayEdit = useMayActAs('editor');
  const isNew = mayEdit && isNarrow(query) && !searches.some((search) => search.query === current);
  if (searches.length === 0 && !isNew) return null;
  return (
    <div class="saved-searches">
      {searches.length > 0 && (
        <nav aria-label="Saved searches">
          <ul>
            {searches.map((search) => (
              <li key={search.id}>
                <a
                  href={`/settings/library?${search.query}`}
                  aria-current={search.query === current ? 'true' : undefined}
                  data-narrows
                >
                  {search.name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {isNew && (
        <details>
          <summary>Save this search</summary>
          <Form action="/settings/searches" class="named" label="Save this search">
            <NameField id="new-search" value="" current={current} />
            <Button kind="plain">Save</Button>
          </Form>
        </details>
      )}
      {mayEdit && searches.length > 0 && (
        <details>
          <summary>Edit saved searches</summary>
          {searches.map(({ id, name }) => (
            <Form key={id} action={`/settings/searches/${id}/rename`} class="named" label={`Search ${name}`}>
              <NameField id={`search-${id}`} value={name} current={current} />
              <Button kind="plain">Rename</Button>
              <OtherAction path={`/settings/searches/${id}/delete`} label="Delete" name={`Delete ${name}`} />
            </Form>
          ))}
        </details>
      )}
    </div>
  );
}

function NameField({ id, value, current }: { id: string; value: string; current: string }) {
  return (
    <>
      <input type="hidden" name="query" value={current} />
      <label class="unseen" for={id}>
        Name of the search
      </label>
      <input
        id={id}
        type="text"
        name="name"
        value={value}
        required
        maxLength={MAX_SEARCH_NAME}
        placeholder="Name"
        autocomplete="off"
      />
    </>
  );
}
