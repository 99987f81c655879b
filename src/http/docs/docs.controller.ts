import { All, Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { notFound } from '../../core/shared/errors.js';
import { NoKeyRequired } from '../access.js';
import { guidePage, guidesPage, readerPage } from './docs-page.js';
import { assetFile, openApiFile, type PublicFile, pageFile, searchFile } from './documents.js';
import { isGuide } from './guides.js';
import { operationsOf } from './operations.js';
import { IMMUTABLE, REVALIDATE, sendMethods, sendPublic } from './send-public.js';

/** Only our own files: no inline script or style, no other site. The reader draws its icons as `data:`. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The documentation of the API, for people to read and try out. */
@Controller('docs')
@NoKeyRequired()
export class DocsController {
  @Get()
  reader(@Req() request: Request, @Res() response: Response): void {
    sendPage(request, response, pageFile('reader', readerPage));
  }

  @Get('guides')
  guides(@Req() request: Request, @Res() response: Response): void {
    sendPage(request, response, pageFile('guides', guidesPage));
  }

  @Get('guides/:name')
  guide(@Param('name') name: string, @Req() request: Request, @Res() response: Response): void {
    if (!isGuide(name)) throw notFound('guide');
    sendPage(
      request,
      response,
      pageFile(`guide ${name}`, () => guidePage(name)),
    );
  }

  @Get('errors')
  async errors(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { errorsPage } = await import('./error-pages.js');
    sendPage(request, response, pageFile('errors', errorsPage));
  }

  @Get('errors/:code')
  async error(@Param('code') code: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const { errorPage, isErrorCode } = await import('./error-pages.js');
    if (!isErrorCode(code)) throw notFound('error code');
    const { bytes } = await openApiFile();
    const page = () => errorPage(code, operationsOf(JSON.parse(bytes.toString())));
    sendPage(request, response, pageFile(`error ${code}`, page));
  }

  @Get('search.json')
  async search(@Req() request: Request, @Res() response: Response): Promise<void> {
    sendPublic(request, response, await searchFile(), REVALIDATE);
  }

  @Get('assets/:version/:name')
  asset(@Param('name') name: string, @Req() request: Request, @Res() response: Response): void {
    const file = assetFile(name);
    if (file === undefined) throw notFound('asset');
    sendPublic(request, response, file, IMMUTABLE);
  }

  @All(['', 'guides', 'guides/:name', 'errors', 'errors/:code', 'search.json', 'assets/:version/:name'])
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}

function sendPage(request: Request, response: Response, page: PublicFile): void {
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('Referrer-Policy', 'same-origin');
  sendPublic(request, response, page, REVALIDATE);
}
