import { after } from '../shared/clock.js';
import type { Assertion, ProviderSettings } from './identity-provider.js';
import { CONFIRMED_MS } from './session.js';

export interface ProofByProvider {
  /** No second factor is asked for here. */
  readonly provesFactor: boolean;
  /** When the person proved there who they are. */
  readonly confirmedAt: Date;
}

/** What a sign-in at a provider proves about the person. */
export function proofBy(
  { trustedMethods }: Pick<ProviderSettings, 'trustedMethods'>,
  { methods, authenticatedAt }: Assertion,
  at: Date,
): ProofByProvider {
  // A provider that remembers the browser proves nothing about who sits before it.
  const confirmedAt = authenticatedAt ?? after(at, -CONFIRMED_MS);
  return {
    provesFactor: methods.some((method) => trustedMethods.includes(method)),
    confirmedAt: confirmedAt < at ? confirmedAt : at,
  };
}
