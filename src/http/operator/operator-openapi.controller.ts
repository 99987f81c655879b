import { All, Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NoKeyRequired } from '../access.js';
import { REVALIDATE, sendMethods, sendPublic } from '../responses/send-public.js';

/** The contract of the operator API, for programs. */
@Controller('operator/openapi.json')
@NoKeyRequired()
export class OperatorOpenApiController {
  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { operatorDocumentFile } = await import('./operator-document.js');
    sendPublic(request, response, operatorDocumentFile(request.baseUrl), REVALIDATE);
  }

  @All()
  other(@Req() request: Request, @Res() response: Response): void {
    sendMethods(request, response);
  }
}
