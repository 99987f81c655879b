import { All, Controller, Get, Module, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OnEveryResponse, openToPages } from '../../api/files/any-origin.js';
import { notFound } from '../../core/shared/errors.js';
import { NoKeyRequired } from '../../http/access.js';
import { IMMUTABLE, sendMethods, sendPublic, sitePaths } from '../../http/responses/send-public.js';

/** The contract, for programs; readers on other sites may load it, too. */
@Controller('openapi.json')
@NoKeyRequired()
@OnEveryResponse(openToPages)
class OpenApiController {
  @Get()
  show(@Req() request: Request, @Res() response: Response): void {
    sendPublic(request, response, 'openapi.json');
  }

  @All()
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}

/** Only our own files: no inline script or style, no other site. Pictures that a reader tried are `blob:`. */
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

const PAGES = ['', 'reference/:name', 'operator', 'operator/:name', 'guides', 'guides/:name', 'errors', 'errors/:code'];

/** The documentation of the API, for people to read and try out. */
@Controller('docs')
@NoKeyRequired()
class DocsController {
  @Get(PAGES)
  page(@Req() request: Request, @Res() response: Response): void {
    const page = `${request.path.slice(1)}/index.html`;
    if (!sitePaths().has(page)) throw notFound('page');
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Referrer-Policy', 'same-origin');
    sendPublic(request, response, page);
  }

  @Get('search.json')
  search(@Req() request: Request, @Res() response: Response): void {
    sendPublic(request, response, 'docs/search.json');
  }

  /** Whatever the version in the address: a page of another version of the program may ask for it. */
  @Get('assets/:version/:name')
  asset(@Param('name') name: string, @Req() request: Request, @Res() response: Response): void {
    const path = [...sitePaths()].find((each) => each.startsWith('docs/assets/') && each.endsWith(`/${name}`));
    if (path === undefined) throw notFound('asset');
    sendPublic(request, response, path, IMMUTABLE);
  }

  @All([...PAGES, 'search.json', 'assets/:version/:name'])
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}

@Module({ controllers: [DocsController, OpenApiController] })
export class DocsModule {}
