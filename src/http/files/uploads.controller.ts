import { All, Controller, HttpCode, Inject, Options, Param, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { receiveUpload } from '../../core/imports/receive-upload.js';
import type { Ports } from '../../core/ports.js';
import { NoKeyRequired } from '../access.js';
import { PORTS } from '../ports-token.js';
import { bodyOf, requestTimeout } from '../requests/request-body.js';
import { requestContextOf } from '../server/request-context.js';
import { AnyOrigin, otherMethod, preflight } from './any-origin.js';

const METHODS = 'OPTIONS, PUT';

/** Signed upload targets: each address is valid for the bytes of one item (API.md §8.6). */
@Controller('uploads')
@NoKeyRequired()
@AnyOrigin()
export class UploadsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Put(':token')
  @HttpCode(204)
  receive(@Param('token') token: string, @Req() request: Request): Promise<void> {
    const declared = request.headers['content-length'];
    return receiveUpload(this.ports, {
      token,
      address: requestContextOf(request).namedIp,
      declaredBytes: declared === undefined ? null : Number(declared),
      bytes: bodyOf(request, requestTimeout),
      isGone: () => request.socket.destroyed,
    });
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
