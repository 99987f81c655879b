import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { authenticate } from '../../core/access/authenticate.js';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { accessOf, requiresKey } from '../access.js';
import { PORTS } from '../ports-token.js';
import { requestContextOf } from '../server/request-context.js';
import { refusedByAddress } from './budget-headers.js';
import { TrafficRecorder } from './traffic-recorder.js';

/** Step 1 of the order of checks (docs/architecture.md): who is the caller? Never says which part of a key was wrong. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (!requiresKey(accessOf(this.reflector, context))) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const requestContext = requestContextOf(request);
    requestContext.key = await authenticate(this.ports, bearerTokenOf(request));
    if (requestContext.key) {
      this.traffic.follow(request, response);
      return true;
    }
    const refusal = new DomainError('unauthorized', 'Send a valid API key: Authorization: Bearer <API_KEY>.');
    throw await refusedByAddress(this.ports, requestContext, response, refusal);
  }
}

/** Two `Authorization` headers are as invalid as none. */
function bearerTokenOf({ headersDistinct }: Request): string | null {
  const [header = '', ...others] = headersDistinct['authorization'] ?? [];
  return others.length === 0 ? (/^bearer +(\S+)$/i.exec(header)?.[1] ?? null) : null;
}
