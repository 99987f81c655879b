import { createHmac, randomBytes } from 'node:crypto';
import type { Request } from 'express';
import session, { type SessionData, Store } from 'express-session';
import type { Ports } from '../core/ports.js';
import { DAY } from '../core/shared/clock.js';
import { hashRandomToken, newRandomToken } from '../core/shared/secrets.js';
import { DEVICE_DAYS, newDevice } from '../core/users/admission.js';
import { type Browser, findSession, type KnownSession, LONGEST_MS } from '../core/users/session.js';
import { headerOf } from '../http/server/request.js';
import { RequestSlot, requestContextOf } from '../http/server/request-context.js';

declare module 'express-session' {
  interface SessionData {
    /** Its owner, read with it and never written back. */
    known?: KnownSession;
    /** A message that the next page shows, once. */
    flash?: Flash | undefined;
  }
}

export interface Flash {
  readonly kind: 'done' | 'failed';
  readonly text: string;
  /** A button that takes it back: a form with values of one field. */
  readonly undo?: { readonly action: string; readonly field: string; readonly values: readonly string[] };
}

export function isSecure({ addresses }: Pick<Ports, 'addresses'>): boolean {
  return addresses.publicUrl.startsWith('https:');
}

/**
 * With the prefixes, browsers accept the cookie only over TLS and, by `__Host-`, for this very host and all of its paths (RFC 6265bis
 * §4.1.3.2): below a path of PUBLIC_URL it must not be sent to what else the host serves.
 */
export function cookieName(uses: Pick<Ports, 'addresses'>, name: string): string {
  if (!isSecure(uses)) return name;
  return uses.addresses.basePath === '' ? `__Host-${name}` : `__Secure-${name}`;
}

/**
 * The attributes of every cookie of the settings area, which have to be the same where it is cleared. Strict where the browser never comes
 * from another site; providers send people back from one.
 */
export function cookieRules(uses: Pick<Ports, 'addresses'>, sameSite: 'lax' | 'strict' = 'lax') {
  return { httpOnly: true, sameSite, secure: isSecure(uses), path: uses.addresses.basePath || '/' } as const;
}

/** The session that a request opens: the content of its cookie, and whether the session before goes on beside it. */
const opened = new RequestSlot<{ readonly token: string; readonly isBeside: boolean }>();

/** The middleware that knows who is signed in. */
export function browserSessions(ports: Ports) {
  return session({
    name: cookieName(ports, 'phs'),
    store: new PortStore(ports),
    secret: ports.secrets.map((secret) => createHmac('sha256', secret).update('session').digest('hex')),
    genid: (request) => opened.get(requestContextOf(request))?.token ?? newRandomToken(),
    resave: false,
    // Viewing the sign-in page creates no session and no row.
    saveUninitialized: false,
    cookie: { ...cookieRules(ports), maxAge: LONGEST_MS },
  });
}

/** The browser of a request, with the token of a session that a use case may open for it. */
export function newBrowser(request: Request): Browser {
  const { clientIp, namedIp } = requestContextOf(request);
  const userAgent = headerOf(request, 'user-agent') ?? '';
  return { token: newRandomToken(), address: clientIp, namedAddress: namedIp, userAgent };
}

/**
 * Gives the browser the cookie of another session of its own: of one that was opened for it, a new value, which no one could have planted
 * (OWASP ASVS 5.0, 7.2.4).
 * @param isKept Whether the previous session goes on.
 */
export async function startSession(
  request: Request,
  { token }: Pick<Browser, 'token'>,
  isKept: boolean,
): Promise<void> {
  opened.set(requestContextOf(request), { token, isBeside: isKept });
  await new Promise<void>((resolve, reject) => {
    request.session.regenerate((error: unknown) => (error ? reject(error) : resolve()));
  });
  // A session without data would get no cookie.
  request.session.csrfToken = randomBytes(32).toString('hex');
}

const DEVICE_COOKIE = 'phs_device';

/** The browser's cookie of earlier sign-ins; null when it has none. It outlives the session. */
export function deviceOf(ports: Pick<Ports, 'addresses'>, request: Request): string | null {
  return cookieOf(request, cookieName(ports, DEVICE_COOKIE));
}

/** Marks the browser as one in which the person with this address signed in. */
export function rememberDevice(ports: Ports, request: Request, email: string): void {
  const rules = { ...cookieRules(ports), maxAge: DEVICE_DAYS * DAY };
  request.res?.cookie(cookieName(ports, DEVICE_COOKIE), newDevice(ports, email), rules);
}

export function cookieOf(request: Request, name: string): string | null {
  const pairs = (headerOf(request, 'cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/** Signs the browser out, here and in the database. */
export function endSession(request: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    request.session.destroy((error: unknown) => (error ? reject(error) : resolve()));
  });
}

/** express-session's store on our port. Only use cases create rows: what was revoked cannot come back by being saved. */
class PortStore extends Store {
  constructor(private readonly ports: Ports) {
    super();
  }

  override get(token: string, done: (error: unknown, data?: SessionData | null) => void): void {
    findSession(this.ports, token).then((known) => {
      if (known === null) return done(null, null);
      // A session that is loaded gets the cookie of its store, not the one of the options above.
      const expires = new Date(known.session.startedAt.getTime() + LONGEST_MS);
      const cookie = { ...cookieRules(this.ports), originalMaxAge: LONGEST_MS, expires };
      done(null, { ...known.session.data, known, cookie: cookie as SessionData['cookie'] });
    }, done);
  }

  override set(token: string, { known: _, cookie: __, ...data }: SessionData, done?: (error?: unknown) => void): void {
    this.ports.sessions.keep(hashRandomToken(token), data).then(() => done?.(), done);
  }

  override destroy(token: string, done?: (error?: unknown) => void): void {
    this.ports.sessions.end(hashRandomToken(token)).then(() => done?.(), done);
  }

  override regenerate(request: Request, done: (error?: unknown) => unknown): void {
    if (!opened.get(requestContextOf(request))?.isBeside) {
      super.regenerate(request, done);
      return;
    }
    // Of express-session, and missing in its types: gives the request a new session.
    (this as unknown as { generate(request: Request): void }).generate(request);
    done();
  }

  /** The guard records when a session was last used. */
  override touch(_token: string, _data: SessionData, done?: () => void): void {
    done?.();
  }
}
