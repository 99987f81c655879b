import { Controller, Post } from '@nestjs/common';
import { deleteSearch, renameSearch, saveSearch } from '../../core/searches/save-search.js';
import { MAX_SEARCH_NAME, type SavedSearch } from '../../core/searches/saved-search.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { Button, Form, OtherAction } from '../form.js';
import { FieldLength } from '../form-fields.js';
import {
  isNarrow,
  type LibraryQuery,
  libraryPath,
  queryText,
  readLibraryQuery,
} from '../library-query/library-query.js';
import { PageController, redirectAfter } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext, useMayActAs } from '../page-context.js';

/** Saved searches: the library lists them, and their forms lead back to it. */
@Controller('settings/searches')
@RequireRole('editor')
export class SearchesController extends PageController {
  @Post()
  save(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.change(context, async (query) => {
      const { name } = await saveSearch(this.ports, callerOfPage(context), {
        name: context.form.text('name', FieldLength.line),
        query,
      });
      return `Search “${name}” saved.`;
    });
  }

  @Post(':id/rename')
  rename(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.change(context, async () => {
      await renameSearch(this.ports, callerOfPage(context), id, context.form.text('name', FieldLength.line));
      return 'Search renamed.';
    });
  }

  @Post(':id/delete')
  delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.change(context, async () => {
      await deleteSearch(this.ports, callerOfPage(context), id);
      return 'Search deleted.';
    });
  }

  /** The list that the form stands above is in its field `query`: only what an address of the library may say is kept of it. */
  private change(context: PageContext, act: (query: string) => Promise<string>): Promise<Reply> {
    const parameters = Object.fromEntries(new URLSearchParams(context.form.text('query', FieldLength.opaque)));
    const query = readLibraryQuery(parameters);
    return redirectAfter(context, libraryPath(query), async () => ({ text: await act(queryText(query)) }));
  }
}

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
