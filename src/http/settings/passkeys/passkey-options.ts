import type { PasskeyQuestion } from '../../../core/users/factors/ask-for-passkey.js';
import { CODE_ISSUER } from '../../../core/users/factors/one-time-code.js';
import { CHALLENGE_MS, PASSKEY_ALGORITHMS } from '../../../core/users/factors/passkey.js';
import type { KnownSession } from '../../../core/users/session.js';

const TYPE = 'public-key';

/** What browsers take to ask for a passkey (WebAuthn, PublicKeyCredentialRequestOptionsJSON). */
export function requestOptions({ challenge, site, credentialIds, alone }: PasskeyQuestion): object {
  return {
    challenge,
    rpId: site.id,
    timeout: CHALLENGE_MS,
    allowCredentials: credentialIds.map((id) => ({ type: TYPE, id })),
    userVerification: alone ? 'required' : 'preferred',
  };
}

/** What browsers take to have one made (PublicKeyCredentialCreationOptionsJSON). */
export function creationOptions(
  { challenge, site, credentialIds, alone, handle }: PasskeyQuestion & { readonly handle: string },
  { user, customer }: Pick<KnownSession, 'user' | 'customer'>,
): object {
  const name = user.email ?? customer.name;
  return {
    challenge,
    rp: { id: site.id, name: CODE_ISSUER },
    user: { id: Buffer.from(handle).toString('base64url'), name, displayName: name },
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: TYPE, alg })),
    timeout: CHALLENGE_MS,
    excludeCredentials: credentialIds.map((id) => ({ type: TYPE, id })),
    authenticatorSelection: {
      residentKey: alone ? 'required' : 'discouraged',
      requireResidentKey: alone,
      userVerification: alone ? 'required' : 'preferred',
    },
    attestation: 'none',
  };
}
