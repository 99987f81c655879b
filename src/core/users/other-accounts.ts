import type { Clock } from '../shared/clock.js';
import { readToken, type Secrets, signToken } from '../shared/secrets.js';
import { findSession } from './find-session.js';
import type { KnownSession, SessionStore } from './session.js';
import type { User } from './user.js';

/** Sessions that a browser keeps beside the one that it uses. */
export const MAX_OTHER_ACCOUNTS = 4;

/** A session that the browser could use instead. */
export interface OtherAccount {
  /** What its cookie would contain. */
  readonly token: string;
  readonly known: KnownSession;
}

/** The cookie with the tokens of a person's other sessions. Signed, so that nobody else adds a session of their own. */
export function newAccountsCookie(secrets: Secrets, tokens: readonly string[]): string {
  return signToken(secrets, 'accounts', tokens);
}

/** The other sessions of a browser that are open, of the person who is signed in. */
export async function otherAccounts(
  uses: { sessions: SessionStore; secrets: Secrets; clock: Clock },
  cookie: string,
  current: KnownSession,
): Promise<readonly OtherAccount[]> {
  const tokens = (readToken(uses.secrets, 'accounts', cookie) ?? []) as readonly string[];
  const found = await Promise.all(
    tokens.slice(0, MAX_OTHER_ACCOUNTS).map(async (token) => ({ token, known: await findSession(uses, token) })),
  );
  return found.flatMap(({ token, known }) =>
    known && isAnotherAccountOf(known, current.user) ? { token, known } : [],
  );
}

/**
 * Whether a session is one of the same person at another customer. That it is the same address is enough: whoever has both sessions has
 * signed in to both.
 */
export function isAnotherAccountOf({ user }: KnownSession, { email, customerId }: User): boolean {
  return email !== null && user.email === email && user.customerId !== customerId;
}
