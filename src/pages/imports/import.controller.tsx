import { Controller, Get, Post, Query } from '@nestjs/common';
import type { Request } from 'express';
import { RegistrationBody } from '../../api/imports/import.dto.js';
import type { Caller } from '../../core/access/caller.js';
import { createImport } from '../../core/imports/create.js';
import { editImportPhoto } from '../../core/imports/edit-item.js';
import { finalizeImport } from '../../core/imports/finalize.js';
import { MAX_CLIENT_REF } from '../../core/imports/import.js';
import { listImports, readImport } from '../../core/imports/read.js';
import { recordRefusals } from '../../core/imports/register/refusals.js';
import { registerPhotos } from '../../core/imports/register/register.js';
import { type FieldError, invalid } from '../../core/shared/errors.js';
import { type Id, parseId } from '../../core/shared/ids.js';
import { RequireRole } from '../../http/access.js';
import { OneOf, Text } from '../../http/fields/fields.js';
import {
  type BodyClass,
  JSON_BODY_BYTES,
  maxValuesOf,
  parseJson,
  REGISTRATION_BODY_BYTES,
  readShape,
} from '../../http/requests/json-body.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { readBody } from '../../http/server/request.js';
import { FieldLength, TakesFiles } from '../form-fields.js';
import { jsonReply, PageController, redirectTo } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { Card, Heading, Moment } from '../parts.js';
import { countsText, isRefused, receivePlainForm, registrationView, resultsOfNone } from './import-results.js';
import { Importer, importerReach, PAGE_IMPORT } from './importer.view.js';

/** The request of the importer's script to begin an import. */
class BeginBody {
  @Text({ required: true, max: MAX_CLIENT_REF })
  clientRef: string;
}

class FinishBody {
  @OneOf({ reject: '', fail: '' })
  missingUploads?: 'reject' | 'fail';
}

/** The JSON body of a request from one of our scripts. Errors: `invalid_request`, `payload_too_large`. */
async function readSent<T extends object>(request: Request, shape: BodyClass & (new () => T), maxBytes: number) {
  const { body, errors } = await readShape(
    parseJson(await readBody(request, maxBytes), 'body', maxValuesOf(maxBytes)),
    shape,
  );
  if (errors.length > 0) throw invalid(...(errors as FieldError[]));
  return body as T;
}

/** Imports photos: a page, a plain form for a few files, and the requests of its script. */
@Controller('settings/import')
@RequireRole('editor')
export class ImportController extends PageController {
  @Get()
  async show(@CurrentPageContext() context: PageContext, @Query('import') importId: unknown): Promise<Reply> {
    const caller = callerOfPage(context);
    const begun = importId === undefined ? null : await readImport(this.ports, caller, parseId(String(importId)) ?? 0);
    if (begun !== null && begun.status !== 'open') return redirectTo(context, `/settings/imports/${begun.id}`);
    const open = await listImports(this.ports, caller, { statuses: ['open'], limit: 5, cursor: null });
    const options = {
      title: 'Add photos',
      section: 'imports',
      styles: ['import.css'],
      scripts: ['import.js'],
      reach: await importerReach(this.ports),
    };
    const { formats } = context;
    const content =
      begun !== null ? (
        <>
          <Heading title={`Continue import ${begun.id}`} lead={countsText(formats, begun.counts)} />
          <p>Select the same files again: what has already arrived is not sent again.</p>
          <Importer begun={begun} title="Drop the same files here" />
        </>
      ) : (
        <>
          <Heading
            title="Add photos"
            lead="Originals are stored unchanged. Each file is checked before it is added to the library."
          />
          <Importer />
          {open.data.length > 0 && (
            <Card title="Unfinished import">
              <ul class="unfinished">
                {open.data.map((subject) => (
                  <li key={subject.id}>
                    <a href={`/settings/imports/${subject.id}`}>{subject.name ?? `Import ${subject.id}`}</a>{' '}
                    <span class="soft">
                      started <Moment at={subject.createdAt} />: {countsText(formats, subject.counts)}
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
          )}
        </>
      );
    return this.render(context, options, content);
  }

  /** Files in the form itself: what browsers without scripts send. */
  @Post()
  @TakesFiles()
  async receive(@CurrentPageContext() context: PageContext): Promise<Reply> {
    try {
      const typed = context.form.text('tags', FieldLength.text).split(',');
      const tagNames = [...new Set(typed.map((name) => name.trim()).filter((name) => name !== ''))];
      const creation = { ...PAGE_IMPORT, tagNames };
      const { importId, trouble } = await receivePlainForm(this.ports, callerOfPage(context), context.form, creation);
      const path = importId === null ? '/settings/import' : `/settings/imports/${importId}`;
      return redirectTo(context, path, trouble === null ? undefined : { kind: 'failed', text: trouble });
    } finally {
      await context.form.leave();
    }
  }

  @Post('begin')
  async begin(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { clientRef } = await readSent(context.request, BeginBody, JSON_BODY_BYTES);
    const { import: begun } = await createImport(this.ports, callerOfPage(context), { ...PAGE_IMPORT, clientRef });
    return jsonReply({ id: begun.id });
  }

  @Post(':id/photos')
  @RequireRole('editor', { uncounted: true })
  async announce(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { through } = context.request.query;
    const { photos } = await readSent(context.request, RegistrationBody, REGISTRATION_BODY_BYTES);
    // A browser that cannot reach the store gets addresses of this service, like a key with an IP list.
    const caller: Caller = { ...callerOfPage(context), ipRestricted: through === 'service' };
    const { results } = await registerPhotos(this.ports, caller, id, photos).catch((error: unknown) => ({
      results: resultsOfNone(error, photos.length),
    }));
    const refused = results.filter(isRefused);
    const refusals = refused.map(({ index, error }) => ({ filename: '', sizeBytes: null, ...photos[index], error }));
    const items = await recordRefusals(this.ports, caller, id, refusals);
    const itemOf = new Map(refused.map(({ index }, at) => [index, items[at] ?? null]));
    const views = results.map((result) =>
      registrationView(result, itemOf.get(result.index) ?? null, this.ports.limits),
    );
    return jsonReply({ data: views });
  }

  /** The bytes are in the store, which does not notify us. */
  @Post(':id/photos/:photoId/arrived')
  @RequireRole('editor', { uncounted: true })
  async arrived(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @PathId('photoId') photoId: Id,
  ): Promise<Reply> {
    const { status } = await editImportPhoto(this.ports, callerOfPage(context), id, photoId, { status: 'uploaded' });
    return jsonReply({ status });
  }

  @Post(':id/finish')
  async finish(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const { missingUploads = 'reject' } = await readSent(context.request, FinishBody, JSON_BODY_BYTES);
    const decision = { action: 'commit', missingUploads } as const;
    const { status } = await finalizeImport(this.ports, callerOfPage(context), id, decision);
    return jsonReply({ status });
  }
}
