import {
  type BeforeApplicationShutdown,
  type ExecutionContext,
  Inject,
  Injectable,
  type OnModuleInit,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { findCustomer } from '../../core/customers/customer-directory.js';
import {
  CLAIM_LEASE_SECONDS,
  claimKey,
  reclaimKeys,
  responseOf,
  storeAnswer,
  storeWithResponse,
} from '../../core/idempotency/claim-key.js';
import type { Claim, IdempotencyKey } from '../../core/idempotency/idempotency-store.js';
import type { Ports } from '../../core/ports.js';
import { MINUTE, SECOND } from '../../core/shared/clock.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { pathIdOf } from '../../http/requests/path-id.js';
import { callerOf, type RequestContext, requestContextOf } from '../../http/server/request-context.js';
import { budgetGroupOf } from '../guards/budgets.js';
import {
  type AnyStoredBodyFormat,
  fingerprintOf,
  idempotencyKeyOf,
  idempotentRun,
  operatorKey,
  REPEATABLE,
  STORED_BODY_FORMAT,
} from './idempotent.js';
import { replyOf, type StoredHttpResponse, storedErrorOf, storedResponseOf } from './stored-response.js';

/** Twice within a lease, leaving time for a slow database. */
const RENEW_EVERY_MS = (CLAIM_LEASE_SECONDS * SECOND) / 3;
/** A run that has not ended by then is given up: its lease expires. If it is still alive, it can commit only as long as no other request took over. */
const RUNS_FOR_MS = 5 * MINUTE;

/**
 * The claims on idempotency keys held by requests of this process. One statement renews all leases periodically, as long as the process is
 * alive; the claims of a dead process are reclaimed when another starts.
 */
@Injectable()
export class ClaimLeases implements OnModuleInit, BeforeApplicationShutdown {
  /** Since when each is held, by `performance.now()`. */
  private readonly held = new Map<Claim, number>();
  private timer: NodeJS.Timeout | undefined;
  private stopShowing: (() => Promise<void>) | undefined;

  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

  /** Before the first request is taken. */
  async onModuleInit(): Promise<void> {
    this.stopShowing = await this.ports.idempotency.showAlive();
    await reclaimKeys(this.ports).catch(this.warn);
    this.timer = setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
  }

  /** Stops renewing: claims that are still held are left to the next process. The ports are closed at the shutdown itself. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.stopShowing?.();
  }

  /** Renews the lease of a claim while `work` runs. */
  async during<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    this.held.set(claim, performance.now());
    try {
      return await work();
    } finally {
      this.held.delete(claim);
    }
  }

  /** Renews the lease of every claim in use. */
  async renew(): Promise<void> {
    const youngest = performance.now() - RUNS_FOR_MS;
    const claims = [...this.held].flatMap(([claim, since]) => (since > youngest ? [claim] : []));
    if (claims.length > 0) await this.ports.idempotency.renew(claims, CLAIM_LEASE_SECONDS).catch(this.warn);
  }

  private readonly warn = (error: unknown): void => {
    this.options.logger.warn({ err: error }, 'the leases of Idempotency-Keys could not be stored');
  };
}

/** The header of responses that an earlier request got. */
export const REPLAYED = 'Idempotent-Replayed';

/**
 * Step 9 of the order of checks (docs/architecture.md): a write with an Idempotency-Key is executed once, and its response returned again
 * for 24 hours.
 *
 * Handlers that use `Idempotent` store the response in the transaction of their work, and nothing can come between the two. The others have
 * several transactions, and find their work done when they run again (deleting a list, finalizing). Their response is stored after the work:
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

  /** A request without a key is just handled. With one: claim it, return what is stored, or handle the request and store what becomes of it. */
  async answer(context: ExecutionContext, handle: () => Promise<unknown>): Promise<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const requestContext = requestContextOf(request);
    idempotentRun.set(requestContext, async (act, answerTo) => answerTo(await act(this.ports)));
    const sent = budgetGroupOf(request.method) === 'write' ? idempotencyKeyOf(request) : null;
    const isRepeatable = this.reflector.get<true | undefined>(REPEATABLE, context.getHandler()) ?? false;
    if (sent === null || isRepeatable) return handle();

    const format = this.reflector.get<AnyStoredBodyFormat | undefined>(STORED_BODY_FORMAT, context.getHandler());
    const { customerId, key } = await this.ownerOf(requestContext, request, sent);
    const claimed = await claimKey(this.ports, { customerId, key }, fingerprintOf(request, requestContext));
    if ('answer' in claimed) {
      response.setHeader(REPLAYED, 'true');
      const toBody = (body: object) => format?.toBody(this.ports, requestContext, body) ?? body;
      return replyOf(claimed.answer as StoredHttpResponse, toBody);
    }

    const { claim } = claimed;
    const toStored = (answer: unknown) =>
      storedResponseOf(answer, response.statusCode, (body) => format?.toStored(body, this.ports) ?? body);
    const storeAfterwards = (stored: StoredHttpResponse) => storeAnswer(this.ports, claim, stored);
    let isStored = false;
    idempotentRun.set(requestContext, async (act, answerTo) => {
      const store = storeWithResponse(
        this.ports.store,
        responseOf(claim, (result) => toStored(answerTo(result as never))),
      );
      const result = await act({ ...this.ports, store });
      isStored = true;
      return answerTo(result);
    });

    return this.leases.during(claim, async () => {
      try {
        const answer = await handle();
        if (!isStored) await this.quietly(requestContext, () => storeAfterwards(toStored(answer)));
        return answer;
      } catch (error) {
        // If a response is stored already, both change nothing: a lost response of the database can hide a successful commit.
        const stored = storedErrorOf(error, requestContext.requestId);
        await this.quietly(requestContext, () =>
          stored ? storeAfterwards(stored) : this.ports.idempotency.release(claim),
        );
        throw error;
      }
    });
  }

  /** A key of the operator is stored with the account that the request is about, where no key of the customer equals it. */
  private async ownerOf(requestContext: RequestContext, request: Request, key: string): Promise<IdempotencyKey> {
    if (!requestContext.operator) return { customerId: callerOf(requestContext).customerId, key };
    const { id: customerId } = await findCustomer(this.ports, pathIdOf(request, 'customerId'));
    return { customerId, key: operatorKey(key) };
  }

  /** The client gets its response nevertheless; the key is free again when its lease expires. */
  private async quietly({ requestId }: RequestContext, store: () => Promise<unknown>): Promise<void> {
    try {
      await store();
    } catch (error) {
      this.options.logger.warn({ err: error, requestId }, 'the response for an Idempotency-Key could not be stored');
    }
  }
}
