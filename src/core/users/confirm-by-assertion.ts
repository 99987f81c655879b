import { after, SECOND } from '../shared/clock.js';
import type { DomainError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { isSameIdentity } from './identity.js';
import { type Assertion, refusedBy } from './identity-provider.js';
import type { ProviderFlow } from './provider-flow.js';
import type { KnownSession, SessionStore } from './session.js';
import type { ProviderUses } from './start-provider-sign-in.js';

/** By how much the clock of a provider may differ from ours. */
export const CLOCK_TOLERANCE_MS = 30 * SECOND;

/** The person who is signed in is the one of whom the provider speaks, and signed in there just now. Errors: `unauthorized`, with a reason. */
export async function confirmByAssertion(
  { store, sessions, clock }: { store: Transactional<'identities'>; sessions: SessionStore } & ProviderUses,
  { session, startedAt }: ProviderFlow,
  assertion: Assertion,
  person: KnownSession | null,
): Promise<void> {
  if (person === null || person.session.tokenHash !== session) throw notBegun();
  const own = await store.query(person.customer.id, ({ identities }) => identities.of(person.user.id));
  if (!own.some((identity) => isSameIdentity(identity, assertion))) {
    throw refusedBy('other_person', 'Somebody else signed in there. Sign in there as yourself.');
  }
  const { authenticatedAt } = assertion;
  if (authenticatedAt === null || authenticatedAt < after(startedAt, -CLOCK_TOLERANCE_MS)) {
    const message = 'The provider did not say that you signed in there just now. An admin can send you a link instead.';
    throw refusedBy('not_fresh', message);
  }
  await sessions.confirm(person.session.tokenHash, clock.now());
}

export function notBegun(): DomainError {
  return refusedBy('expired', 'This sign-in took too long, was used before, or began in another browser. Start again.');
}
