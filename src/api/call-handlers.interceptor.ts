import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { accessOf, scopeOf } from '../http/access.js';
import { ReadRequest } from '../http/requests/read-request.js';
import { SendReply } from '../http/responses/reply.js';
import { IdempotentResponses } from './idempotency/idempotent-responses.js';

/**
 * Everything done around each handler, after the guards: steps 7 to 9 of the order of checks (docs/architecture.md), and the reply. One
 * interceptor for all of it: Nest's overhead for each took as long as reading a small row.
 */
@Injectable()
export class CallHandlers implements NestInterceptor {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(ReadRequest) private readonly request: ReadRequest,
    @Inject(IdempotentResponses) private readonly idempotency: IdempotentResponses,
    @Inject(SendReply) private readonly reply: SendReply,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const handle = () => lastValueFrom(next.handle());
    const isEndpoint = scopeOf(accessOf(this.reflector, context)) !== null;
    const answer = isEndpoint ? await this.answer(context, handle) : await handle();
    return of(this.reply.bodyOf(answer, context));
  }

  private async answer(context: ExecutionContext, handle: () => Promise<unknown>): Promise<unknown> {
    try {
      await this.request.read(context);
      return await this.idempotency.answer(context, handle);
    } finally {
      this.request.leave(context);
    }
  }
}
