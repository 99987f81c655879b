import { Controller, Get, Headers, Inject, Patch, Post } from '@nestjs/common';
import type { Caller } from '../../../core/access/caller.js';
import { createImport } from '../../../core/imports/create-import.js';
import { editImportPhoto } from '../../../core/imports/edit-import-photo.js';
import { finalizeImport, hasEnded } from '../../../core/imports/finalize-import.js';
import type { ImportDetails } from '../../../core/imports/import-details.js';
import { listImportPhotos, readImport } from '../../../core/imports/read-import.js';
import { receiveInline } from '../../../core/imports/receive-inline.js';
import { type RegistrationResults, registerPhotos } from '../../../core/imports/register-photos.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireScope } from '../../access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http-options.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import {
  BodySchema,
  PatchSchema,
  QuerySchema,
  REGISTRATION_BODY_BYTES,
  ValidBody,
  ValidQuery,
} from '../../requests/read-request.js';
import { Reply } from '../../responses/reply.js';
import { WithETag } from '../../responses/send-reply.js';
import { CurrentCaller } from '../current-caller.js';
import { Idempotent, type RunIdempotently, StoreBodyAs } from '../idempotency/idempotent.js';
import {
  FinalizationBody,
  ImportCreationBody,
  ImportPhotoPatchBody,
  ImportQuery,
  importRule,
  itemListRequest,
  RegistrationBody,
} from './import.dto.js';
import { importPhotoView, importView, importWithPhotos, registrationView } from './import.view.js';
import { type InlineRequest, openMultipart } from './multipart.js';
import { storedItem, storedRegistration } from './stored-items.js';
import { preferredWait, waitForImport } from './wait-for-import.js';

/** Seconds after which polling again makes sense. */
const LOOK_AGAIN = { 'Retry-After': 2 };

@Controller('api/v1/imports')
export class ImportsController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Post()
  @RequireScope('photos:write')
  @WithETag()
  @BodySchema(ImportCreationBody, { optional: true })
  async create(
    @CurrentCaller() caller: Caller,
    @ValidBody() body: ImportCreationBody,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    return idempotent(
      (ports) => createImport(ports, caller, body),
      ({ import: subject, created }) =>
        created ? new Reply(201, importView(subject), location(subject)) : new Reply(200, importView(subject)),
    );
  }

  @Get(':id')
  @RequireScope('photos:write')
  @WithETag()
  @QuerySchema(ImportQuery, importRule)
  async read(@CurrentCaller() caller: Caller, @PathId('id') id: Id, @ValidQuery() query: ImportQuery): Promise<Reply> {
    const items = itemListRequest(query);
    if (items) {
      const { import: subject, page } = await listImportPhotos(this.ports, caller, id, items);
      return whileProcessing(subject, importWithPhotos(subject, page));
    }
    const subject = await readImport(this.ports, caller, id);
    return whileProcessing(subject, importView(subject));
  }

  @Post(':id/photos')
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
    return idempotent(add, registered);
  }

  @Patch(':id/photos/:photoId')
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

  @Post(':id/finalize')
  @RequireScope('photos:write')
  @WithETag()
  @BodySchema(FinalizationBody, { optional: true })
  async finalize(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidBody() { action = 'commit', missingUploads = 'reject' }: FinalizationBody,
    @Headers('prefer') prefer: string | undefined,
  ) {
    const begun = await finalizeImport(this.ports, caller, id, { action, missingUploads });
    const subject = await waitForImport(this.ports, caller, begun, preferredWait(prefer), this.options.stopping);
    return hasEnded(subject)
      ? new Reply(200, importView(subject))
      : new Reply(202, importView(subject), { ...location(subject), ...LOOK_AGAIN });
  }
}

function whileProcessing({ status }: ImportDetails, view: object): Reply {
  return new Reply(200, view, status === 'processing' ? LOOK_AGAIN : {});
}

function location({ id }: ImportDetails) {
  return { Location: `/api/v1/imports/${id}` };
}

function registered(answer: RegistrationResults): Reply {
  const isNew = answer.results.some(({ outcome }) => outcome === 'created' || outcome === 'duplicate');
  return new Reply(isNew ? 201 : 200, registrationView(answer));
}
