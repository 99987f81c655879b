import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import { editPhoto } from '../../../core/photos/edit-photo.js';
import { readPhoto } from '../../../core/photos/read-photo.js';
import { purgePhoto, trashPhoto } from '../../../core/photos/trash.js';
import type { Ports } from '../../../core/ports.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { editTag } from '../../../core/tags/edit-tag.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import type { Flash } from '../browser-session.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { libraryPath, photoPath, readLibraryQuery } from '../library-query/library-query.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { Confirm } from '../parts.js';
import { photoName } from '../picture.js';
import { sentSeconds } from './bulk-action-form.js';
import { sentFocus } from './focus-form.js';
import { addTag } from './selection.js';

type RawQuery = Record<string, unknown>;

/** Actions of a person on one photo: tags, focus, shift of the capture time, trash, restore, delete permanently. Each form returns to the photo. */
@Controller('settings/photos')
export class PhotoChangesController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post(':id/tags')
  @RequireRole('editor')
  addTag(@CurrentPageContext() context: PageContext, @PathId('id') id: Id, @Query() query: RawQuery): Promise<Reply> {
    return this.change(context, id, query, async (caller) => {
      // Before a tag is created for a photo that does not exist.
      await readPhoto(this.ports, caller, id, { trashedToo: false, withExif: false });
      await addTag(this.ports, caller, id, context.form.text('tag', FieldLength.line));
      return 'Tag added.';
    });
  }

  @Post(':id/tags/remove')
  @RequireRole('editor')
  removeTag(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query() query: RawQuery,
  ): Promise<Reply> {
    return this.change(context, id, query, async (caller) => {
      await readPhoto(this.ports, caller, id, { trashedToo: false, withExif: false });
      await editTag(this.ports, caller, parseId(context.form.text('tag', FieldLength.line)) ?? 0, {
        removePhotoIds: [id],
      });
      return 'Tag removed.';
    });
  }

  @Post(':id/focus')
  @RequireRole('editor')
  setFocus(@CurrentPageContext() context: PageContext, @PathId('id') id: Id, @Query() query: RawQuery): Promise<Reply> {
    return this.change(context, id, query, async (caller) => {
      await editPhoto(this.ports, caller, id, { focus: sentFocus(context.form) });
      return 'Focus saved.';
    });
  }

  @Post(':id/focus/remove')
  @RequireRole('editor')
  removeFocus(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query() query: RawQuery,
  ): Promise<Reply> {
    return this.change(context, id, query, async (caller) => {
      await editPhoto(this.ports, caller, id, { focus: null });
      return 'Focus removed.';
    });
  }

  @Post(':id/shift')
  @RequireRole('editor')
  shift(@CurrentPageContext() context: PageContext, @PathId('id') id: Id, @Query() query: RawQuery): Promise<Reply> {
    return this.change(context, id, query, async (caller) => {
      await editPhoto(this.ports, caller, id, { shiftTakenAt: { seconds: sentSeconds(context.form) } });
      return 'Capture time changed.';
    });
  }

  @Post(':id/trash')
  @RequireRole('editor')
  trash(@CurrentPageContext() context: PageContext, @PathId('id') id: Id, @Query() query: RawQuery): Promise<Reply> {
    return this.change(context, id, query, async (caller) => {
      await trashPhoto(this.ports, caller, id);
      return 'Moved to the trash.';
    });
  }

  @Post(':id/restore')
  @RequireRole('editor')
  restore(@CurrentPageContext() context: PageContext, @PathId('id') id: Id, @Query() query: RawQuery): Promise<Reply> {
    return this.change(context, id, query, async (caller) => {
      await editPhoto(this.ports, caller, id, { trashed: false });
      return 'Restored from the trash.';
    });
  }

  @Get(':id/delete')
  @RequireRole('editor')
  async confirmDelete(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query() parameters: RawQuery,
  ): Promise<Reply> {
    const query = readLibraryQuery(parameters);
    const { photo } = await readPhoto(this.ports, callerOfPage(context), id, { trashedToo: true, withExif: false });
    const confirm = (
      <Confirm
        title={`Permanently delete ${photoName(photo)}?`}
        action={photoPath(id, query, '/delete')}
        button="Delete permanently"
        back={photoPath(id, query)}
      >
        <p>The original and all its data are removed. This cannot be undone.</p>
      </Confirm>
    );
    return renderPage(this.ports, context, { title: 'Delete permanently', section: 'library' }, confirm);
  }

  @Post(':id/delete')
  @RequireRole('editor')
  async delete(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query() query: RawQuery,
  ): Promise<Reply> {
    await purgePhoto(this.ports, callerOfPage(context), id);
    return redirectTo(context, libraryPath(readLibraryQuery(query)), { kind: 'done', text: 'Permanently deleted.' });
  }

  private async change(
    context: PageContext,
    id: Id,
    query: RawQuery,
    work: (caller: ReturnType<typeof callerOfPage>) => Promise<string>,
  ): Promise<Reply> {
    const back = (flash: Flash) => redirectTo(context, photoPath(id, readLibraryQuery(query)), flash);
    try {
      return back({ kind: 'done', text: await work(callerOfPage(context)) });
    } catch (error) {
      return back({ kind: 'failed', text: problemsOf(error).message });
    }
  }
}
