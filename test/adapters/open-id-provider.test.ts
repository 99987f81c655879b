import { OpenIdProvider } from '../../src/adapters/oidc/open-id-provider.js';
import type { ProviderRequest } from '../../src/core/users/identity-provider.js';
import { providerSettings } from '../../testing/memory/users/memory-identities.js';
import { RETURN_TO } from '../contracts/identity-provider.contract.js';
import { OddIssuer } from '../support/odd-issuer.js';
import { sampleHash } from '../support/samples.js';

let issuer: OddIssuer;
let provider: OpenIdProvider;

beforeAll(async () => {
  issuer = await OddIssuer.start();
});
afterAll(() => issuer.close());
beforeEach(() => {
  issuer.reset();
  provider = newProvider();
});

function newProvider(options: Partial<ConstructorParameters<typeof OpenIdProvider>[0]> = {}): OpenIdProvider {
  return new OpenIdProvider({
    settings: providerSettings({ issuer: issuer.issuer }),
    clientId: 'photos',
    clientSecret: 'a secret of the client',
    scopes: [],
    claims: { verified: 'email_verified', groups: null },
    ...options,
  });
}

const newRequest = (): ProviderRequest => {
  const [state, nonce, verifier] = [sampleHash(), sampleHash(), sampleHash()];
  return { state, nonce, verifier, returnTo: RETURN_TO, isFresh: false };
};
async function signIn(of = provider) {
  const request = newRequest();
  return of.finish(issuer.answerTo(await of.start(request)), request);
}
const now = () => Math.floor(Date.now() / 1000);
const invalid = { code: 'unauthorized', details: { reason: 'invalid_answer' } };
const away = { code: 'service_unavailable' };

test.each<[string, () => Record<string, unknown>]>([
  ['of another issuer', () => ({ iss: 'https://attacker.example.com' })],
  ['for another client', () => ({ aud: 'others' })],
  ['for several clients, made for another', () => ({ aud: ['photos', 'others'], azp: 'others' })],
  ['with another nonce', () => ({ nonce: sampleHash() })],
  ['without a nonce', () => ({ nonce: undefined })],
  ['that has expired', () => ({ exp: now() - 60 })],
  ['of a clock that is fast', () => ({ iat: now() + 120, exp: now() + 180 })],
  ['of long ago', () => ({ iat: now() - 3600 })],
  ['of nobody', () => ({ sub: undefined })],
])('a token %s is refused', async (_, claims) => {
  issuer.claims = claims();
  await expect(signIn()).rejects.toMatchObject(invalid);
});

test('the reason why a token is refused is the cause of the error, for the log', async () => {
  issuer.claims = { iss: 'https://attacker.example.com' };
  const { cause } = (await signIn().catch((error: unknown) => error)) as { cause: Error };
  expect(cause.message).toContain('"iss" (issuer)');
  expect(cause.message).not.toContain('attacker');
});

test('a clock that differs by seconds is accepted', async () => {
  issuer.claims = { iat: now() + 10, exp: now() + 60 };
  expect(await signIn()).toMatchObject({ subject: 'anna-1' });
  issuer.claims = { iat: now() - 70, exp: now() - 10 };
  expect(await signIn()).toMatchObject({ subject: 'anna-1' });
});

test('a key that was replaced a moment ago is asked for, one that is not published is refused', async () => {
  expect(await signIn()).toMatchObject({ subject: 'anna-1' });
  issuer.rollKey({ isPublished: true });
  expect(await signIn()).toMatchObject({ subject: 'anna-1' });
  issuer.rollKey({ isPublished: false });
  await expect(signIn()).rejects.toMatchObject(invalid);
  issuer.rollKey({ isPublished: true });
});

test('claims of any type are read without an error', async () => {
  const settings = { claims: { verified: 'xms_edov', groups: 'roles' } };
  issuer.claims = { xms_edov: '1', roles: ['a', 7, 'b'], amr: ['pwd', 'mfa'], acr: 'gold', auth_time: 1_700_000_000 };
  expect(await signIn(newProvider(settings))).toEqual({
    issuer: issuer.issuer,
    subject: 'anna-1',
    email: 'anna@example.com',
    isEmailVerified: true,
    groups: ['a', 'b'],
    methods: ['pwd', 'mfa', 'gold'],
    authenticatedAt: new Date(1_700_000_000_000),
  });
  issuer.reset();
  issuer.claims = { email: 7, email_verified: 'no', amr: 7 };
  const nothing = { email: null, isEmailVerified: false, groups: [], methods: [], authenticatedAt: null };
  expect(await signIn()).toEqual({ issuer: issuer.issuer, subject: 'anna-1', ...nothing });
  expect(issuer.asked).not.toContain('/userinfo');
});

test('claims that the token leaves out are requested, of the same person', async () => {
  issuer.claims = { email: undefined };
  issuer.userInfo = { email: 'anna@example.com', email_verified: true };
  expect(await signIn()).toMatchObject({ email: 'anna@example.com', isEmailVerified: true });
  issuer.userInfo = { sub: 'bert-1', email: 'anna@example.com', email_verified: true };
  await expect(signIn()).rejects.toMatchObject(invalid);
});

test('time and method of a sign-in are taken from the token only', async () => {
  issuer.claims = { email: undefined };
  issuer.userInfo = { email: 'anna@example.com', email_verified: true, amr: ['mfa'], acr: 'gold', auth_time: now() };
  expect(await signIn()).toMatchObject({ email: 'anna@example.com', methods: [], authenticatedAt: null });
});

test('many simultaneous sign-ins request the addresses of a provider once, and a failure is not remembered', async () => {
  issuer.answers['/.well-known/openid-configuration'] = (response) => void response.writeHead(500).end();
  await expect(provider.start(newRequest())).rejects.toMatchObject(away);
  issuer.reset();
  await Promise.all([1, 2, 3, 4].map(() => provider.start(newRequest())));
  expect(issuer.asked).toEqual(['/.well-known/openid-configuration']);
});

test.each<[string, () => void]>([
  ['sends far too much', () => Object.assign(issuer.metadata, { more: 'x'.repeat(2 * 1024 * 1024) })],
  ['is another', () => Object.assign(issuer.metadata, { issuer: 'https://attacker.example.com' })],
  ['does not answer', () => Object.assign(issuer.answers, { '/.well-known/openid-configuration': () => {} })],
  [
    'sends elsewhere',
    () =>
      Object.assign(issuer.answers, {
        '/.well-known/openid-configuration': (response: {
          writeHead(status: number, headers: object): { end(): void };
        }) => response.writeHead(302, { location: '/keys' }).end(),
      }),
  ],
])('a provider that %s cannot be reached', async (_, arrange) => {
  arrange();
  await expect(newProvider({ timeoutSeconds: 0.2 }).start(newRequest())).rejects.toMatchObject(away);
});

test('addresses without TLS are only asked on this machine', async () => {
  issuer.metadata = { token_endpoint: 'http://192.0.2.1/token' };
  await expect(signIn()).rejects.toMatchObject({ code: expect.stringMatching(/unauthorized|service_unavailable/) });
  const remote = newProvider({ settings: providerSettings({ issuer: 'http://192.0.2.1' }) });
  await expect(remote.start(newRequest())).rejects.toMatchObject(away);
});

test('a person who has to sign in again is asked to, even if the provider knows the browser', async () => {
  const parameters = new URL(await provider.start({ ...newRequest(), isFresh: true })).searchParams;
  expect([parameters.get('prompt'), parameters.get('max_age')]).toEqual(['login', '0']);
  const without = new URL(await provider.start(newRequest())).searchParams;
  expect([without.get('prompt'), without.get('code_challenge_method')]).toEqual([null, 'S256']);
  expect(await provider.signOutAddress('http://photos.test/')).toBeNull();
});
