import type { Uses } from '../ports.js';
import { hashRandomToken } from '../shared/random-token.js';
import { cut } from '../shared/text.js';
import type { Session } from './session.js';
import type { User } from './user.js';

interface Browser {
  /** What its cookie says. */
  readonly token: string;
  readonly address: string;
  readonly userAgent: string;
}

/** From here on the browser is signed in. Errors: `not_found` when the user is gone. */
export function openSession(
  { sessions, clock }: Uses<'sessions' | 'clock'>,
  { customerId, id: userId }: Pick<User, 'customerId' | 'id'>,
  { token, address, userAgent }: Browser,
): Promise<Session> {
  const [startedAt, browser] = [clock.now(), cut(userAgent, 300)];
  const tokenHash = hashRandomToken(token);
  return sessions.open({ customerId, userId, tokenHash, data: {}, startedAt, lastSeenAt: startedAt, address, browser });
}
