import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../../core/access/caller.js';
import { MAX_CHOSEN_PHOTOS } from '../../core/bulk-edits/bulk-edit.js';
import { listOriginals, type StoredOriginal } from '../../core/photos/list-photos.js';
import { openOriginalOf } from '../../core/photos/original.js';
import type { Ports } from '../../core/ports.js';
import { invalid, unlessGone } from '../../core/shared/errors.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { sendGenerated } from '../../http/responses/send-lines.js';
import { withFileNames, type ZipEntry, zipOf } from '../../http/responses/zip.js';
import { requestContextOf, wantsPage } from '../../http/server/request-context.js';
import { oneOfQuery } from '../address.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { type EditStatus, editStatus } from '../history/history.controller.js';
import { type LibraryQuery, libraryFilters, libraryPath, readLibraryQuery } from '../library-query/library-query.js';
import { PageController, redirectTo, replyToScript } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import {
  deleteSelected,
  editSelected,
  fewSelected,
  isEditButton,
  type Selection,
  selectedIds,
  sentAction,
} from './selection.js';
import { ConfirmDeletion } from './selection.view.js';

const nothing: EditStatus = { kind: 'failed', text: 'Select some photos first.' };

/** The actions of people on selected photos, or on all that the query in the address matches. */
@Controller('settings/library/selection')
@RequireRole('editor')
export class SelectionController extends PageController {
  @Post()
  async change(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form } = context;
    const parameters = context.request.query;
    const caller = callerOfPage(context);
    const query = readLibraryQuery(parameters);
    // Scripts show the message where the person is; without them, the list begins anew.
    const answer = (status: EditStatus) => {
      if (!wantsPage(requestContextOf(context.request), context.request)) return replyToScript(context, status);
      const { kind, text, undo } = status;
      return redirectTo(context, libraryPath(query), { kind, text, ...(undo && { undo }) });
    };
    // A form that takes an action back names its own in its address.
    const what = form.text('do', FieldLength.word) || oneOfQuery(parameters['do']);
    try {
      const selection = await this.selection(context, caller, query);
      if (selection === null) return answer(nothing);
      const page = context.forSelection.find(({ name }) => name === what);
      if (page !== undefined) {
        // A thousand ids fit into an address, which is short of a character between two that would be encoded.
        const ids = await fewSelected(this.ports, caller, selection);
        return redirectTo(context, `${page.path}?photos=${ids.join('.')}`);
      }
      if (what === 'delete' && !form.has('confirmed')) {
        const options = { title: 'Delete permanently', section: 'library' };
        const ids = await fewSelected(this.ports, caller, selection);
        return this.render(context, options, <ConfirmDeletion ids={ids} query={query} />);
      }
      if (what === 'delete') {
        const ids = await fewSelected(this.ports, caller, selection);
        return answer({ kind: 'done', text: await deleteSelected(context.formats, this.ports, caller, ids) });
      }
      if (!isEditButton(what)) {
        throw invalid({ field: 'do', code: 'invalid_format', message: 'Choose an action for these photos.' });
      }
      const edit = await editSelected(this.ports, caller, sentAction(what, form), selection);
      return answer(editStatus(context.formats, edit));
    } catch (error) {
      return answer({ kind: 'failed', text: problemsOf(error).message });
    }
  }

  /** The originals, byte for byte. */
  @Post('photos.zip')
  @HttpCode(200)
  async download(@CurrentPageContext() context: PageContext, @Res() response: Response): Promise<void> {
    const caller = callerOfPage(context);
    const selection = await this.selection(context, caller, readLibraryQuery(context.request.query));
    if (selection === null) throw invalid({ field: 'ids', code: 'required', message: nothing.text });
    const filters = 'length' in selection ? { ids: selection, trashed: 'false' as const } : selection;
    const photos = await listOriginals(this.ports, caller.customerId, filters);
    const file = { filename: 'photos.zip', type: 'application/zip' };
    await sendGenerated(context.request, response, file, zipOf(originalEntries(this.ports, caller, photos)));
  }

  /** Null: nothing is selected, or matches. */
  private async selection({ form }: PageContext, caller: Caller, query: LibraryQuery): Promise<Selection | null> {
    if (form.text('all', FieldLength.word) === '') {
      const ids = selectedIds(form.all('ids', FieldLength.word), MAX_CHOSEN_PHOTOS);
      return ids.length === 0 ? null : ids;
    }
    const { filters, problems } = await libraryFilters(this.ports, caller, query);
    // What could not be parsed is not in the filters, which would match more than the person sees.
    if (problems[0] !== undefined) throw invalid({ field: 'all', code: 'invalid_format', message: problems[0] });
    return filters;
  }
}

/** The files of an archive, each opened when the one before has been sent. A photo that was deleted meanwhile is left out. */
async function* originalEntries(
  ports: Ports,
  caller: Caller,
  photos: readonly StoredOriginal[],
): AsyncGenerator<ZipEntry> {
  for (const { id, path, modifiedAt, sizeBytes } of withFileNames(photos)) {
    const original = await unlessGone(openOriginalOf(ports, caller, id));
    if (original !== null) yield { path, modifiedAt, sizeBytes, bytes: original.bytes };
  }
}
