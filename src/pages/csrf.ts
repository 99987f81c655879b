import { csrfSync } from 'csrf-sync';
import type { Request } from 'express';
import type { Ports } from '../core/ports.js';
import { DomainError } from '../core/shared/errors.js';
import { headerOf } from '../http/server/request.js';
import { requestContextOf } from '../http/server/request-context.js';
import { cookieName, cookieOf, cookieRules } from './browser-session.js';
import { FieldLength } from './form-fields.js';
import { pageContexts } from './page-context.js';

export const CSRF_FIELD = '_csrf';
const FORM_COOKIE = 'phs_form';

/** Tokens in forms: from the session if a person is signed in, otherwise from a cookie that only our own pages can match. */
export class Csrf {
  private readonly tokens = csrfSync({
    size: 32,
    getTokenFromRequest: (request) => {
      return (
        headerOf(request, 'x-csrf-token') ??
        pageContexts.get(requestContextOf(request))?.form.text(CSRF_FIELD, FieldLength.word)
      );
    },
    getTokenFromState: (request) => {
      if (isSignedIn(request)) return request.session.csrfToken;
      const token = cookieOf(request, cookieName(this.ports, FORM_COOKIE));
      return token !== null && /^[0-9a-f]{64}$/.test(token) ? token : undefined;
    },
    storeTokenInState: (request, token) => {
      if (isSignedIn(request)) request.session.csrfToken = token;
      else request.res?.cookie(cookieName(this.ports, FORM_COOKIE), token ?? '', cookieRules(this.ports, 'strict'));
    },
  });

  constructor(private readonly ports: Pick<Ports, 'addresses'>) {}

  /** For the hidden field of a form, or the header X-CSRF-Token of a script. */
  token(request: Request): string {
    return this.tokens.generateToken(request);
  }

  /** Errors: `url_forbidden` when a form was not sent by one of our pages. */
  requireToken(request: Request): void {
    if (isOwn(request, this.ports) && this.tokens.isRequestValid(request)) return;
    const message = 'This form has expired or was not sent from this page. Go back, reload the page and try again.';
    throw new DomainError('url_forbidden', message);
  }
}

function isSignedIn(request: Request): boolean {
  // During the request that signs in, the session has a token before it has a known user.
  return request.session.known !== undefined || request.session.csrfToken !== undefined;
}

/** The origin that browsers report must be this site; programs that report none need the token. */
function isOwn(request: Request, { addresses }: Pick<Ports, 'addresses'>): boolean {
  const [origin, host] = [headerOf(request, 'origin'), headerOf(request, 'host')];
  const site = headerOf(request, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  if (origin === 'null' || !URL.canParse(origin)) return false;
  return new URL(origin).host === host || origin === new URL(addresses.publicUrl).origin;
}
