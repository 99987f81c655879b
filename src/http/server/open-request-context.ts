import type { NextFunction, Request, Response } from 'express';
import { withTraceContext } from '../../core/jobs/trace-context.js';
import type { Clock } from '../../core/shared/clock.js';
import { newUlid, RandomBytes } from '../../core/shared/ulid.js';
import type { HttpOptions } from '../http-options.js';
import { SHARES_PATH } from '../public-addresses.js';
import { clientSource } from './client-source.js';
import { endTransfer, NOTHING } from './connection-bytes.js';
import { headersOf } from './headers.js';
import { requestContextOf, setRequestContext } from './request-context.js';

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
    if (traced) withTraceContext(traced.traceContext, next);
    else next();
  };
}
