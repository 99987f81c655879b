import { Controller, Post } from '@nestjs/common';
import { deleteSearch, renameSearch, saveSearch } from '../../core/searches/save-search.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { FieldLength } from '../form-fields.js';
import { libraryPath, queryText, readLibraryQuery } from '../library-query/library-query.js';
import { PageController, redirectAfter } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';

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
