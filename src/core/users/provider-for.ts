import type { Readable } from '../shared/transactional.js';
import type { IdentityProviders, ProviderSettings } from './identity-provider.js';
import type { KnownSession } from './session.js';

/** The provider that knows this person; null when there is none, or the operator has removed it. */
export async function providerFor(
  { store, identityProviders }: { store: Readable<'identities'>; identityProviders: IdentityProviders },
  { user }: Pick<KnownSession, 'user'>,
): Promise<ProviderSettings | null> {
  if (identityProviders.length === 0) return null;
  const own = await store.query(user.customerId, ({ identities }) => identities.of(user.id));
  const known = (issuer: string) => own.some((identity) => withoutSlash(identity.issuer) === withoutSlash(issuer));
  return identityProviders.find(({ settings }) => known(settings.issuer))?.settings ?? null;
}

/** Operators write an issuer with or without it. */
function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, '');
}
