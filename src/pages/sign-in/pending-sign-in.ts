import type { Request } from 'express';
import type { Ports } from '../../core/ports.js';
import { newPendingCookie, PENDING_MS } from '../../core/users/factors/second-factor.js';
import type { Browser } from '../../core/users/session.js';
import type { SignInResult } from '../../core/users/sign-in/sign-in.js';
import type { Reply } from '../../http/responses/reply.js';
import { keepAccountsOf } from '../account-switch/account-switch.js';
import { address } from '../address.js';
import { cookieName, cookieOf, cookieRules, rememberDevice, startSession } from '../browser-session.js';
import { redirectTo } from '../page.js';
import { HOME, type PageContext } from '../page-context.js';

export const CODE_PATH = '/settings/sign-in/code';

const COOKIE = 'phs_pending';

/** After the password, or a link: on to the page that was wanted, or to the question for the second factor. */
export async function continueSignIn(
  ports: Ports,
  context: PageContext,
  { user, isPending, pendingRole }: SignInResult,
  browser: Browser,
  next: string,
): Promise<Reply> {
  const { request } = context;
  if (isPending) {
    const pending = { customerId: user.customerId, token: browser.token, role: pendingRole };
    const cookie = newPendingCookie(ports.secrets, pending);
    request.res?.cookie(cookieName(ports, COOKIE), cookie, { ...cookieRules(ports), maxAge: PENDING_MS });
    return redirectTo(context, address(CODE_PATH, { next: next === HOME ? undefined : next }));
  }
  endPending(ports, request);
  await startSession(request, browser, await keepAccountsOf(ports, context, user));
  rememberDevice(ports, request, user.email ?? '');
  return redirectTo(context, next);
}

/** The cookie of a sign-in that waits for the second factor; null when there is none. It opens no page. */
export function pendingOf(ports: Pick<Ports, 'addresses'>, request: Request): string | null {
  return cookieOf(request, cookieName(ports, COOKIE));
}

export function endPending(ports: Pick<Ports, 'addresses'>, request: Request): void {
  if (pendingOf(ports, request) !== null) request.res?.clearCookie(cookieName(ports, COOKIE), cookieRules(ports));
}

/** Only into the settings area: a link must not lead to another site after the sign-in. */
export function ownPath(next: unknown): string {
  const isOwn = typeof next === 'string' && /^\/settings\/[A-Za-z0-9/_.~?=&%-]*$/.test(next) && !/\/[/.]/.test(next);
  return isOwn ? next : HOME;
}
