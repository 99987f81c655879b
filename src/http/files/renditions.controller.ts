import { All, Controller, Get, HttpCode, Inject, Options, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { openSignedRendition } from '../../core/photos/rendition-urls.js';
import type { Ports } from '../../core/ports.js';
import { type Clock, SECOND } from '../../core/shared/clock.js';
import { NoKeyRequired } from '../access.js';
import { sendableRendition } from '../api/photos/photo-bytes.js';
import { HTTP_OPTIONS, type HttpOptions } from '../http-options.js';
import { PORTS } from '../ports-token.js';
import { type Sendable, sendDownload } from '../responses/send-download.js';
import { AnyOrigin, otherMethod, preflight } from './any-origin.js';

const METHODS = 'GET, HEAD, OPTIONS';

/** No cache may retain a picture longer than its URL is valid. */
function wholeSecondsUntil(end: Date, clock: Clock): number {
  return Math.max(0, Math.floor((end.getTime() - clock.now().getTime()) / SECOND));
}

/** Signed URLs of renditions, for `<img>` (API.md §8.6). */
@Controller('renditions')
@NoKeyRequired()
@AnyOrigin()
export class RenditionsController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  @Get(':token')
  async show(@Param('token') token: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const download = await openSignedRendition(this.ports, token);
    const { clock } = this.ports;
    // Evaluated when the response begins: generating the picture may have taken seconds.
    const sendable: Sendable = {
      ...sendableRendition(download),
      disposition: 'inline',
      get headers() {
        return { 'Cache-Control': `public, max-age=${wholeSecondsUntil(download.expiresAt, clock)}, immutable` };
      },
    };
    await sendDownload(request, response, sendable, this.options);
  }

  @Options(':token')
  @HttpCode(204)
  preflight(@Res({ passthrough: true }) response: Response): void {
    preflight(response, METHODS);
  }

  @All(':token')
  other(@Req() request: Request, @Res({ passthrough: true }) response: Response): never {
    throw otherMethod(request, response, METHODS);
  }
}
