import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { KnownKey } from '../../core/access/api-key.js';
import type { Caller } from '../../core/access/caller.js';
import { callerOfKey } from '../../core/access/keys.js';
import type { BudgetGroup, WindowState } from '../../core/access/rolling-window.js';
import type { Actor } from '../../core/audit/audit-entry.js';
import type { OperatorToken } from '../../core/operators/operator-token.js';
import type { ErrorCode } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import type { Channel } from '../../core/traffic/traffic.js';

/** Bytes of a request and its response, with their headers. */
interface TransferredBytes {
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

export const NOTHING: TransferredBytes = { receivedBytes: 0, sentBytes: 0 };

/** The bytes of a connection that were counted for requests that have ended. */
interface Counted {
  received: number;
  readonly sent: number;
}

/** Not a WeakMap, as in request-context.ts. */
const COUNTED = Symbol('Counted');

interface CountedSocket extends Socket {
  [COUNTED]?: Counted;
}

/** Returns what the connection has carried since the request before this one ended: every byte is counted once, even if requests overlap. */
export function endTransfer(request: IncomingMessage): TransferredBytes {
  const socket: CountedSocket = request.socket;
  const { received, sent } = socket[COUNTED] ?? { received: 0, sent: 0 };
  const { bytesRead, bytesWritten } = socket;
  const counted: Counted = { received: bytesRead, sent: bytesWritten };
  socket[COUNTED] = counted;
  // Answered early, it is discarded until it ends. The next request may be that of another account, if this is the connection of a proxy.
  if (!request.complete) {
    request.once('end', () => {
      counted.received = socket.bytesRead;
    });
  }
  return { receivedBytes: bytesRead - received, sentBytes: bytesWritten - sent };
}

/** The facts that are known about one request and its response so far; each check adds its part. */
export interface RequestContext {
  /** `req_` and a ULID. */
  readonly requestId: string;
  /** Where the request comes from; a proxy's address if that did not send its client's. */
  readonly clientIp: string;
  /** The address that IP lists are compared with; null if a proxy did not send its client's. */
  readonly namedIp: string | null;
  /** The path is under /api/v1 or /operator/v1: keys or tokens, budgets and their headers apply. */
  readonly underApi: boolean;
  /** The path is under /settings: pages for people, and errors are pages too. */
  readonly underSettings: boolean;
  /** The path is that of a share or below: pages for people who have no account. */
  readonly forVisitors: boolean;
  /** The person who is signed in, for the log; null if there is none, or it is not known yet. */
  userId: Id | null;
  /** Set once the key is known. */
  key: KnownKey | null;
  /** The same for a token of the operator. */
  operator: OperatorToken | null;
  /** The budget that this request was charged to, as in its rate-limit headers. */
  charged: { readonly group: BudgetGroup; readonly state: WindowState } | null;
  /** Query parameters as declared by the route, validated. */
  parameters: unknown;
  /** The body as declared by the route, validated. */
  body: unknown;
  /** The error that the request was refused with; null if it was not. */
  refusal: ErrorCode | null;
  /** Whose usage its bytes are; null if it is no customer's, or not known yet. */
  account: { readonly customerId: Id; readonly channel: Channel } | null;
  /** Set once the response is sent. */
  transferred: TransferredBytes;
  /** Bytes of the body that a server in front of this one sends in its place. */
  sentByFront: number;
}

/** A value that one part of http alone knows about a request: only who has the slot can read it. */
export class RequestSlot<T> {
  private readonly key = Symbol('RequestSlot');

  set(requestContext: RequestContext, value: T): void {
    (requestContext as unknown as Record<symbol, T>)[this.key] = value;
  }

  get(requestContext: RequestContext): T | undefined {
    return (requestContext as unknown as Record<symbol, T>)[this.key];
  }
}

/** Not a WeakMap: its young entries would outlive their request until the next full garbage collection. */
const REQUEST_CONTEXT = Symbol('RequestContext');

interface WithRequestContext extends IncomingMessage {
  [REQUEST_CONTEXT]?: RequestContext;
}

export function setRequestContext(request: WithRequestContext, requestContext: RequestContext): void {
  request[REQUEST_CONTEXT] = requestContext;
}

export function requestContextOf(request: WithRequestContext): RequestContext {
  const requestContext = request[REQUEST_CONTEXT];
  if (!requestContext) throw new Error('the request did not come through openRequestContext');
  return requestContext;
}

/** The caller, for the use cases. Only after the guards. */
export function callerOf(requestContext: RequestContext): Caller {
  return callerOfKey(knownKeyOf(requestContext).key, requestContext.clientIp);
}

/** The actor of a request with a token of the operator. Only after the guards. */
export function operatorOf(requestContext: RequestContext): Actor {
  const { id, name } = knownOperatorOf(requestContext);
  return { kind: 'operator', id, name, address: requestContext.clientIp };
}

export function knownOperatorOf({ operator }: RequestContext): OperatorToken {
  if (!operator) throw new Error('the token of the operator is known only after the key guard');
  return operator;
}

export function knownKeyOf(requestContext: RequestContext): KnownKey {
  if (!requestContext.key) throw new Error('the key is known only after the key guard');
  return requestContext.key;
}

/** The budget that this request was counted in. Only after the guards. */
export function chargedTo({ charged }: RequestContext): WindowState {
  if (!charged) throw new Error('the budget is known only after the rate-limit guard');
  return charged.state;
}

/** The caller, as the use cases need it. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  return callerOf(requestContextOf(context.switchToHttp().getRequest<Request>()));
});

/** The request context. */
export const CurrentRequestContext = createParamDecorator((_: unknown, context: ExecutionContext): RequestContext => {
  return requestContextOf(context.switchToHttp().getRequest<Request>());
});

const SIGNED_URL = /^\/(uploads|renditions|img)\//;
const BESIDE_THE_API = /^\/(healthz|readyz|(operator\/)?openapi\.json|\.well-known\/security\.txt)$/;

/** Paths for programs, signed addresses and load balancers, under any host name. All others are for people. */
export function isForPrograms(
  { underApi }: Pick<RequestContext, 'underApi'>,
  { path }: Pick<Request, 'path'>,
): boolean {
  return underApi || BESIDE_THE_API.test(path) || isSignedUrl({ path });
}

/** Whether a path is one of those for which the signature is the permission. */
export function isSignedUrl({ path }: Pick<Request, 'path'>): boolean {
  return SIGNED_URL.test(path);
}

/** Whether the client explicitly prefers HTML: browsers do, clients that accept anything do not. */
export function prefersHtml(request: Pick<Request, 'accepts'>): boolean {
  return request.accepts(['json', 'html']) === 'html';
}

/**
 * People get pages, scripts of pages the error as in the API. In the settings area scripts identify themselves; elsewhere, where programs
 * also call, people are recognized by an Accept header that prefers HTML.
 */
export function wantsPage(requestContext: RequestContext, request: Request): boolean {
  if (isForPrograms(requestContext, request)) return false;
  return requestContext.underSettings ? request.accepts(['html', 'json']) !== 'json' : prefersHtml(request);
}
