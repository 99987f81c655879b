import type { ExecutionContext } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { claimKey } from '../../../core/idempotency/claim-key.js';
import type { Claim, StoredResponse } from '../../../core/idempotency/idempotency-store.js';
import { storeWithResponse } from '../../../core/idempotency/store-with-response.js';
import type { Ports } from '../../../core/ports.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http-options.js';
import { PORTS } from '../../ports-token.js';
import { Outcomes, Reply } from '../../responses/reply.js';
import { callerOf, type RequestContext, requestContextOf } from '../../server/request-context.js';
import { budgetGroupOf } from '../guards/budget-group.js';
import { ClaimLeases } from './claim-leases.js';
import { fingerprintOf, idempotencyKeyOf } from './idempotency-key.js';
import { type AnyStoredBodyFormat, idempotentRun, STORED_BODY_FORMAT } from './idempotent.js';
import { ReplayedError, type StoredHttpResponse, storedErrorOf } from './stored-response.js';

const REPLAYED = 'Idempotent-Replayed';

/**
 * Step 9 of the order of checks (docs/architecture.md): a write with an Idempotency-Key is executed once, and its response returned again
 * for 24 hours.
 *
 * Handlers that use `Idempotent` store the response in the transaction of their work, and nothing can come between the two. The others have
 * several transactions, and find their work done when they run again (lists of ids, finalizing). Their response is stored after the work:
 * after a crash in between, the key is free as after any crash, and a repetition gets its own response.
 */
@Injectable()
export class IdempotentResponses {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
    @Inject(ClaimLeases) private readonly leases: ClaimLeases,
  ) {}

  async answer(context: ExecutionContext, handle: () => Promise<unknown>): Promise<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const requestContext = requestContextOf(request);
    idempotentRun.set(requestContext, async (act, answerTo) => answerTo(await act(this.ports)));
    const key = budgetGroupOf(request.method) === 'write' ? idempotencyKeyOf(request) : null;
    if (key === null) return handle();
    const format = this.reflector.get<AnyStoredBodyFormat | undefined>(STORED_BODY_FORMAT, context.getHandler());
    const { customerId } = callerOf(requestContext);
    const claimed = await claimKey(this.ports, { customerId, key }, fingerprintOf(request, requestContext));
    if ('answer' in claimed) return this.replay(claimed.answer, requestContext, response, format);
    const toStored = (answer: unknown) => storedResponseOf(answer, response.statusCode, format);
    return this.leases.during(claimed.claim, () => this.run(claimed.claim, requestContext, handle, toStored));
  }

  private async run(
    claim: Claim,
    requestContext: RequestContext,
    handle: () => Promise<unknown>,
    toStored: (answer: unknown) => StoredResponse,
  ) {
    let isStored = false;
    idempotentRun.set(requestContext, async (act, answerTo) => {
      const store = storeWithResponse(this.ports.store, claim, (result) => toStored(answerTo(result as never)));
      const result = await act({ ...this.ports, store });
      isStored = true;
      return answerTo(result);
    });
    try {
      const answer: unknown = await handle();
      if (!isStored) await this.quietly(requestContext, () => this.store(claim, toStored(answer)));
      return answer;
    } catch (error) {
      const answer = storedErrorOf(error, requestContext.requestId);
      // If a response is stored already, both change nothing: for example, a lost response of the database can hide a successful commit.
      await this.quietly(requestContext, () =>
        answer ? this.store(claim, answer) : this.ports.idempotency.release(claim),
      );
      throw error;
    }
  }

  private store(claim: Claim, answer: StoredResponse): Promise<unknown> {
    return this.ports.store.transaction(claim.customerId, (transaction) => transaction.responses.store(claim, answer));
  }

  /** The client gets its response nevertheless; the key is free again when its lease expires. */
  private async quietly(requestContext: RequestContext, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const { requestId } = requestContext;
      this.options.logger.warn({ err: error, requestId }, 'the response for an Idempotency-Key could not be stored');
    }
  }

  private async replay(
    answer: StoredResponse,
    requestContext: RequestContext,
    response: Response,
    format: AnyStoredBodyFormat | undefined,
  ): Promise<Reply> {
    const stored = answer as StoredHttpResponse;
    response.setHeader(REPLAYED, 'true');
    if ('error' in stored) throw new ReplayedError(stored);
    const { status, headers, body, bulk } = stored;
    if (bulk) return new Outcomes((body as Outcomes['body']).data);
    const shown = body && format ? await format.toBody(this.ports, callerOf(requestContext), body) : body;
    return new Reply(status, shown, headers);
  }
}

function storedResponseOf(
  answer: unknown,
  status: number,
  format: AnyStoredBodyFormat | undefined,
): StoredHttpResponse {
  const reply = answer instanceof Reply ? answer : new Reply(status, answer as object | undefined);
  const { headers } = reply;
  // Pages are strings; API responses never are.
  const body = reply.body as object | undefined;
  const bulk = answer instanceof Outcomes;
  return { status: reply.status, headers, body: body && format ? format.toStored(body) : body, bulk };
}
