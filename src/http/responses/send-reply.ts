import type { ExecutionContext } from '@nestjs/common';
import { Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { publicHtml, publicPath } from '../server/base-path.js';
import { headerOf } from '../server/headers.js';
import { entityTag, isPlain, noneMatch } from './entity-tag.js';
import { Outcomes, Reply } from './reply.js';

const WITH_ETAG = Symbol('WithETag');

/** The route returns a resource that has an ETag. */
export const WithETag = () => SetMetadata(WITH_ETAG, true);

/** Turns the result of a handler into status, headers and body; a GET that the client has cached becomes 304. */
@Injectable()
export class SendReply {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  /** Sets status and headers; returns the body. */
  bodyOf(answer: unknown, context: ExecutionContext): unknown {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const body = answer instanceof Reply ? applyReply(answer, response) : answer;
    if (answer instanceof Outcomes) return body;
    const tagged = this.reflector.get<boolean | undefined>(WITH_ETAG, context.getHandler()) ?? false;
    return tagged && typeof body === 'object' && body !== null ? addETag(body, request, response) : body;
  }
}

/** Sets status and headers; returns the body. Redirects and pages lead to addresses under the path of PUBLIC_URL. */
export function applyReply({ status, headers, body }: Reply, response: Response): Reply['body'] {
  const request = response.req;
  response.status(status);
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, name === 'Location' ? publicPath(request, String(value)) : value);
  }
  return typeof body === 'string' ? publicHtml(request, body) : body;
}

function addETag(view: object, request: Request, response: Response): object | undefined {
  const tag = entityTag(view);
  response.setHeader('ETag', tag);
  const reading = request.method === 'GET' || request.method === 'HEAD';
  if (!reading || !isPlain(view) || noneMatch(headerOf(request, 'if-none-match'), tag)) return view;
  // A 304 has the headers that tell caches which response it stands for (RFC 9110 §15.4.5).
  response.vary('Accept-Encoding');
  response.status(304);
  return undefined;
}
