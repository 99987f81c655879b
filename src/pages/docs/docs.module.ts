import { All, Controller, Get, Module, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AnyOrigin } from '../../api/files/any-origin.js';
import { notFound } from '../../core/shared/errors.js';
import { NoKeyRequired } from '../../http/access.js';
import { IMMUTABLE, REVALIDATE, sendMethods, sendPublic } from '../../http/responses/send-public.js';
import { assetFile, openApiFile, searchFile } from './documents.js';
import { docsPage } from './pages.js';

/** The contract, for programs; readers on other sites may load it, too. */
@Controller('openapi.json')
@NoKeyRequired()
@AnyOrigin()
class OpenApiController {
  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    sendPublic(request, response, await openApiFile(request.baseUrl), REVALIDATE);
  }

  @All()
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}

/** Only our own files: no inline script or style, no other site. Pictures that somebody tried are `blob:`. */
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
class DocsController {
  @Get()
  overview(@Req() request: Request, @Res() response: Response): Promise<void> {
    return sendPage(request, response, '');
  }

  @Get('reference/:name')
  resource(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return sendPage(request, response, `reference/${name}`);
  }

  @Get('operator')
  operator(@Req() request: Request, @Res() response: Response): Promise<void> {
    return sendPage(request, response, 'operator');
  }

  @Get('operator/:name')
  operatorResource(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return sendPage(request, response, `operator/${name}`);
  }

  @Get('guides')
  guides(@Req() request: Request, @Res() response: Response): Promise<void> {
    return sendPage(request, response, 'guides');
  }

  @Get('guides/:name')
  guide(@Param('name') name: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return sendPage(request, response, `guides/${name}`);
  }

  @Get('errors')
  errors(@Req() request: Request, @Res() response: Response): Promise<void> {
    return sendPage(request, response, 'errors');
  }

  @Get('errors/:code')
  error(@Param('code') code: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return sendPage(request, response, `errors/${code}`);
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

  @All([
    ...['', 'reference/:name', 'operator', 'operator/:name', 'guides', 'guides/:name', 'errors', 'errors/:code'],
    ...['search.json', 'assets/:version/:name'],
  ])
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}

async function sendPage(request: Request, response: Response, path: string): Promise<void> {
  const page = await docsPage(path);
  if (page === null) throw notFound('page');
  response.setHeader('Content-Security-Policy', POLICY);
  response.setHeader('Referrer-Policy', 'same-origin');
  sendPublic(request, response, page, REVALIDATE);
}

@Module({ controllers: [DocsController, OpenApiController] })
export class DocsModule {}
