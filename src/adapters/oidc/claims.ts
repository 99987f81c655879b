import type { Assertion } from '../../core/users/identity-provider.js';

/** The names of claims that differ between providers. */
export interface ClaimNames {
  /** Says that the address is the person's; `email_verified` by the standard. */
  readonly verified: string;
  /** Lists the groups of a person; null: nobody asks. */
  readonly groups: string | null;
}

const GOOGLE = 'https://accounts.google.com';

export type Claims = Readonly<Record<string, unknown>>;

/** Whether a token leaves out what the provider may say when it is asked for it. */
export function lacks(claims: Claims, { groups }: ClaimNames): boolean {
  return claims['email'] === undefined || (groups !== null && claims[groups] === undefined);
}

/**
 * What the claims of a checked token say, and `more` of the same person. How and when somebody signed in is only said by the token, which
 * is about this sign-in and signed. Claims of unexpected types say nothing.
 */
export function assertionOf(token: Claims, more: Claims, { verified, groups }: ClaimNames): Assertion {
  const { iss, sub, auth_time, amr, acr } = token;
  const address = sourceOfAddress(token, more, verified);
  const email = address['email'];
  const claims: Claims = { ...more, ...token };
  return {
    issuer: String(iss),
    subject: String(sub),
    email: typeof email === 'string' && email !== '' ? email : null,
    isEmailVerified: isTrue(address[verified]) && (iss !== GOOGLE || isOfGoogle(address)),
    groups: groups === null ? [] : texts(claims[groups]),
    methods: [...texts(amr), ...texts(acr)],
    authenticatedAt: typeof auth_time === 'number' ? new Date(auth_time * 1000) : null,
  };
}

/** Whether an address is verified is only said by who says the address: the token, or `more` where it has none or the same one, unmarked. */
function sourceOfAddress(token: Claims, more: Claims, verified: string): Claims {
  if (token['email'] === undefined) return more;
  return token[verified] === undefined && more['email'] === token['email'] ? more : token;
}

/**
 * Google says that an address is verified for as long as the Google account exists, even after the domain has gone to somebody else or the
 * person has left. It only answers for its own addresses, and for those of organizations (`hd`) whose domain is with it.
 */
function isOfGoogle({ email, hd }: Claims): boolean {
  if (typeof email !== 'string') return false;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return domain === 'gmail.com' || (typeof hd === 'string' && hd.toLowerCase() === domain);
}

/** Some providers write booleans as texts or numbers. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}

function texts(value: unknown): readonly string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}
