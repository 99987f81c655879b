import type { Request } from 'express';
import type { RequestContext } from './request-context.js';

const BESIDE_THE_API = /^\/(uploads\/|renditions\/|(healthz|readyz|openapi\.json|\.well-known\/security\.txt)$)/;

/** What programs, signed addresses and balancers ask for, under whichever name they know this service by. All else is for people. */
export function isForPrograms(
  { underApi }: Pick<RequestContext, 'underApi'>,
  { path }: Pick<Request, 'path'>,
): boolean {
  return underApi || BESIDE_THE_API.test(path);
}

/** Whether a page is preferred, by name: a browser's address bar says so, and nothing that takes whatever comes. */
export function prefersHtml(request: Pick<Request, 'accepts'>): boolean {
  return request.accepts(['json', 'html']) === 'html';
}
