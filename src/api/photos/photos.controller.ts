import { Controller, Delete, Get, HttpCode, Inject, Patch } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { editPhoto, editPhotos, type PhotoEditResult } from '../../core/photos/edit-photo.js';
import { listPhotos } from '../../core/photos/list-photos.js';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import { readPhoto } from '../../core/photos/read-photo.js';
import { renditionUrls } from '../../core/photos/renditions/signed-url.js';
import { purgePhoto, purgePhotos, trashPhoto, trashPhotos } from '../../core/photos/trash.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireScope } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { isList, PathId, PathIds } from '../../http/requests/parameters.js';
import { AcceptsIdList, PatchSchema, QuerySchema, ValidBody, ValidQuery } from '../../http/requests/read-request.js';
import {
  IfMatch,
  type IfMatchPrecondition,
  JsonText,
  listText,
  Outcomes,
  WithETag,
} from '../../http/responses/reply.js';
import { CurrentCaller } from '../../http/server/request-context.js';
import { Idempotent, noBody, type RunIdempotently } from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { pathIds, photoId } from '../openapi/parameters.js';
import { DeletionQuery, PhotoPatchBody, PhotoQuery } from './photo.dto.js';
import {
  PhotoDeletionsView,
  PhotoEditsView,
  PhotoPage,
  PhotoView,
  photoEditView,
  photoExtrasView,
  photoView,
} from './photo.view.js';
import { PhotoListQuery, photoListRequest, similarityRule } from './photo-list.dto.js';

const photoIds = pathIds('id', 'photo');

@DocumentTag('Photos', 'Photos in the library.')
@PathParameters(photoId)
@Controller('api/v1/photos')
export class PhotosController {
  private readonly texts = new WeakMap<PhotoWithTags, JsonText>();

  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  /** Made once for a photo that the store returns again, which is frozen. */
  private readonly textOf = (photo: PhotoWithTags): JsonText => {
    const known = this.texts.get(photo);
    if (known !== undefined) return known;
    const text = JsonText.of(photoView(photo));
    if (Object.isFrozen(photo)) this.texts.set(photo, text);
    return text;
  };

  @Get()
  @Documented({
    operationId: 'listPhotos',
    summary: 'List photos',
    description:
      'Returns the photos that match all of the given filters, sorted, one page at a time. To follow changes, use `sort=updatedAt&updatedAfter=T&trashed=any`, where T is the latest `updatedAt` you have seen minus 60 seconds. Do not use the highest id: ids are assigned at registration, and imports finish in any order.',
    answers: { 200: { description: 'A page of photos.', body: PhotoPage } },
    errors: ['not_found'],
  })
  @RequireScope('photos:read')
  @QuerySchema(PhotoListQuery, similarityRule)
  async list(@CurrentCaller() caller: Caller, @ValidQuery() query: PhotoListQuery) {
    const request = photoListRequest(query);
    const page = await listPhotos(this.ports, caller, request);
    if (!query.include?.includes('urls')) return listText(page, this.textOf);
    return listText(page, (photo) =>
      this.textOf(photo).with(photoExtrasView({ urls: renditionUrls(this.ports, caller, photo) })),
    );
  }

  @Get(':id')
  @Documented({
    operationId: 'getPhoto',
    summary: 'Retrieve a photo',
    description: 'A photo in the trash returns 404 unless you send `trashed=any`.',
    answers: {
      200: { description: 'The photo.', body: PhotoView },
    },
  })
  @RequireScope('photos:read')
  @WithETag()
  @QuerySchema(PhotoQuery)
  async read(@CurrentCaller() caller: Caller, @PathId('id') id: Id, @ValidQuery() query: PhotoQuery) {
    const { include = [], trashed } = query;
    const withExif = include.includes('exif');
    const { photo, exif } = await readPhoto(this.ports, caller, id, { trashedToo: trashed === 'any', withExif });
    const extras = photoExtrasView({
      ...(include.includes('urls') && { urls: renditionUrls(this.ports, caller, photo) }),
      ...(withExif && { exif }),
    });
    return this.textOf(photo).with(extras);
  }

  @Patch(':id')
  @Documented({
    operationId: 'updatePhoto',
    summary: 'Update photos',
    description:
      'Applies a merge patch (RFC 7396) to one photo, or the same patch to each photo in a list. A patch that changes nothing leaves `version` as it is. `takenAt` sets all three time fields; `timeZone` alone keeps the wall-clock time and moves the instant; `takenAtLocal` alone keeps the time zone; `takenAt: null` clears all three. `shiftTakenAt` corrects photos of a camera whose clock was wrong: each is moved from its own time. A photo in the trash accepts only a patch with `"trashed": false`.',
    path: [photoIds],
    body: 'The values to change.',
    answers: {
      200: {
        description: 'The updated photo or, for a list, the outcome for each photo.',
        body: [PhotoView, PhotoEditsView],
      },
    },
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
    if (isList(ids)) {
      const answerTo = (results: readonly PhotoEditResult[]) => new Outcomes(results.map(photoEditView));
      return idempotent((ports) => editPhotos(ports, caller, ids, body), answerTo);
    }
    return idempotent((ports) => editPhoto(ports, caller, ids, body, ifMatch(photoView)), photoView);
  }

  @Delete(':id')
  @Documented({
    operationId: 'deletePhoto',
    summary: 'Delete photos',
    description:
      'Moves one photo, or each photo in a list, to the trash. It can be restored for 30 days with `PATCH {"trashed": false}`. `permanent=true` deletes it permanently, even if it is already in the trash. Repeating the request returns 404, or 204 with the same `Idempotency-Key`.',
    path: [photoIds],
    answers: {
      200: { description: 'For a list: the outcome for each photo.', body: PhotoDeletionsView },
      204: { description: 'The photo was deleted.' },
    },
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
    if (isList(ids))
      return new Outcomes((await removeAll(this.ports, caller, ids)).map(({ id, outcome }) => ({ id, outcome })));
    return idempotent((ports) => remove(ports, caller, ids, ifMatch(photoView)), noBody);
  }
}
