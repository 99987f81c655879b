import type { NextFunction, Request, Response } from 'express';
import { type IpRanges, normalizeAddress } from '../../core/access/ip-list.js';
import type { Ports } from '../../core/ports.js';
import type { Clock } from '../../core/shared/clock.js';
import { DomainError } from '../../core/shared/errors.js';
import { newUlid, RandomBytes } from '../../core/shared/random.js';
import type { HttpOptions } from '../http-options.js';
import { SHARES_PATH } from '../public-addresses.js';
import { headersOf } from './headers.js';
import { endTransfer, isForPrograms, NOTHING, requestContextOf, setRequestContext } from './request-context.js';

const API = '/api/v1';
const OPERATOR_API = '/operator/v1';
const SETTINGS = '/settings';
const SHARES = `/${SHARES_PATH}/`;

/** Monitors and pages ask for these again and again: above `debug` their lines would hide the others. */
const ROUTINE = /^\/(healthz|readyz|settings\/assets\/)/;

/** No path of the API needs percent-encoding, except for the comma in a list of ids. */
const ENCODED = /%(?!2c)/i;

/**
 * The first step of every request: its id, its source address, and the log line at its end. The line contains the route template only:
 * paths contain tokens of signed addresses, and queries what clients search for.
 */
export function openRequestContext(
  { clock }: { clock: Clock },
  { logger, trustedProxies, operatorApi, onAnswered, trace }: HttpOptions,
) {
  const apis = operatorApi ? [API, OPERATOR_API] : [API];
  const random = new RandomBytes();
  return (request: Request, response: Response, next: NextFunction): void => {
    const requestId = `req_${newUlid(clock.now().getTime(), random)}`;
    const peer = request.socket.remoteAddress ?? '';
    const forwardedFor = trustedProxies && headersOf(request, 'x-forwarded-for')?.join(',');
    const { address: clientIp, isNamed } = clientSource(peer, forwardedFor ?? undefined, trustedProxies);
    const path = request.path ?? '';
    const api = apis.find((base) => path === base || path.startsWith(`${base}/`));
    const underApi = api !== undefined;
    const underSettings = path === SETTINGS || path.startsWith(`${SETTINGS}/`);
    setRequestContext(request, {
      requestId,
      clientIp,
      namedIp: isNamed ? clientIp : null,
      underApi,
      underSettings,
      forVisitors: path.startsWith(SHARES),
      userId: null,
      key: null,
      operator: null,
      charged: null,
      parameters: {},
      body: undefined,
      refusal: null,
      account: null,
      transferred: NOTHING,
      sentByFront: 0,
    });
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

/** Where a request comes from. */
export interface ClientSource {
  readonly address: string;
  /** False if a trusted proxy did not send its client's address: then the address is the proxy's, and no IP list admits the client. */
  readonly isNamed: boolean;
}

/**
 * The client of a request: the peer, unless the peer is a trusted proxy; then the right-most hop of X-Forwarded-For that is not one, with
 * or without a port. If all hops are trusted proxies, the request comes from one of them.
 */
export function clientSource(
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: IpRanges | null,
): ClientSource {
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

/** A name or an address, in brackets if it contains colons, and optionally a port (RFC 9110 §7.2; our own names need no other characters). */
const HOST = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{0,5})?$/;

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Accepts requests that name one host (RFC 9112 §3.2). Pages are only served for the host of PUBLIC_URL and loopback: under another name
 * that resolves to this address, another site's page would have the same origin as ours (DNS rebinding).
 */
export function requireHost({ addresses }: Pick<Ports, 'addresses'>) {
  const own = new URL(addresses.publicUrl).hostname;
  return (request: Request, _: Response, next: NextFunction): void => {
    next(refusalOf(request, own) ?? undefined);
  };
}

function refusalOf(request: Request, own: string): DomainError | null {
  const hosts = headersOf(request, 'host');
  // HTTP/1.0 has no Host. A 1.1 request without one does not arrive here: Node refuses it.
  if (hosts === undefined) return null;
  const [host = ''] = hosts;
  if (hosts.length > 1 || !HOST.test(host)) return invalidHost();
  if (isForPrograms(requestContextOf(request), request)) return null;
  const name = host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  return name === own || LOOPBACK.test(name) ? null : foreignHost();
}

function invalidHost(): DomainError {
  return new DomainError('invalid_request', 'Send one Host header with a name or an address, and optionally a port.');
}

function foreignHost(): DomainError {
  const message =
    'Pages are served only under the address of PUBLIC_URL. If this address is correct, set PUBLIC_URL to it; a proxy must forward the Host header.';
  return new DomainError('invalid_request', message);
}
