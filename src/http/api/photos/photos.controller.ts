import { Controller, Delete, Get, HttpCode, Inject, Patch } from '@nestjs/common';
import type { Caller } from '../../../core/access/caller.js';
import { editPhoto } from '../../../core/photos/edit-photo.js';
import { editPhotos } from '../../../core/photos/edit-photos.js';
import { listPhotos } from '../../../core/photos/list-photos.js';
import { readPhoto } from '../../../core/photos/read-photo.js';
import { renditionUrls } from '../../../core/photos/rendition-urls.js';
import { purgePhoto, trashPhoto } from '../../../core/photos/trash-photo.js';
import { purgePhotos, trashPhotos } from '../../../core/photos/trash-photos.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireScope } from '../../access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http-options.js';
import { Documented } from '../../openapi/operation.js';
import { ifMatchHeader, ifNoneMatchHeader, pathId, pathIds } from '../../openapi/parameters.js';
import { ref } from '../../openapi/schema.js';
import { PORTS } from '../../ports-token.js';
import { AcceptsIdList, isList, PathId, PathIds } from '../../requests/path-id.js';
import { PatchSchema, QuerySchema, ValidBody, ValidQuery } from '../../requests/read-request.js';
import { IfMatch, type IfMatchPrecondition } from '../../responses/entity-tag.js';
import { Outcomes } from '../../responses/reply.js';
import { WithETag } from '../../responses/send-reply.js';
import { CurrentCaller } from '../current-caller.js';
import { Idempotent, noBody, type RunIdempotently } from '../idempotency/idempotent.js';
import { listView } from '../tags/tag.view.js';
import { DeletionQuery, PhotoPatchBody, PhotoQuery } from './photo.dto.js';
import { PhotoView, photoView, photoWithExtras } from './photo.view.js';
import { PhotoDeletionsView, PhotoEditsView, photoDeletionView, photoEditView } from './photo-bulk.view.js';
import { PhotoListQuery, photoListRequest } from './photo-list.dto.js';

const photoId = pathId('id', 'photo', 90417);
const photoIds = pathIds('id', 'photo');

@Controller('api/v1/photos')
export class PhotosController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) readonly _options: HttpOptions,
  ) {}

  @Get()
  @Documented({
    operationId: 'listPhotos',
    tag: 'Photos',
    summary: 'List photos',
    description:
      'The library, filtered by everything that is named, sorted, page by page. To follow what changes: `sort=updatedAt&updatedAfter=T&trashed=any`, where T is the newest `updatedAt` seen less 60 seconds. Never by the highest id: ids are given at registration, and imports end in any order.',
    answers: { 200: { description: 'A page of photos.', body: ref('PhotoPage') } },
    errors: ['invalid_cursor'],
  })
  @RequireScope('photos:read')
  @QuerySchema(PhotoListQuery)
  async list(@CurrentCaller() caller: Caller, @ValidQuery() query: PhotoListQuery) {
    const page = await listPhotos(this.ports, caller, photoListRequest(query));
    if (!query.include?.includes('urls')) return listView(page, photoView);
    return listView(page, (photo) => photoWithExtras(photo, { urls: renditionUrls(this.ports, caller, photo) }));
  }

  @Get(':id')
  @Documented({
    operationId: 'getPhoto',
    tag: 'Photos',
    summary: 'Read a photo',
    description: 'One in the trash is 404 unless `trashed=any` asks for it.',
    path: [photoId],
    headers: [ifNoneMatchHeader],
    answers: {
      200: { description: 'The photo.', body: PhotoView, headers: ['ETag'] },
      304: { description: 'It has not changed. Not with `include`.', headers: ['ETag'] },
    },
    errors: ['not_found'],
  })
  @RequireScope('photos:read')
  @WithETag()
  @QuerySchema(PhotoQuery)
  async read(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidQuery() { include = [], trashed }: PhotoQuery,
  ) {
    const withExif = include.includes('exif');
    const { photo, exif } = await readPhoto(this.ports, caller, id, { trashedToo: trashed === 'any', withExif });
    return photoWithExtras(photo, {
      ...(include.includes('urls') && { urls: renditionUrls(this.ports, caller, photo) }),
      ...(withExif && { exif }),
    });
  }

  @Patch(':id')
  @Documented({
    operationId: 'updatePhoto',
    tag: 'Photos',
    summary: 'Change photos',
    description:
      'A merge patch (RFC 7396) to one photo, or the same to each of a list. A patch that changes nothing leaves `version` as it is. `takenAt` sets all three fields of time; `timeZone` alone keeps what the clock showed and moves the instant; `takenAtLocal` alone keeps the zone; `takenAt: null` clears all three. On a photo in the trash only a patch with `"trashed": false` works.',
    path: [photoIds],
    headers: [ifMatchHeader],
    body: 'What is to change.',
    answers: {
      200: {
        description: 'The photo as it is now; of a list, what became of each.',
        body: [PhotoView, PhotoEditsView],
        headers: ['ETag'],
      },
    },
    errors: ['not_found', 'precondition_failed'],
  })
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

  @Delete(':id')
  @Documented({
    operationId: 'deletePhoto',
    tag: 'Photos',
    summary: 'Delete photos',
    description:
      'Moves a photo, or each of a list, to the trash, from which it can be brought back for 30 days (`PATCH {"trashed": false}`). With `permanent=true` it is gone for ever, also from the trash. A second time it is 404; with the same Idempotency-Key 204 again.',
    path: [photoIds],
    headers: [ifMatchHeader],
    answers: {
      200: { description: 'Of a list: what became of each.', body: PhotoDeletionsView },
      204: { description: 'It is deleted.' },
    },
    errors: ['not_found', 'precondition_failed'],
  })
  @RequireScope('photos:delete')
  @HttpCode(204)
  @AcceptsIdList()
  @QuerySchema(DeletionQuery)
  async delete(
    @CurrentCaller() caller: Caller,
    @PathIds('id') ids: Id | readonly Id[],
    @ValidQuery() { permanent }: DeletionQuery,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    const [remove, removeAll] = permanent ? [purgePhoto, purgePhotos] : [trashPhoto, trashPhotos];
    if (isList(ids)) return new Outcomes((await removeAll(this.ports, caller, ids)).map(photoDeletionView));
    return idempotent((ports) => remove(ports, caller, ids, ifMatch(photoView)), noBody);
  }
}
