import { All, Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NoKeyRequired } from '../access.js';
import { operatorOpenApiFile } from '../docs/documents.js';
import { REVALIDATE, sendMethods, sendPublic } from '../docs/send-public.js';

/** The contract of the operator API, for programs. */
@Controller('operator/openapi.json')
@NoKeyRequired()
export class OperatorOpenApiController {
  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    sendPublic(request, response, await operatorOpenApiFile(request.baseUrl), REVALIDATE);
  }

  @All()
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}
