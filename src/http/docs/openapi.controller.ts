import { All, Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NoKeyRequired } from '../access.js';
import { AnyOrigin } from '../files/any-origin.js';
import { REVALIDATE, sendMethods, sendPublic } from '../responses/send-public.js';
import { openApiFile } from './documents.js';

/** The contract, for programs; readers on other sites may load it, too. */
@Controller('openapi.json')
@NoKeyRequired()
@AnyOrigin()
export class OpenApiController {
  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    sendPublic(request, response, await openApiFile(request.baseUrl), REVALIDATE);
  }

  @All()
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}
