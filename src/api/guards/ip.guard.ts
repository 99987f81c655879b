import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { PORTS } from '../../http/ports-token.js';
import { KeyUseRecorder } from '../../http/server/recorders.js';
import { type RequestContext, requestContextOf } from '../../http/server/request-context.js';
import { refusedByAddress } from './rate-limit.guard.js';

/**
 * Step 2 of the order of checks (docs/architecture.md): may this key be used from this address? A thief must neither drain the key's budget
 * nor see it. Whose address counts behind proxies is decided by `clientSource` (http/server/request-context.ts); operators set the list
 * with `phs key create --ip`.
 */
@Injectable()
export class IpGuard implements CanActivate {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(KeyUseRecorder) private readonly uses: KeyUseRecorder,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const requestContext = requestContextOf(context.switchToHttp().getRequest<Request>());
    const { key, operator, namedIp } = requestContext;
    const holder = operator ?? key?.key;
    if (holder === undefined) return true;
    if (this.ports.ipLists.admits(holder.ipList, namedIp)) {
      if (key) this.uses.note(key.key.id, requestContext.clientIp);
      return true;
    }
    return this.refuse(context, requestContext);
  }

  private async refuse(context: ExecutionContext, requestContext: RequestContext): Promise<never> {
    const { operator, namedIp } = requestContext;
    const what = operator ? 'This token' : 'This key';
    const message =
      namedIp === null
        ? `${what} is restricted to certain addresses, and the proxy at ${requestContext.clientIp} did not report yours.`
        : `${what} may not be used from ${requestContext.clientIp}.`;
    const response = context.switchToHttp().getResponse<Response>();
    const refusal = new DomainError('ip_not_whitelisted', message);
    throw await refusedByAddress(this.ports, requestContext, response, refusal);
  }
}
