import { All, Controller, Get, HttpCode, Inject, Options, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { openSignedRendition } from '../../core/photos/renditions/signed-url.js';
import type { Ports } from '../../core/ports.js';
import { SECOND } from '../../core/shared/clock.js';
import { NoKeyRequired } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { RENDITIONS_PATH } from '../../http/public-addresses.js';
import { sendableRendition } from '../../http/responses/photo-download.js';
import { type Sendable, sendDownload } from '../../http/responses/send-download.js';
import { TrafficRecorder } from '../../http/server/recorders.js';
import type { HeaderName } from '../openapi/headers.js';
import { Documented, DocumentTag, PathParameters, pictureAnswers } from '../openapi/operation.js';
import { ifNoneMatchHeader, pathToken, rangeParameters } from '../openapi/parameters.js';
import { nginxCacheHeaders, OnEveryResponse, openToPages, otherMethod, preflight } from './any-origin.js';

const METHODS = 'GET, HEAD, OPTIONS';
const fileHeaders: readonly HeaderName[] = ['ETag', 'Last-Modified', 'Accept-Ranges', 'Content-Disposition'];

/** Signed URLs of renditions, for `<img>`. */
@DocumentTag('Signed URLs')
@PathParameters(pathToken)
@Controller(RENDITIONS_PATH)
@NoKeyRequired()
@OnEveryResponse(openToPages)
export class RenditionsController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
  ) {}

  @Get(':token')
  @Documented({
    operationId: 'showRendition',
    summary: 'Retrieve a rendition',
    description:
      "One of a photo's `urls`, for use in `<img>`. Valid until its `expiresAt`, and no longer than the key that requested it: once that key is deleted or expired, or has an IP list, the response is 403. Any cache may store the image until `expiresAt`, because another rotation has another URL.",
    headers: [ifNoneMatchHeader, ...rangeParameters],
    answers: pictureAnswers('The image.', 'image', fileHeaders),
    errors: ['url_forbidden', 'not_found', 'precondition_failed', 'range_not_satisfiable'],
  })
  async show(@Param('token') token: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const download = await openSignedRendition(this.ports, token);
    this.traffic.followBytes(request, response, download.photo.customerId, 'signed_urls');
    const { clock } = this.ports;
    // Evaluated when the response begins: generating the picture may have taken seconds.
    const sendable: Sendable = {
      ...sendableRendition(download),
      disposition: 'inline',
      get headers() {
        // No cache may retain a picture longer than its URL is valid.
        const valid = download.expiresAt.getTime() - clock.now().getTime();
        const seconds = Math.max(0, Math.floor(valid / SECOND));
        return { 'Cache-Control': `public, max-age=${seconds}, immutable`, ...nginxCacheHeaders(seconds) };
      },
    };
    // Not handed to nginx: it does not store what it sends from a file.
    await sendDownload(request, response, sendable);
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
