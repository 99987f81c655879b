import { assertionOf } from '../../src/adapters/oidc/claims.js';

const GOOGLE = 'https://accounts.google.com';
const names = { verified: 'email_verified', groups: null };

test.each<[string, boolean, string, Record<string, unknown>]>([
  ['a Google address', true, GOOGLE, { email: 'anna@gmail.com' }],
  ['an address of an organization at Google', true, GOOGLE, { email: 'Anna@Example.com', hd: 'example.com' }],
  ['another address with a Google account', false, GOOGLE, { email: 'anna@example.com' }],
  ['an address of another organization', false, GOOGLE, { email: 'anna@example.com', hd: 'attacker.example' }],
  ['an address below that of the organization', false, GOOGLE, { email: 'a@sub.example.com', hd: 'example.com' }],
  ['an organization of an unexpected type', false, GOOGLE, { email: 'anna@example.com', hd: ['example.com'] }],
  ['no address', false, GOOGLE, { hd: 'example.com' }],
  ['any address at another provider', true, 'https://sign-in.example.com', { email: 'anna@example.com' }],
])('%s is verified: %s', (_, isEmailVerified, iss, claims) => {
  const token = { iss, sub: 'anna-1', email_verified: true, ...claims };
  expect(assertionOf(token, {}, names).isEmailVerified).toBe(isEmailVerified);
  expect(assertionOf({ ...token, email_verified: false }, {}, names).isEmailVerified).toBe(false);
});
