import type { Request } from 'express';
import type { RequestContext } from './request-context.js';

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
