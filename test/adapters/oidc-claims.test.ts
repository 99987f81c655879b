import { assertionOf } from '../../src/adapters/oidc/open-id-provider.js';

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

describe('an address and whether it is verified come from the same source', () => {
  const token = { iss: 'https://sign-in.example.com', sub: 'anna-1' };
  const read = (ofToken: object, more: object) => {
    const { email, isEmailVerified } = assertionOf({ ...token, ...ofToken }, { sub: 'anna-1', ...more }, names);
    return [email, isEmailVerified];
  };
  const [anna, zoe] = ['anna@example.com', 'zoe@example.com'];

  test('are not mixed: a flag for another address does not verify the address of the token', () => {
    expect(read({ email: anna }, { email: zoe, email_verified: true })).toEqual([anna, false]);
    expect(read({ email: anna }, { email_verified: true })).toEqual([anna, false]);
  });

  test('are not mixed: a flag of the token does not verify an address that only the response has', () => {
    expect(read({ email_verified: true }, { email: zoe })).toEqual([zoe, false]);
    expect(read({ email_verified: true, hd: 'example.com' }, { email: zoe, email_verified: false })).toEqual([
      zoe,
      false,
    ]);
  });

  test('are the source of that address, also where the token has it without a flag', () => {
    expect(read({ email: anna, email_verified: true }, { email: zoe, email_verified: false })).toEqual([anna, true]);
    expect(read({}, { email: zoe, email_verified: true })).toEqual([zoe, true]);
    expect(read({ email: anna }, { email: anna, email_verified: true })).toEqual([anna, true]);
    expect(read({ email: anna, email_verified: false }, { email: anna, email_verified: true })).toEqual([anna, false]);
  });
});
