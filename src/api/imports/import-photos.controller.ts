import { Controller, Inject, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { editImportPhoto } from '../../core/imports/edit-item.js';
import { readImport, readImportPhotos } from '../../core/imports/read.js';
import { receiveInline } from '../../core/imports/register/inline.js';
import { type RegistrationResult, registerPhotos } from '../../core/imports/register/register.js';
import type { Ports } from '../../core/ports.js';
import { notFound } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireScope } from '../../http/access.js';
import { ref } from '../../http/fields/declared.js';
import { PORTS } from '../../http/ports-token.js';
import { REGISTRATION_BODY_BYTES } from '../../http/requests/json-body.js';
import { PathId } from '../../http/requests/parameters.js';
import { BodySchema, PatchSchema, ValidBody } from '../../http/requests/read-request.js';
import { Reply } from '../../http/responses/reply.js';
import { CurrentCaller, callerOf } from '../../http/server/request-context.js';
import {
  Idempotent,
  type RunIdempotently,
  StoreBodyAs,
  type StoredBodyFormat,
} from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { importId, pathId } from '../openapi/parameters.js';
import { ImportPhotoPatchBody, RegistrationBody } from './import.dto.js';
import { RegistrationOutcomesView, registrationView } from './import.view.js';
import { ImportPhotoView, importPhotoView } from './import-photo.view.js';
import { type InlineRequest, openMultipart } from './multipart.js';

/** Upload targets are secret and expire: items are stored by their ids, and returned with fresh targets. */
const storedRegistration: StoredBodyFormat<
  ReturnType<typeof registrationView>,
  {
    readonly importId: Id;
    readonly results: readonly (Pick<RegistrationResult, 'index' | 'outcome' | 'error'> & { photo: Id | null })[];
  }
> = {
  toStored: ({ data, import: { id: importId } }) => ({
    importId,
    results: data.map(({ index, outcome, photo, error }) => ({ index, outcome, photo: photo?.id ?? null, error })),
  }),
  async toBody(ports, requestContext, { importId, results }) {
    const caller = callerOf(requestContext);
    const ids = results.flatMap(({ photo }) => photo ?? []);
    const items = new Map((await readImportPhotos(ports, caller, importId, ids)).map((item) => [item.id, item]));
    const details = results.map(({ photo, ...result }) => ({ ...result, photo: items.get(photo ?? 0) ?? null }));
    return registrationView({ results: details, import: await readImport(ports, caller, importId) });
  },
};

const storedItem: StoredBodyFormat<ReturnType<typeof importPhotoView>, { readonly importId: Id; readonly id: Id }> = {
  toStored: ({ importId, id }) => ({ importId, id }),
  async toBody(ports, requestContext, { importId, id }) {
    const [item] = await readImportPhotos(ports, callerOf(requestContext), importId, [id]);
    if (!item) throw notFound('import_photo');
    return importPhotoView(item);
  },
};

@DocumentTag('Imports')
@PathParameters(importId, pathId('photoId', 'item', 90418))
@Controller('api/v1/imports/:id/photos')
export class ImportPhotosController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post()
  @Documented({
    operationId: 'addImportPhotos',
    summary: 'Add files to an import',
    description:
      'JSON registers up to 500 files and returns an upload URL for each; uploading to those URLs does not count against any rate limit. A file with a `sourceUrl` is fetched by the service instead. multipart/form-data sends up to 20 small files along with their bytes. An error in one file, such as an invalid value or tag name, rejects only that file. A file that is already registered (matched by `clientRef`, or else by hash and file name) is returned as `existing`, so you can repeat a request as often as you like.',
    body: 'The files to register, or the files themselves.',
    streamed: {
      'multipart/form-data': {
        schema: ref('InlineFiles'),
        encoding: {
          photos: { contentType: 'application/json' },
          file: { contentType: 'application/octet-stream' },
        },
      },
    },
    answers: {
      200: { description: 'Every file was already registered.', body: RegistrationOutcomesView },
      201: { description: 'At least one file is new.', body: RegistrationOutcomesView },
    },
    errors: ['quota_exceeded', 'import_not_open', 'limit_reached', 'no_photos_accepted', 'storage_full'],
  })
  @RequireScope('photos:write')
  @StoreBodyAs(storedRegistration)
  @BodySchema(RegistrationBody, {
    maxBytes: REGISTRATION_BODY_BYTES,
    streamed: {
      type: 'multipart/form-data',
      maxBytes: ({ limits }) => limits.inlineMaxBytes,
      open: openMultipart,
    },
  })
  async add(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidBody() body: RegistrationBody | InlineRequest,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    const add = (ports: Ports) =>
      'files' in body
        ? receiveInline(this.ports, caller, id, body, ports.store)
        : registerPhotos(ports, caller, id, body.photos);
    return idempotent(add, (answer) => {
      const isNew = answer.results.some(({ outcome }) => outcome === 'created' || outcome === 'duplicate');
      return new Reply(isNew ? 201 : 200, registrationView(answer));
    });
  }

  @Patch(':photoId')
  @Documented({
    operationId: 'updateImportPhoto',
    summary: 'Update an import item',
    description:
      'Not needed in the normal flow. A merge patch (RFC 7396) that corrects what was registered or changes the state of the item. Requesting a state that the item has already reached returns 200 and has no effect.',
    body: 'The values to change.',
    answers: { 200: { description: 'The updated item.', body: ImportPhotoView } },
    errors: ['quota_exceeded', 'import_not_open', 'import_photo_final', 'uploads_incomplete', 'limit_reached'],
  })
  @RequireScope('photos:write')
  @StoreBodyAs(storedItem)
  @PatchSchema(ImportPhotoPatchBody)
  async edit(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @PathId('photoId') photoId: Id,
    @ValidBody() body: ImportPhotoPatchBody,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    return idempotent((ports) => editImportPhoto(ports, caller, id, photoId, body), importPhotoView);
  }
}
