import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { KnownKey } from '../../core/access/api-key.js';
import type { Caller } from '../../core/access/caller.js';
import { type IpRanges, normalizeAddress } from '../../core/access/ip-list.js';
import { callerOfKey } from '../../core/access/keys.js';
import type { BudgetGroup, WindowState } from '../../core/access/rolling-window.js';
import type { Actor } from '../../core/audit/audit-entry.js';
import type { OperatorToken } from '../../core/operators/operator-token.js';
import type { Clock } from '../../core/shared/clock.js';
import type { ErrorCode } from '../../core/shared/errors.js';
import { type Id, newUlid, RandomBytes } from '../../core/shared/ids.js';
import type { Channel } from '../../core/traffic/traffic.js';
import type { HttpOptions } from '../http-options.js';
import { isSignedPath, SHARES_PATH } from '../public-addresses.js';
import { headersOf } from './request.js';

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
  /** Bytes of the request and of its response, with their headers. Set once the response is sent. */
  transferred: { readonly receivedBytes: number; readonly sentBytes: number };
  /** Bytes of the body that a server in front of this one sends in its place. */
  sentByFront: number;
}

/** A value that one part of the API or of the pages keeps with a request: only who has the slot can read it. */
export class RequestSlot<T> {
  private readonly key = Symbol('RequestSlot');

  set(requestContext: RequestContext, value: T): void {
    (requestContext as unknown as Record<symbol, T>)[this.key] = value;
  }

  get(requestContext: RequestContext): T | undefined {
    return (requestContext as unknown as Record<symbol, T>)[this.key];
  }
}

/** Kept on the request, and not in a WeakMap: its young entries would outlive their request until the next full garbage collection. */
const REQUEST_CONTEXT = Symbol('RequestContext');

interface WithRequestContext extends IncomingMessage {
  [REQUEST_CONTEXT]?: RequestContext;
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

/** Makes a decorator of parameters of handlers, from what reads their value in the request and, if it takes one, the decorator's argument. */
export function requestParameter<T, Argument = unknown>(read: (request: Request, argument: Argument) => T) {
  return createParamDecorator((argument: Argument, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<Request>(), argument),
  );
}

export const CurrentCaller = requestParameter((request): Caller => callerOf(requestContextOf(request)));

export const CurrentRequestContext = requestParameter((request): RequestContext => requestContextOf(request));

/** Monitors and pages ask for these again and again: above `debug` their lines would hide the others. */
const ROUTINE = /^\/(healthz|readyz|settings\/assets\/)/;

/** No path of the API needs percent-encoding, except for the comma in a list of ids. */
const ENCODED = /%(?!2c)/i;

/**
 * The first step of every request. At its beginning: its context, with its id and its source address; its trace, in which the next steps run;
 * and for a path of the API that the router may not be able to decode, one that no route has. At its end: the count of its bytes, the log line,
 * and the end of the trace. The line contains the route template only: paths contain tokens of signed addresses, and queries what clients
 * search for.
 */
export function openRequestContext(
  { clock }: { clock: Clock },
  { logger, trustedProxies, operatorApi, onAnswered, trace }: HttpOptions,
) {
  const apis = operatorApi ? ['/api/v1', '/operator/v1'] : ['/api/v1'];
  const random = new RandomBytes();
  return (request: Request, response: Response, next: NextFunction): void => {
    const requestId = `req_${newUlid(clock.now().getTime(), random)}`;
    const peer = request.socket.remoteAddress ?? '';
    const forwardedFor = trustedProxies && headersOf(request, 'x-forwarded-for')?.join(',');
    const { address: clientIp, isNamed } = clientSource(peer, forwardedFor ?? undefined, trustedProxies);
    const path = request.path ?? '';
    const api = apis.find((base) => path === base || path.startsWith(`${base}/`));
    const underApi = api !== undefined;
    const underSettings = path === '/settings' || path.startsWith('/settings/');
    (request as WithRequestContext)[REQUEST_CONTEXT] = {
      requestId,
      clientIp,
      namedIp: isNamed ? clientIp : null,
      underApi,
      underSettings,
      forVisitors: path.startsWith(`/${SHARES_PATH}/`),
      userId: null,
      key: null,
      operator: null,
      charged: null,
      parameters: {},
      body: undefined,
      refusal: null,
      account: null,
      transferred: { receivedBytes: 0, sentBytes: 0 },
      sentByFront: 0,
    };
    response.setHeader('X-Request-Id', requestId);
    const { method, socket } = request;
    const began = performance.now();
    const traced = trace?.({ method, traceparent: headersOf(request, 'traceparent')?.[0] });
    let whole = false;
    // Node also emits `finish` when a connection is closed with bytes still to send.
    response.once('finish', () => {
      whole = !socket.destroyed;
    });
    // The first to listen: those who count the bytes for an account find them.
    response.once('close', () => {
      const requestContext = requestContextOf(request);
      const { key, operator, userId, refusal, charged } = requestContext;
      requestContext.transferred = endTransfer(request);
      const route = request.route?.path ?? null;
      const status = response.statusCode;
      const line = { requestId, method, route, status, code: refusal, keyId: key?.key.id ?? null, clientIp };
      const ms = performance.now() - began;
      const bytes = requestContext.transferred.sentBytes;
      const who = { ...(userId !== null && { userId }), ...(operator && { operatorTokenId: operator.id }) };
      const fields = { ...line, ...who, ms: Math.round(ms), bytes, whole };
      logger[status < 400 && ROUTINE.test(route ?? '') ? 'debug' : 'info'](fields, 'request');
      const answered = { method, route, status, budget: charged?.group ?? null, ms };
      onAnswered?.(answered);
      traced?.end({ ...answered, requestId });
    });
    // The router cannot decode every path, and would treat /photos/%31 as /photos/1. No route has such a path: the catch-all answers it.
    if (underApi && ENCODED.test(path)) request.url = `${api}/-`;
    if (traced) traced.run(next);
    else next();
  };
}

/**
 * The client of a request: the peer, unless the peer is a trusted proxy; then the right-most hop of X-Forwarded-For that is not one, with
 * or without a port. If all hops are trusted proxies, the request comes from one of them. `isNamed` is false if a trusted proxy did not send
 * its client's address: then the address is the proxy's, and no IP list admits the client.
 */
export function clientSource(peer: string, forwardedFor: string | undefined, trustedProxies: IpRanges | null) {
  const address = normalizeAddress(peer) ?? peer;
  if (trustedProxies === null || !trustedProxies.contains(address)) return { address, isNamed: true };
  if (forwardedFor === undefined) return { address, isNamed: false };
  for (const text of forwardedFor.split(',').reverse()) {
    const hop = hopAddress(text.trim());
    if (hop === null) return { address, isNamed: false };
    if (!trustedProxies.contains(hop)) return { address: hop, isNamed: true };
  }
  return { address, isNamed: true };
}

/** `1.2.3.4`, `1.2.3.4:567`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:567`, as proxies write them; null for anything else. */
function hopAddress(text: string): string | null {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  if (bracketed !== undefined) return bracketed.includes(':') ? normalizeAddress(bracketed) : null;
  return normalizeAddress(dotted ?? text);
}

/** The bytes of a connection that were counted for requests that have ended. */
interface Counted {
  received: number;
  readonly sent: number;
}

/** Kept on the socket, for the reason stated at `REQUEST_CONTEXT`. */
const COUNTED = Symbol('Counted');

/** Returns what the connection has carried since the request before this one ended: every byte is counted once, even if requests overlap. */
function endTransfer(request: IncomingMessage): RequestContext['transferred'] {
  const socket: Socket & { [COUNTED]?: Counted } = request.socket;
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

const BESIDE_THE_API = /^\/(healthz|readyz|(operator\/)?openapi\.json|\.well-known\/security\.txt)$/;

/** Paths for programs, signed addresses and load balancers, under any host name. All others are for people. */
export function isForPrograms(
  { underApi }: Pick<RequestContext, 'underApi'>,
  { path }: Pick<Request, 'path'>,
): boolean {
  return underApi || BESIDE_THE_API.test(path) || isSignedPath(path);
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
