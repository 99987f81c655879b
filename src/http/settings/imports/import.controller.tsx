import { Controller, Get, Inject, Post, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from '../../../core/access/caller.js';
import { createImport } from '../../../core/imports/create.js';
import { editImportPhoto } from '../../../core/imports/edit-item.js';
import { finalizeImport } from '../../../core/imports/finalize.js';
import { listImports, readImport } from '../../../core/imports/read.js';
import { recordRefusals } from '../../../core/imports/register/refusals.js';
import { registerPhotos } from '../../../core/imports/register/register.js';
import type { Ports } from '../../../core/ports.js';
import { type Id, parseId } from '../../../core/shared/ids.js';
import { RequireRole } from '../../access.js';
import { RegistrationBody } from '../../api/imports/import.dto.js';
import { PORTS } from '../../ports-token.js';
import { JSON_BODY_BYTES, REGISTRATION_BODY_BYTES } from '../../requests/json-body.js';
import { PathId } from '../../requests/path-id.js';
import { Reply } from '../../responses/reply.js';
import { FieldLength, TakesFiles } from '../form-fields.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { BeginBody, FinishBody, readSent } from './import.dto.js';
import { ImportPage } from './import.view.js';
import { registrationView } from './import-state.js';
import { importerReach, SOURCE, tagNamesIn } from './importer-settings.js';
import { receivePlainForm } from './plain-import.js';
import { isRefused, resultsOfNone } from './refusals.js';

const UNFINISHED = 5;

/** Imports photos: a page, a plain form for a few files, and the requests of its script. */
@Controller('settings/import')
export class ImportController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @RequireRole('editor')
  async show(@CurrentPageContext() context: PageContext, @Query('import') importId: unknown): Promise<Reply> {
    const caller = callerOfPage(context);
    const begun = importId === undefined ? null : await readImport(this.ports, caller, parseId(String(importId)) ?? 0);
    if (begun !== null && begun.status !== 'open') return redirectTo(context, `/settings/imports/${begun.id}`);
    const open = await listImports(this.ports, caller, { statuses: ['open'], limit: UNFINISHED, cursor: null });
    const options = {
      title: 'Add photos',
      section: 'imports',
      styles: ['import.css'],
      scripts: ['import.js'],
      reach: await importerReach(this.ports),
    };
    return renderPage(
      this.ports,
      context,
      options,
      <ImportPage begun={begun} unfinished={begun === null ? open.data : []} />,
    );
  }

  /** Files in the form itself: what browsers without scripts send. */
  @Post()
  @RequireRole('editor')
  @TakesFiles()
  async receive(@CurrentPageContext() context: PageContext): Promise<Reply> {
    try {
      const creation = { source: SOURCE, tagNames: tagNamesIn(context.form.text('tags', FieldLength.text)) };
      const { importId, trouble } = await receivePlainForm(this.ports, callerOfPage(context), context.form, creation);
      const path = importId === null ? '/settings/import' : `/settings/imports/${importId}`;
      return redirectTo(context, path, trouble === null ? undefined : { kind: 'failed', text: trouble });
    } finally {
      await context.form.leave();
    }
  }

  @Post('begin')
  @RequireRole('editor')
  async begin(@CurrentPageContext() context: PageContext, @Req() request: Request): Promise<Reply> {
    const { clientRef } = await readSent(request, BeginBody, JSON_BODY_BYTES);
    const creation = { clientRef, source: SOURCE };
    const { import: begun } = await createImport(this.ports, callerOfPage(context), creation);
    return json({ id: begun.id });
  }

  @Post(':id/photos')
  @RequireRole('editor', { uncounted: true })
  async announce(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Query('through') through: unknown,
    @Req() request: Request,
  ): Promise<Reply> {
    const { photos } = await readSent(request, RegistrationBody, REGISTRATION_BODY_BYTES);
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
    return json({ data: views });
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
    return json({ status });
  }

  @Post(':id/finish')
  @RequireRole('editor')
  async finish(
    @CurrentPageContext() context: PageContext,
    @PathId('id') id: Id,
    @Req() request: Request,
  ): Promise<Reply> {
    const { missingUploads = 'reject' } = await readSent(request, FinishBody, JSON_BODY_BYTES);
    const { status } = await finalizeImport(this.ports, callerOfPage(context), id, {
      action: 'commit',
      missingUploads,
    });
    return json({ status });
  }
}

function json(body: object): Reply {
  return new Reply(200, body, { 'Cache-Control': 'no-store' });
}
