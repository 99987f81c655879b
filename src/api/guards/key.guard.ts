import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { authenticate } from '../../core/access/keys.js';
import { authenticateOperator } from '../../core/operators/operator-token.js';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { accessOf, credentialOf } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { headersOf } from '../../http/server/headers.js';
import { TrafficRecorder } from '../../http/server/recorders.js';
import { type RequestContext, requestContextOf } from '../../http/server/request-context.js';
import { refusedByAddress } from './rate-limit.guard.js';

/** Step 1 of the order of checks (docs/architecture.md): who is the caller? Never says which part of a key was wrong. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const credential = credentialOf(accessOf(this.reflector, context));
    return credential === null || this.knows(credential, context);
  }

  private async knows(credential: 'key' | 'operator_token', context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const requestContext = requestContextOf(request);
    const token = bearerTokenOf(request);
    if (credential === 'operator_token') {
      requestContext.operator = await authenticateOperator(this.ports, token);
      if (requestContext.operator) return true;
      const unknown = 'Send a valid operator token: Authorization: Bearer <OPERATOR_TOKEN>.';
      throw await this.refused(requestContext, response, unknown);
    }
    requestContext.key = await authenticate(this.ports, token);
    if (requestContext.key) {
      this.traffic.follow(request, response);
      return true;
    }
    throw await this.refused(requestContext, response, 'Send a valid API key: Authorization: Bearer <API_KEY>.');
  }

  private refused(requestContext: RequestContext, response: Response, message: string): Promise<DomainError> {
    return refusedByAddress(this.ports, requestContext, response, new DomainError('unauthorized', message));
  }
}

/** Two `Authorization` headers are as invalid as none. */
function bearerTokenOf(request: Request): string | null {
  const [header = '', ...others] = headersOf(request, 'authorization') ?? [];
  return others.length === 0 ? (/^bearer +(\S+)$/i.exec(header)?.[1] ?? null) : null;
}
