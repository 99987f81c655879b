import { createHmac, randomBytes } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import session, { type SessionData, Store } from 'express-session';
import type { Ports } from '../../core/ports.js';
import { hashRandomToken } from '../../core/shared/random-token.js';
import { findSession } from '../../core/users/find-session.js';
import { openSession } from '../../core/users/open-session.js';
import { type KnownSession, LONGEST_MS } from '../../core/users/session.js';
import type { User } from '../../core/users/user.js';
import { exchangeOf } from '../exchange.js';

declare module 'express-session' {
  interface SessionData {
    /** Who it belongs to, read with it and never written back. */
    known?: KnownSession;
    /** What the next page is to say, once. */
    flash?: Flash | undefined;
  }
}

export interface Flash {
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

export function isSecure({ publicUrl }: Pick<Ports, 'publicUrl'>): boolean {
  return publicUrl.startsWith('https:');
}

/** With the prefix browsers take the cookie only by TLS, for this very host and all of its paths (RFC 6265bis §4.1.3.2). */
export function cookieName(uses: Pick<Ports, 'publicUrl'>, name: string): string {
  return isSecure(uses) ? `__Host-${name}` : name;
}

/** The step that knows who is signed in. Only for pages: the rest of the service has no cookies. */
export function browserSessions(ports: Ports) {
  const handle = session({
    name: cookieName(ports, 'phs'),
    store: new PortStore(ports),
    secret: ports.secrets.map((secret) => createHmac('sha256', secret).update('session').digest('hex')),
    genid: () => randomBytes(32).toString('base64url'),
    resave: false,
    // Whoever only looks at the sign-in page gets no session and no row.
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: isSecure(ports), path: '/', maxAge: LONGEST_MS },
  });
  return (request: Request, response: Response, next: NextFunction): void => {
    const isPage = exchangeOf(request).underSettings && !request.path.startsWith('/settings/assets/');
    if (isPage) handle(request, response, next);
    else next();
  };
}

/** Signs the browser in, under a new name that nobody could have planted (OWASP ASVS 5.0, 7.2.4). */
export async function beginSession(ports: Ports, request: Request, user: User): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    request.session.regenerate((error: unknown) => (error ? reject(error) : resolve()));
  });
  await openSession(ports, user, {
    token: request.sessionID,
    address: exchangeOf(request).clientIp,
    userAgent: request.headers['user-agent'] ?? '',
  });
  // A session of which nothing is kept would get no cookie.
  request.session.csrfToken = randomBytes(32).toString('hex');
}

/** Signs the browser out, here and in the database. */
export function endSession(request: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    request.session.destroy((error: unknown) => (error ? reject(error) : resolve()));
  });
}

/** express-session's store on our port. Rows are made by `beginSession` alone: what was revoked cannot come back by being saved. */
class PortStore extends Store {
  constructor(private readonly ports: Ports) {
    super();
  }

  override get(token: string, done: (error: unknown, data?: SessionData | null) => void): void {
    findSession(this.ports, token).then((known) => {
      if (known === null) return done(null, null);
      const cookie = { originalMaxAge: LONGEST_MS, expires: after14Days(known) };
      done(null, { ...known.session.data, known, cookie: cookie as SessionData['cookie'] });
    }, done);
  }

  override set(token: string, { known: _, cookie: __, ...data }: SessionData, done?: (error?: unknown) => void): void {
    this.ports.sessions.keep(hashRandomToken(token), data).then(() => done?.(), done);
  }

  override destroy(token: string, done?: (error?: unknown) => void): void {
    this.ports.sessions.end(hashRandomToken(token)).then(() => done?.(), done);
  }

  /** The guard notes when a session was last used. */
  override touch(_token: string, _data: SessionData, done?: () => void): void {
    done?.();
  }
}

function after14Days({ session: { startedAt } }: KnownSession): Date {
  return new Date(startedAt.getTime() + LONGEST_MS);
}
