import { createHash } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  type ExecutionContext,
  Inject,
  Injectable,
  type OnModuleInit,
  SetMetadata,
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
import { type Claim, type IdempotencyKey, MAX_IDEMPOTENCY_KEY } from '../../core/idempotency/idempotency-store.js';
import type { Ports } from '../../core/ports.js';
import { MINUTE, SECOND } from '../../core/shared/clock.js';
import { DomainError, type ErrorCode, invalid } from '../../core/shared/errors.js';
import { canonical } from '../../core/shared/text.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { pathIdOf } from '../../http/requests/parameters.js';
import { isStreamed } from '../../http/requests/read-request.js';
import { Outcomes, Reply } from '../../http/responses/reply.js';
import { headersOf } from '../../http/server/request.js';
import {
  callerOf,
  type RequestContext,
  RequestSlot,
  requestContextOf,
  requestParameter,
} from '../../http/server/request-context.js';
import { budgetGroupOf } from '../guards.js';

/**
 * Runs a use case that has exactly one transaction, and responds. For a request with an Idempotency-Key the response is stored in that
 * transaction, so that whatever fails, a repetition finds both the work and its response, or neither. `answerTo` only translates: it is
 * called inside the transaction and once more after it.
 */
export type RunIdempotently = <T>(
  act: (ports: Ports) => Promise<T>,
  answerTo: (result: T) => unknown,
) => Promise<unknown>;

/** The function by which the handler of a request runs its work, set once the Idempotency-Key has been checked. */
const idempotentRun = new RequestSlot<RunIdempotently>();

export const Idempotent = requestParameter((request): RunIdempotently => {
  const runIdempotently = idempotentRun.get(requestContextOf(request));
  if (!runIdempotently) throw new Error('IdempotentResponses did not see this request');
  return runIdempotently;
});

export function noBody(): undefined {}

/** The form in which bodies of a route are stored when they contain secrets: only what is needed to recreate them. */
export interface StoredBodyFormat<Body extends object, Stored extends object> {
  toStored(body: Body, ports: Ports): Stored;
  /** The body for a repeated request, in the current state. */
  toBody(ports: Ports, requestContext: RequestContext, stored: Stored): Promise<Body>;
}

const STORED_BODY_FORMAT = Symbol('StoredBodyFormat');

/** Without it, a body is stored unchanged. */
export const StoreBodyAs = <Body extends object, Stored extends object>(format: StoredBodyFormat<Body, Stored>) =>
  SetMetadata(STORED_BODY_FORMAT, format);

const REPEATABLE = Symbol('RepeatableByItself');

/** The handler takes care of its Idempotency-Key, or does not need it: a repeated request gets the same response anyway. */
export const RepeatableByItself = () => SetMetadata(REPEATABLE, true);

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

    // Its types are those of the one route that it decorates.
    type Format = StoredBodyFormat<object, object> | undefined;
    const format = this.reflector.get<Format>(STORED_BODY_FORMAT, context.getHandler());
    const { customerId, key } = await this.ownerOf(requestContext, request, sent);
    const claimed = await claimKey(this.ports, { customerId, key }, fingerprintOf(request, requestContext));
    if ('answer' in claimed) {
      response.setHeader(REPLAYED, 'true');
      const stored = claimed.answer as StoredHttpResponse;
      if ('error' in stored) throw new ReplayedError(stored);
      const { status, headers, body, bulk } = stored;
      if (bulk) return new Outcomes((body as Outcomes['body']).data);
      return new Reply(status, body && (await (format?.toBody(this.ports, requestContext, body) ?? body)), headers);
    }

    const { claim } = claimed;
    const toStored = (answer: unknown): StoredHttpResponse => {
      const reply = answer instanceof Reply ? answer : new Reply(response.statusCode, answer as object | undefined);
      const { status, headers } = reply;
      // Pages are strings; API responses never are.
      const body = reply.body as object | undefined;
      const stored = body && (format?.toStored(body, this.ports) ?? body);
      return { status, headers, body: stored, bulk: answer instanceof Outcomes };
    };
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
    // With a space, which no key of a client contains.
    return { customerId, key: `operator ${key}` };
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

/** Between quotes (a string of RFC 9651 §3.3.3) `"` and `\` are escaped. */
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BARE = /^[\x21\x23-\x7e][\x21-\x7e]*$/;
/** Length of the header: each character escaped, between quotes. */
export const MAX_QUOTED_KEY = 2 * MAX_IDEMPOTENCY_KEY + 2;

/** The `Idempotency-Key` of a request; null without one. Quoted and bare spellings are the same key. Errors: `invalid_request`. */
export function idempotencyKeyOf(request: Request): string | null {
  const sent = headersOf(request, 'idempotency-key');
  if (sent === undefined) return null;
  const [header = '', ...more] = sent;
  const key = QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(header)?.[0] ?? '';
  if (more.length === 0 && key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY) return key;
  const message = `Idempotency-Key must be 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters, optionally quoted.`;
  throw invalid({ field: 'Idempotency-Key', code: 'invalid_format', message });
}

/**
 * Returns a hash of what makes requests equal: method, path, query and body, as parsed by the route, so that neither the order of fields nor white
 * space matters. Of a streamed body only its values count: its files are identified by their hashes.
 */
export function fingerprintOf({ method, path }: Request, { parameters, body }: RequestContext): string {
  const values = isStreamed(body) ? body.inputs : body;
  return createHash('sha256')
    .update(canonical([method, path, parameters, values]))
    .digest('hex');
}

type StoredHttpResponse =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string | number>>;
      /** Absent: the response has no body. */
      readonly body?: object | undefined;
      /** The body is that of `Outcomes`. */
      readonly bulk: boolean;
    }
  | { readonly requestId: string; readonly error: Pick<DomainError, 'code' | 'message' | 'details'> };

/** Errors that depend on the state of the library: to try again, clients use a new key. All others can be retried with the same one. */
const storedErrors: readonly ErrorCode[] = [
  'not_found',
  'tag_name_taken',
  'import_not_open',
  'import_photo_final',
  'uploads_incomplete',
  'limit_reached',
  'precondition_failed',
  'quota_exceeded',
  'no_photos_accepted',
];

/** The stored form of an error; null when the request may be retried under its key. */
function storedErrorOf(thrown: unknown, requestId: string): StoredHttpResponse | null {
  if (!(thrown instanceof DomainError) || !storedErrors.includes(thrown.code)) return null;
  const { code, message, details } = thrown;
  return { requestId, error: { code, message, ...(details && { details }) } };
}

/** The error of an earlier request; its body contains that request's id. */
export class ReplayedError extends DomainError {
  readonly requestId: string;

  constructor({ requestId, error }: Extract<StoredHttpResponse, { error: unknown }>) {
    super(error.code, error.message, error.details);
    this.requestId = requestId;
  }
}
