import { factorNeededFrom } from '../../core/users/factors/policy.js';
import type { KnownSession } from '../../core/users/session.js';
import { Moment } from '../parts.js';

export const FACTORS_PATH = '/settings/account/factors';

/** For somebody whose account requires two-step sign-in, now or soon, and who has not set it up. */
export function FactorNotice({ person }: { person: KnownSession }) {
  const from = factorNeededFrom(person);
  if (from === null) return null;
  return (
    <p class="flash failed">
      Everyone in this account needs two-step sign-in as of <Moment at={from} />. From then on, no other page opens
      without it. <a href={FACTORS_PATH}>Add a passkey or an authenticator app</a>.
    </p>
  );
}
