import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Caller } from '../../core/access/caller.js';
import { openFullPicture } from '../../core/delivery/open-named-picture.js';
import { isRenditionName } from '../../core/media/media-reader.js';
import type { GeoPoint } from '../../core/media/picture-metadata.js';
import { editPhoto } from '../../core/photos/edit-photo.js';
import { readNeighbours } from '../../core/photos/list-photos.js';
import { readPhoto } from '../../core/photos/read-photo.js';
import { downloadRendition } from '../../core/photos/renditions/rendition.js';
import { renditionUrls } from '../../core/photos/renditions/signed-url.js';
import { purgePhoto, trashPhoto } from '../../core/photos/trash.js';
import { notFound } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { createTag } from '../../core/tags/create-tags.js';
import { editTag } from '../../core/tags/edit-tag.js';
import { RequireRole } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PathId } from '../../http/requests/parameters.js';
import { openDownload, sendableRendition } from '../../http/responses/photo-download.js';
import type { Reply } from '../../http/responses/reply.js';
import { privateHeaders, sendDownload } from '../../http/responses/send-download.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { editFlash } from '../history/history.controller.js';
import {
  type LibraryQuery,
  libraryFilters,
  libraryPath,
  photoPath,
  queryText,
  readLibraryQuery,
} from '../library-query/library-query.js';
import { PageController, redirectAfter, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { Confirm } from '../parts.js';
import { photoName } from '../picture.js';
import { editsOf } from '../resource-form.js';
import { locationText, readLocation, sentFocus } from './location.view.js';
import { LIBRARY_STYLES, PhotoPage, type WrongForm } from './photo.view.js';
import { type FormTexts, fieldsOf, patchOf, sentFields } from './photo-form.js';
import { editSelected, sentSeconds } from './selection.controller.js';
import { tileOrigins } from './world.js';

/** One photo: its picture and its metadata. */
@Controller('settings/photos')
@RequireRole('editor')
export class PhotoController extends PageController {
  @Inject(HTTP_OPTIONS) private readonly http: HttpOptions;

  @Get(':id')
  @RequireRole('viewer')
  show(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.page(context, id, listOf(context));
  }

  @Post(':id')
  async edit(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const query = listOf(context);
    const fields = sentFields(context.form);
    const { changed, requireUnchanged } = editsOf(context.form, fields);
    try {
      await editPhoto(this.ports, callerOfPage(context), id, patchOf(changed, fields), (current) =>
        requireUnchanged(fieldsOf(current)),
      );
      return this.saved(context, id, query);
    } catch (error) {
      return this.page(context, id, query, changed, { name: 'details', problems: problemsOf(error) });
    }
  }

  /** In the history, like actions on many photos, so that it can be undone. */
  @Post(':id/location')
  async setLocation(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const query = listOf(context);
    const location = context.form.text('location', FieldLength.line).trim();
    const { changed, requireUnchanged } = editsOf(context.form, { location });
    if (changed.location === undefined) return this.saved(context, id, query);
    try {
      return await this.moveTo(context, id, query, location, (current) => {
        requireUnchanged({ location: locationText(current) });
        return readLocation(location);
      });
    } catch (error) {
      return this.page(context, id, query, { location }, { name: 'location', problems: problemsOf(error) });
    }
  }

  @Post(':id/location/remove')
  removeLocation(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.moveTo(context, id, listOf(context), locationText(null), () => null);
  }

  private saved(context: PageContext, id: Id, query: LibraryQuery): Reply {
    return redirectTo(context, photoPath(id, query), { kind: 'done', text: 'Saved.' });
  }

  /** @param text The location as in its field: one that stays keeps its altitude. */
  private async moveTo(
    context: PageContext,
    id: Id,
    query: LibraryQuery,
    text: string,
    read: (current: GeoPoint | null) => ReturnType<typeof readLocation> | null,
  ): Promise<Reply> {
    const caller = callerOfPage(context);
    const { photo } = await readPhoto(this.ports, caller, id, { trashedToo: false, withExif: false });
    if (text === locationText(photo.location)) return this.saved(context, id, query);
    const location = read(photo.location);
    const edit = await editSelected(this.ports, caller, { kind: 'set_location', location }, [id]);
    const flash = editFlash(context.formats, edit, `photo=${id}&${queryText(query)}`);
    const done = location === null ? 'Location removed.' : 'Location saved.';
    return redirectTo(context, photoPath(id, query), edit.changed === 1 ? { ...flash, text: done } : flash);
  }

  private async page(
    context: PageContext,
    id: Id,
    query: LibraryQuery,
    sent: Partial<FormTexts> = {},
    wrong: WrongForm | null = null,
  ): Promise<Reply> {
    const caller = callerOfPage(context);
    const { photo, exif } = await readPhoto(this.ports, caller, id, { trashedToo: true, withExif: true });
    const { filters } = await libraryFilters(this.ports, caller, query);
    const neighbours = filters
      ? await readNeighbours(this.ports, caller, photo, { filters, sort: query.sort })
      : { previous: null, next: null };
    const shown = { photo, urls: renditionUrls(this.ports, caller, photo) };
    const options = {
      title: photoName(photo),
      section: 'library',
      styles: [...LIBRARY_STYLES, 'map.css'],
      scripts: ['photo.js', 'tag-names.js', 'time-zones.js'],
      isWide: true,
      pictures: tileOrigins(this.http),
      problems: wrong?.problems,
    };
    const tiles = this.http.mapTiles;
    const about = { shown, exif, wrong, neighbours, query, tiles, fields: { ...fieldsOf(photo), ...sent } };
    return this.render(context, options, <PhotoPage {...about} />);
  }
}

/** Actions of a person on one photo: tags, focus, shift of the capture time, trash, restore, delete permanently. Each form returns to the photo. */
@Controller('settings/photos')
@RequireRole('editor')
export class PhotoChangesController extends PageController {
  @Post(':id/tags')
  addTag(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.change(context, id, 'Tag added.', async (caller) => {
      // Before a tag is created for a photo that does not exist.
      await readPhoto(this.ports, caller, id, { trashedToo: false, withExif: false });
      const { tag } = await createTag(
        this.ports,
        caller,
        { name: context.form.text('tag', FieldLength.line) },
        'return',
      );
      await editTag(this.ports, caller, tag.id, { addPhotoIds: [id] });
    });
  }

  @Post(':id/tags/remove')
  removeTag(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.change(context, id, 'Tag removed.', async (caller) => {
      await readPhoto(this.ports, caller, id, { trashedToo: false, withExif: false });
      const tagId = parseId(context.form.text('tag', FieldLength.line)) ?? 0;
      await editTag(this.ports, caller, tagId, { removePhotoIds: [id] });
    });
  }

  @Post(':id/focus')
  setFocus(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.change(context, id, 'Focus saved.', (caller) =>
      editPhoto(this.ports, caller, id, { focus: sentFocus(context.form) }),
    );
  }

  @Post(':id/focus/remove')
  removeFocus(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.change(context, id, 'Focus removed.', (caller) => editPhoto(this.ports, caller, id, { focus: null }));
  }

  @Post(':id/shift')
  shift(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.change(context, id, 'Capture time changed.', (caller) =>
      editPhoto(this.ports, caller, id, { shiftTakenAt: { seconds: sentSeconds(context.form) } }),
    );
  }

  @Post(':id/trash')
  trash(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.change(context, id, 'Moved to the trash.', (caller) => trashPhoto(this.ports, caller, id));
  }

  @Post(':id/restore')
  restore(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.change(context, id, 'Restored from the trash.', (caller) =>
      editPhoto(this.ports, caller, id, { trashed: false }),
    );
  }

  @Get(':id/delete')
  async confirmDelete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const query = listOf(context);
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
    return this.render(context, { title: 'Delete permanently', section: 'library' }, confirm);
  }

  @Post(':id/delete')
  async delete(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const path = libraryPath(listOf(context));
    await purgePhoto(this.ports, callerOfPage(context), id);
    return redirectTo(context, path, { kind: 'done', text: 'Permanently deleted.' });
  }

  private change(
    context: PageContext,
    id: Id,
    text: string,
    act: (caller: Caller) => Promise<unknown>,
  ): Promise<Reply> {
    return redirectAfter(context, photoPath(id, listOf(context)), async () => {
      await act(callerOfPage(context));
      return { text };
    });
  }
}

/** The list that the person came from, as the address says. */
function listOf({ request }: PageContext): LibraryQuery {
  return readLibraryQuery(request.query);
}

/** The bytes of one photo: its original, and pictures of it. */
@Controller('settings/photos')
@RequireRole('viewer')
export class PhotoBytesController extends PageController {
  @Get(':id/original')
  async original(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Res() response: Response,
  ): Promise<void> {
    await sendDownload(context.request, response, await openDownload(this.ports, callerOfPage(context), id, {}));
  }

  /** All pixels, where a browser cannot display the original. */
  @Get(':id/full')
  async full(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Res() response: Response,
  ): Promise<void> {
    const { name, ...download } = await openFullPicture(this.ports, callerOfPage(context), id);
    const { updatedAt: lastModified } = download.photo;
    const about = { entityTag: `"${name}"`, lastModified, filename: `${id}.jpg` };
    await sendDownload(context.request, response, {
      ...download,
      ...about,
      disposition: 'inline',
      headers: privateHeaders,
    });
  }

  /** For pictures without signed addresses: those in the trash. */
  @Get(':id/rendition/:name')
  async rendition(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Param('name') name: string,
    @Res() response: Response,
  ): Promise<void> {
    if (!isRenditionName(name)) throw notFound('rendition');
    const download = await downloadRendition(this.ports, callerOfPage(context), id, { name, trashedToo: true });
    const sendable = { ...sendableRendition(download), disposition: 'inline', headers: privateHeaders } as const;
    await sendDownload(context.request, response, sendable);
  }
}
