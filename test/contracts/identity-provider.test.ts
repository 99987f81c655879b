import { OpenIdProvider } from '../../src/adapters/oidc/open-id-provider.js';
import { MemoryIdentityProvider, providerSettings } from '../../testing/memory/users/memory-identities.js';
import { OpenIdServer } from '../support/openid-server.js';
import { identityProviderContract, RETURN_TO } from './identity-provider.contract.js';

identityProviderContract('memory', async () => {
  const provider = new MemoryIdentityProvider();
  return {
    provider,
    signIn: async (address, subject, email) => provider.signIn(address, { subject, email, isEmailVerified: true }),
    setAway: async (isAway) => void Object.assign(provider, { isAway }),
    close: async () => {},
  };
});

identityProviderContract('OpenID Connect, with a real provider', async () => {
  const server = await OpenIdServer.start(RETURN_TO);
  const provider = new OpenIdProvider({
    settings: providerSettings({ issuer: server.issuer }),
    clientId: 'photos',
    clientSecret: 'a secret of the client',
    scopes: [],
    claims: { verified: 'email_verified', groups: null },
  });
  return {
    provider,
    signIn: (address, subject, email) => {
      server.people.set(subject, { email, email_verified: true });
      return server.signIn(address, subject);
    },
    setAway: (isAway) => server.setAway(isAway),
    close: () => server.close(),
  };
});
