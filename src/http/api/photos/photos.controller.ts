import { Controller, Delete, Get, HttpCode, Inject, Patch, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../../core/access/caller.js';
import { editPhoto } from '../../../core/photos/edit-photo.js';
import { editPhotos } from '../../../core/photos/edit-photos.js';
import { listPhotos } from '../../../core/photos/list-photos.js';
import { readPhoto, readPhotoTags } from '../../../core/photos/read-photo.js';
import { renditionUrls } from '../../../core/photos/rendition-urls.js';
import { setPhotoTags } from '../../../core/photos/set-photo-tags.js';
import { purgePhoto, trashPhoto } from '../../../core/photos/trash-photo.js';
import { purgePhotos, trashPhotos } from '../../../core/photos/trash-photos.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireScope } from '../../access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http-options.js';
import { PORTS } from '../../ports-token.js';
import type { QueryOf } from '../../requests/parameters.js';
import { AcceptsIdList, isList, PathId, PathIds } from '../../requests/path-id.js';
import { BodySchema, PatchSchema, QuerySchema, ValidBody, ValidQuery } from '../../requests/read-request.js';
import { IfMatch, type IfMatchPrecondition } from '../../responses/entity-tag.js';
import { Outcomes } from '../../responses/reply.js';
import { sendDownload } from '../../responses/send-download.js';
import { WithETag } from '../../responses/send-reply.js';
import { CurrentCaller } from '../current-caller.js';
import { Idempotent, noBody, type RunIdempotently } from '../idempotency/idempotent.js';
import { listView, tagsView } from '../tags/tag.view.js';
import {
  deletionParameters,
  downloadParameters,
  downloadRule,
  PhotoPatchBody,
  PhotoTagsBody,
  photoParameters,
} from './photo.dto.js';
import { photoDeletionView, photoEditView, photoView, photoWithExtras } from './photo.view.js';
import { openDownload } from './photo-bytes.js';
import { photoListParameters, photoListRequest } from './photo-list.dto.js';

@Controller('api/v1/photos')
export class PhotosController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Get()
  @RequireScope('photos:read')
  @QuerySchema(photoListParameters)
  async list(@CurrentCaller() caller: Caller, @ValidQuery() query: QueryOf<typeof photoListParameters>) {
    const page = await listPhotos(this.ports, caller, photoListRequest(query));
    if (!query.include?.includes('urls')) return listView(page, photoView);
    return listView(page, (photo) => photoWithExtras(photo, { urls: renditionUrls(this.ports, caller, photo) }));
  }

  @Get(':id')
  @RequireScope('photos:read')
  @WithETag()
  @QuerySchema(photoParameters)
  async read(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidQuery() { include = [], trashed }: QueryOf<typeof photoParameters>,
  ) {
    const withExif = include.includes('exif');
    const { photo, exif } = await readPhoto(this.ports, caller, id, { trashedToo: trashed === 'any', withExif });
    return photoWithExtras(photo, {
      ...(include.includes('urls') && { urls: renditionUrls(this.ports, caller, photo) }),
      ...(withExif && { exif }),
    });
  }

  @Get(':id/download')
  @RequireScope('photos:read')
  @QuerySchema(downloadParameters, downloadRule)
  async download(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidQuery() query: QueryOf<typeof downloadParameters>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendDownload(request, response, await openDownload(this.ports, caller, id, query), this.options);
  }

  @Get(':id/tags')
  @RequireScope('photos:read')
  async tags(@CurrentCaller() caller: Caller, @PathId('id') id: Id) {
    return tagsView(await readPhotoTags(this.ports, caller, id));
  }

  @Patch(':id')
  @RequireScope('photos:write')
  @WithETag()
  @AcceptsIdList()
  @PatchSchema(PhotoPatchBody)
  async edit(
    @CurrentCaller() caller: Caller,
    @PathIds('id') ids: Id | readonly Id[],
    @ValidBody() body: PhotoPatchBody,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    if (isList(ids)) return new Outcomes((await editPhotos(this.ports, caller, ids, body)).map(photoEditView));
    return idempotent((ports) => editPhoto(ports, caller, ids, body, ifMatch(photoView)), photoView);
  }

  @Put(':id/tags')
  @RequireScope('photos:write')
  @BodySchema(PhotoTagsBody)
  async setTags(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidBody() body: PhotoTagsBody,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    return idempotent((ports) => setPhotoTags(ports, caller, id, body, ifMatch(photoView)), tagsView);
  }

  @Delete(':id')
  @RequireScope('photos:delete')
  @HttpCode(204)
  @AcceptsIdList()
  @QuerySchema(deletionParameters)
  async delete(
    @CurrentCaller() caller: Caller,
    @PathIds('id') ids: Id | readonly Id[],
    @ValidQuery() { permanent }: QueryOf<typeof deletionParameters>,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    const [remove, removeAll] = permanent === 'true' ? [purgePhoto, purgePhotos] : [trashPhoto, trashPhotos];
    if (isList(ids)) return new Outcomes((await removeAll(this.ports, caller, ids)).map(photoDeletionView));
    return idempotent((ports) => remove(ports, caller, ids, ifMatch(photoView)), noBody);
  }
}
