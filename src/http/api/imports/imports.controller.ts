import { Controller, Get, Headers, Inject, Patch, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from '../../../core/access/caller.js';
import { createImport } from '../../../core/imports/create-import.js';
import { editImportPhoto } from '../../../core/imports/edit-import-photo.js';
import { finalizeImport, hasEnded } from '../../../core/imports/finalize-import.js';
import { listImportPhotos, readImport } from '../../../core/imports/read-import.js';
import { receiveInline } from '../../../core/imports/receive-inline.js';
import { type RegistrationAnswer, registerPhotos } from '../../../core/imports/register-photos.js';
import type { ShownImport } from '../../../core/imports/shown.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http-options.js';
import { PORTS } from '../../ports-token.js';
import { Reply } from '../../reply.js';
import { Needs } from '../access.js';
import { Calling } from '../calling.js';
import type { Parameters } from '../parameters.js';
import { PathId } from '../path-id.js';
import {
  Asked,
  REGISTRATION_BODY_BYTES,
  Sent,
  TakesBody,
  TakesParameters,
  TakesPatch,
} from '../read-request.interceptor.js';
import { Tagged } from '../send-reply.interceptor.js';
import {
  FinalizationBody,
  ImportCreationBody,
  ImportPhotoPatchBody,
  importParameters,
  itemListRequest,
  RegistrationBody,
} from './import.dto.js';
import { importPhotoView, importView, importWithPhotos, registrationView } from './import.view.js';
import { openMultipart } from './multipart.js';
import { preferredWait, waitForImport } from './wait-for-import.js';

/** Seconds after which looking again makes sense. */
const LOOK_AGAIN = { 'Retry-After': 2 };

@Controller('api/v1/imports')
export class ImportsController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Post()
  @Needs('photos:write')
  @Tagged()
  @TakesBody(ImportCreationBody, { optional: true })
  async create(@Calling() caller: Caller, @Sent() body: ImportCreationBody) {
    const { import: subject, created } = await createImport(this.ports, caller, body);
    return created ? new Reply(201, importView(subject), location(subject)) : new Reply(200, importView(subject));
  }

  @Get(':id')
  @Needs('photos:write')
  @Tagged()
  @TakesParameters(importParameters)
  async read(
    @Calling() caller: Caller,
    @PathId('id') id: Id,
    @Asked() asked: Parameters<typeof importParameters>,
  ): Promise<Reply> {
    const items = itemListRequest(asked);
    if (items) {
      const { import: subject, page } = await listImportPhotos(this.ports, caller, id, items);
      return whileProcessing(subject, importWithPhotos(subject, page));
    }
    const subject = await readImport(this.ports, caller, id);
    return whileProcessing(subject, importView(subject));
  }

  @Post(':id/photos')
  @Needs('photos:write')
  @TakesBody(RegistrationBody, {
    maxBytes: REGISTRATION_BODY_BYTES,
    streamed: { type: 'multipart/form-data', maxBytes: ({ limits }) => limits.inlineMaxBytes },
  })
  async add(
    @Calling() caller: Caller,
    @PathId('id') id: Id,
    @Sent() body: RegistrationBody | undefined,
    @Req() request: Request,
  ) {
    if (body) return registered(await registerPhotos(this.ports, caller, id, body.photos));
    const { words, files } = await openMultipart(request, this.ports.limits.inlineMaxBytes);
    return registered(await receiveInline(this.ports, caller, id, words, files));
  }

  @Patch(':id/photos/:photoId')
  @Needs('photos:write')
  @TakesPatch(ImportPhotoPatchBody)
  async edit(
    @Calling() caller: Caller,
    @PathId('id') id: Id,
    @PathId('photoId') photoId: Id,
    @Sent() body: ImportPhotoPatchBody,
  ) {
    return importPhotoView(await editImportPhoto(this.ports, caller, id, photoId, body));
  }

  @Post(':id/finalize')
  @Needs('photos:write')
  @Tagged()
  @TakesBody(FinalizationBody, { optional: true })
  async finalize(
    @Calling() caller: Caller,
    @PathId('id') id: Id,
    @Sent() { action = 'commit', missingUploads = 'reject' }: FinalizationBody,
    @Headers('prefer') prefer: string | undefined,
  ) {
    const begun = await finalizeImport(this.ports, caller, id, { action, missingUploads });
    const subject = await waitForImport(this.ports, caller, begun, preferredWait(prefer), this.options.stopping);
    return hasEnded(subject)
      ? new Reply(200, importView(subject))
      : new Reply(202, importView(subject), { ...location(subject), ...LOOK_AGAIN });
  }
}

function whileProcessing({ status }: ShownImport, view: object): Reply {
  return new Reply(200, view, status === 'processing' ? LOOK_AGAIN : {});
}

function location({ id }: ShownImport) {
  return { Location: `/api/v1/imports/${id}` };
}

function registered(answer: RegistrationAnswer): Reply {
  const isNew = answer.results.some(({ outcome }) => outcome === 'created' || outcome === 'duplicate');
  return new Reply(isNew ? 201 : 200, registrationView(answer));
}
