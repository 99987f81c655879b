import type { Request } from 'express';
import type { Ports } from '../../../core/ports.js';
import { FLOW_MS } from '../../../core/users/provider/flow.js';
import { cookieName, cookieOf, cookieRules } from '../browser-session.js';

const COOKIE = 'phs_provider';

/** Binds a sign-in at a provider to the browser that started it. */
export function rememberFlow(ports: Pick<Ports, 'addresses'>, request: Request, cookie: string): void {
  request.res?.cookie(cookieName(ports, COOKIE), cookie, { ...cookieRules(ports), maxAge: FLOW_MS });
}

/** Once: a second answer finds none. */
export function takeFlow(ports: Pick<Ports, 'addresses'>, request: Request): string {
  const cookie = cookieOf(request, cookieName(ports, COOKIE));
  if (cookie !== null) request.res?.clearCookie(cookieName(ports, COOKIE), cookieRules(ports));
  return cookie ?? '';
}
