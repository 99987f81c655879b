import { after, type Clock, HOUR } from '../shared/clock.js';
import { seal, unseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import { codeSecretUri, newCodeSecret } from './one-time-code.js';
import type { KnownSession } from './session.js';
import type { User } from './user.js';

export interface Enrolment {
  /** What the person's app has to know, as a text and as the content of a QR code. */
  readonly secret: string;
  readonly uri: string;
  /** To be sent back with the first code. Nobody else can use it, and nothing is stored before. */
  readonly sealed: string;
}

export interface SealedEnrolment {
  readonly user: string;
  readonly secret: string;
  readonly until: number;
}

/** A secret for a new authenticator app; or that of the enrolment before, so that a wrong code can be corrected. */
export function startEnrolment(
  uses: { secrets: Secrets; clock: Clock },
  { user, customer }: Pick<KnownSession, 'user' | 'customer'>,
  before = '',
): Enrolment {
  const secret = openEnrolment(uses, user, before) ?? newCodeSecret();
  const until = after(uses.clock.now(), HOUR).getTime();
  const sealed = seal(uses.secrets, 'enrolment', JSON.stringify({ user: nameOf(user), secret, until }));
  const account = user.email === null ? customer.name : `${user.email} (${customer.name})`;
  return { secret, uri: codeSecretUri(secret, account), sealed };
}

export function openEnrolment(uses: { secrets: Secrets; clock: Clock }, user: User, sealed: string): string | null {
  const text = unseal(uses.secrets, 'enrolment', sealed);
  if (text === null) return null;
  const { user: owner, secret, until } = JSON.parse(text) as SealedEnrolment;
  return owner === nameOf(user) && until > uses.clock.now().getTime() ? secret : null;
}

function nameOf({ customerId, id }: User): string {
  return `${customerId}:${id}`;
}
