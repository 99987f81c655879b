import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../../core/access/caller.js';
import type { BulkActionInput } from '../../core/bulk-edits/bulk-action.js';
import { type BulkEdit, MAX_CHOSEN_PHOTOS } from '../../core/bulk-edits/bulk-edit.js';
import { readBulkEdit, startBulkEdit } from '../../core/bulk-edits/manage-bulk-edits.js';
import { runBulkEdit } from '../../core/bulk-edits/run-bulk-edit.js';
import { listOriginals, listPhotos, type StoredOriginal } from '../../core/photos/list-photos.js';
import { openOriginalOf } from '../../core/photos/original.js';
import type { PhotoFilters } from '../../core/photos/photo-query.js';
import { purgePhotos } from '../../core/photos/trash.js';
import type { Ports } from '../../core/ports.js';
import { invalid, unlessGone } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { RequireRole } from '../../http/access.js';
import type { Reply } from '../../http/responses/reply.js';
import { sendGenerated } from '../../http/responses/send-lines.js';
import { withFileNames, type ZipEntry, zipOf } from '../../http/responses/zip.js';
import { requestContextOf, wantsPage } from '../../http/server/request-context.js';
import { oneOfQuery } from '../address.js';
import { Form, problemsOf } from '../form.js';
import { FieldLength, type FormFields } from '../form-fields.js';
import { type EditStatus, editStatus } from '../history/history.controller.js';
import {
  type LibraryQuery,
  libraryFilters,
  libraryPath,
  readLibraryQuery,
  selectionPath,
} from '../library-query/library-query.js';
import { PageController, redirectTo, replyToScript } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { Buttons } from '../parts.js';

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
        const ids = await fewSelected(this.ports, caller, selection);
        return this.render(
          context,
          { title: 'Delete permanently', section: 'library' },
          <section class="card confirm">
            <h1>Permanently delete {context.formats.pluralize(ids.length, 'photo')}?</h1>
            <p>The originals and all their data are removed. This cannot be undone.</p>
            <Form action={selectionPath(query)}>
              <input type="hidden" name="do" value="delete" />
              <input type="hidden" name="confirmed" value="yes" />
              {ids.map((id) => (
                <input key={id} type="hidden" name="ids" value={id} />
              ))}
              <Buttons label="Delete permanently" kind="danger" cancel={libraryPath(query)} />
            </Form>
          </section>,
        );
      }
      if (what === 'delete') {
        const ids = await fewSelected(this.ports, caller, selection);
        const results = await purgePhotos(this.ports, caller, ids);
        const removed = results.filter(({ outcome }) => outcome === 'deleted');
        const photos = context.formats.pluralize(removed.length, 'photo');
        return answer({ kind: 'done', text: `${photos} permanently deleted.` });
      }
      const button = editButtons.find((each) => each === what);
      if (button === undefined) {
        throw invalid({ field: 'do', code: 'invalid_format', message: 'Choose an action for these photos.' });
      }
      const edit = await editSelected(this.ports, caller, sentAction(button, form), selection);
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

/** Maximum number of photos that one form deletes or shares. */
const MAX_AT_ONCE = 1000;

/** Photos that were chosen one by one, or the filters that all match. */
type Selection = readonly Id[] | PhotoFilters;

/** Errors: `invalid_request` when too many are selected. Invalid ids are ignored. */
export function selectedIds(texts: readonly string[], most = MAX_AT_ONCE): readonly Id[] {
  const ids = [...new Set(texts.flatMap((text) => parseId(text) ?? []))];
  if (ids.length <= most) return ids;
  const message = `Select at most ${most} photos at once.`;
  throw invalid({ field: 'ids', code: 'too_many', message, max: most });
}

/** Their ids. Errors: `invalid_request` when more photos are selected than can be deleted or shared at once. */
async function fewSelected(ports: Ports, caller: Caller, selection: Selection): Promise<readonly Id[]> {
  // At most one more than are allowed at once.
  const request = { sort: 'id', limit: MAX_AT_ONCE + 1, cursor: null } as const;
  const ids =
    'length' in selection
      ? selection
      : (await listPhotos(ports, caller, { ...request, filters: selection })).data.map(({ id }) => id);
  if (ids.length <= MAX_AT_ONCE) return ids;
  const message = `Select at most ${MAX_AT_ONCE} photos for this.`;
  throw invalid({ field: 'ids', code: 'too_many', message, max: MAX_AT_ONCE });
}

/**
 * Starts an edit of the selection, and makes its first changes: of few photos, those are all, and the page that follows shows them. Errors:
 * those of `startBulkEdit`.
 */
export async function editSelected(
  ports: Ports,
  caller: Caller,
  action: BulkActionInput,
  selection: Selection,
): Promise<BulkEdit> {
  const chosen = 'length' in selection ? { photoIds: selection } : { filters: selection };
  const { id } = await startBulkEdit(ports, caller, action, chosen);
  await runBulkEdit(ports, caller.customerId, id);
  return readBulkEdit(ports, caller, id);
}

const editButtons = [
  'tag',
  'untag',
  'rate',
  'shift',
  'rotate-left',
  'rotate-half',
  'rotate-right',
  'trash',
  'restore',
] as const;
export type EditButton = (typeof editButtons)[number];

/** The action of a button, with the fields beside it. What is not a number is out of range. */
function sentAction(button: EditButton, form: FormFields): BulkActionInput {
  switch (button) {
    case 'tag':
      return { kind: 'add_tags', tagNames: [form.text('tag', FieldLength.line)] };
    case 'untag':
      return { kind: 'remove_tags', tagNames: [form.text('tag', FieldLength.line)] };
    case 'rate': {
      const rating = form.text('rating', FieldLength.word);
      return { kind: 'set_rating', rating: rating === '' ? null : Number(rating) };
    }
    case 'shift':
      return {
        kind: 'shift_time',
        seconds: sentSeconds(form),
        timeZone: form.text('timeZone', FieldLength.line).trim() || null,
      };
    case 'rotate-left':
      return { kind: 'rotate', degrees: 270 };
    case 'rotate-half':
      return { kind: 'rotate', degrees: 180 };
    case 'rotate-right':
      return { kind: 'rotate', degrees: 90 };
    case 'trash':
    case 'restore':
      return { kind: button };
  }
}

const unitSeconds = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const;

/** Later by so many seconds, or earlier if negative, as `ShiftFields` sends them. */
export function sentSeconds(form: FormFields): number {
  const sum = Object.entries(unitSeconds).reduce(
    (total, [name, length]) => total + Number(form.text(name, FieldLength.line)) * length,
    0,
  );
  // No −0.
  return form.text('direction', FieldLength.word) === 'back' ? 0 - sum : sum;
}
