import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Inject, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from '../../core/access/caller.js';
import { createImport } from '../../core/imports/create.js';
import { finalizeImport } from '../../core/imports/finalize.js';
import { isEnded } from '../../core/imports/import.js';
import { type ImportDetails, listImportPhotos, readImport } from '../../core/imports/read.js';
import type { Ports } from '../../core/ports.js';
import { SECOND } from '../../core/shared/clock.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireScope } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { PathId, paginationOf } from '../../http/requests/parameters.js';
import { BodySchema, QuerySchema, ValidBody, ValidQuery } from '../../http/requests/read-request.js';
import { listView, Reply, WithETag } from '../../http/responses/reply.js';
import { headerOf } from '../../http/server/request.js';
import { CurrentCaller } from '../../http/server/request-context.js';
import { Idempotent, type RunIdempotently } from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { importId, preferHeader } from '../openapi/parameters.js';
import { FinalizationBody, ImportCreationBody, ImportQuery, importRule } from './import.dto.js';
import { ImportView, importView } from './import.view.js';
import { importPhotoView } from './import-photo.view.js';

/** Seconds after which polling again makes sense. */
const LOOK_AGAIN = { 'Retry-After': 2 };

@DocumentTag('Imports', 'Batches of files on their way into the library.')
@PathParameters(importId)
@Controller('api/v1/imports')
export class ImportsController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Post()
  @Documented({
    operationId: 'createImport',
    summary: 'Open an import',
    description:
      'Nothing is added to the library until the import is finalized. If an open import has the same `clientRef`, it is returned, so that an interrupted run can resume.',
    body: 'The settings of the import, all optional.',
    answers: {
      200: { description: 'The open import with this `clientRef`.', body: ImportView },
      201: { description: 'The new import.', body: ImportView, headers: ['Location'] },
    },
    errors: ['limit_reached'],
  })
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
  @Documented({
    operationId: 'getImport',
    summary: 'Retrieve an import',
    description:
      'With `include=photos`, the response has a page of items, sorted by id; items awaiting their bytes have a new `upload`. Items are deleted 90 days after the import ends, but its counts remain. The import itself is deleted a year after it ends. Its photos are not affected.',
    answers: {
      200: {
        description: 'The import. `Retry-After` is set while it is being processed.',
        body: ImportView,
        headers: ['Retry-After'],
      },
    },
  })
  @RequireScope('photos:write')
  @WithETag()
  @QuerySchema(ImportQuery, importRule)
  async read(@CurrentCaller() caller: Caller, @PathId('id') id: Id, @ValidQuery() query: ImportQuery): Promise<Reply> {
    const { include, photoStatus: statuses } = query;
    if (include) {
      const items = { ...paginationOf(query), ...(statuses && { statuses }) };
      const { import: subject, page } = await listImportPhotos(this.ports, caller, id, items);
      return whileProcessing(subject, { ...importView(subject), photos: listView(page, importPhotoView) });
    }
    const subject = await readImport(this.ports, caller, id);
    return whileProcessing(subject, importView(subject));
  }

  @Post(':id/finalize')
  @Documented({
    operationId: 'finalizeImport',
    summary: 'Finalize or discard an import',
    description:
      'Imports every valid file; one bad file never fails the others. The work runs in the background: poll `GET /imports/{id}`, or send `Prefer: wait`. Repeating the request has no further effect.',
    headers: [preferHeader],
    body: 'How to finalize the import, all optional.',
    answers: {
      200: { description: 'The import has ended.', body: ImportView },
      202: {
        description: 'The import is being processed.',
        body: ImportView,
        headers: ['Location', 'Retry-After'],
      },
    },
    errors: ['import_not_open', 'uploads_incomplete'],
  })
  @RequireScope('photos:write')
  @WithETag()
  @BodySchema(FinalizationBody, { optional: true })
  async finalize(
    @CurrentCaller() caller: Caller,
    @PathId('id') id: Id,
    @ValidBody() { action = 'commit', missingUploads = 'reject' }: FinalizationBody,
    @Req() request: Request,
  ) {
    const { stopping } = this.options;
    let subject = await finalizeImport(this.ports, caller, id, { action, missingUploads });
    // Until it has ended, the time is up or the process stops.
    const end = performance.now() + preferredWait(headerOf(request, 'prefer')) * SECOND;
    while (!isEnded(subject) && performance.now() < end && !stopping.aborted) {
      await delay(200, undefined, { signal: stopping }).catch(() => undefined);
      subject = await readImport(this.ports, caller, id);
    }
    return isEnded(subject)
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

/** The seconds of `Prefer: wait=N` (RFC 7240 §4.3), 0 without it; at most 15. */
export function preferredWait(prefer: string | undefined): number {
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?([0-9]{1,6})/i.exec(prefer ?? '')?.[1];
  return Math.min(15, Number(seconds ?? 0));
}
