import { addressBudget } from '../access/ip-list.js';
import { requireBudget } from '../access/require-budget.js';
import type { RateWindowStore } from '../access/rolling-window.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Secrets } from '../shared/secrets.js';
import { type IdentityProviders, providerOf } from './identity-provider.js';
import { newFlow, requestOf } from './provider-flow.js';
import type { KnownSession } from './session.js';

/** Both directions together, a minute: a whole office may come from one address. */
const PER_ADDRESS = 120;

export interface ProviderUses {
  readonly identityProviders: IdentityProviders;
  readonly rateWindows: RateWindowStore;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

interface Start {
  readonly provider: string;
  readonly returnTo: string;
  /** The page that was wanted. */
  readonly next: string;
  /** The person who is asked again; null: somebody signs in. */
  readonly person: KnownSession | null;
  readonly address: string;
}

/**
 * Where the browser goes to sign in at a provider, and the cookie with which it comes back. Whoever has a second factor is asked again for
 * that, not here. Errors: `not_found`, `service_unavailable`, `rate_limited`, `unauthorized`.
 */
export async function startProviderSignIn(
  uses: ProviderUses,
  { provider: id, returnTo, next, person, address }: Start,
): Promise<{ readonly address: string; readonly cookie: string }> {
  const provider = providerOf(uses.identityProviders, id);
  if (person?.hasFactor) throw new DomainError('unauthorized', 'Confirm with your second factor instead.');
  await requireProviderBudget(uses, address);
  const { flow, cookie } = newFlow(uses, { provider: id, next, session: person?.session.tokenHash ?? null });
  return { address: await provider.begin(requestOf(flow, returnTo)), cookie };
}

/** Strangers must not have the provider asked without end. Errors: `rate_limited`. */
export function requireProviderBudget(uses: Pick<ProviderUses, 'rateWindows'>, address: string): Promise<void> {
  const budget = { name: `sign-in:provider:${addressBudget(address)}`, limit: PER_ADDRESS };
  return requireBudget(uses, budget, 'Too many attempts.');
}
