import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import {
  type ExpectedAnswer,
  PASSKEY_ALGORITHMS,
  type Passkey,
  type PasskeyReader,
  type PasskeyValues,
} from '../../core/users/factors/passkey.js';

/** Many times what browsers send. */
const MAX_LENGTH = 20_000;

/**
 * Passkeys by @simplewebauthn/server, which is loaded when the first one is used. It says by errors of many kinds what is wrong with an
 * answer; only its sender could learn from them.
 */
export class WebauthnPasskeyReader implements PasskeyReader {
  claimOf(answer: string): { readonly credentialId: string; readonly userHandle: string | null } | null {
    const parsed = parse<AuthenticationResponseJSON>(answer);
    const [credentialId, handle] = [parsed?.id, parsed?.response?.userHandle];
    if (typeof credentialId !== 'string' || !/^[A-Za-z0-9_-]+$/.test(credentialId)) return null;
    return { credentialId, userHandle: typeof handle === 'string' ? textOf(handle) : null };
  }

  async readNew(answer: string, expected: ExpectedAnswer): Promise<PasskeyValues | null> {
    const parsed = parse<RegistrationResponseJSON>(answer);
    if (parsed === null) return null;
    const [{ verifyRegistrationResponse }, helpers] = await Promise.all([library(), libraryHelpers()]);
    const { decodeAttestationObject, isoBase64URL, isoCBOR } = helpers;
    return valueOrNull(async () => {
      const attested = decodeAttestationObject(isoBase64URL.toBuffer(parsed.response.attestationObject));
      const statements = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', attested.get('authData')],
      ]);
      const unattested = isoCBOR.encode(statements as never);
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        // Without what the maker of the device says about it: it was not asked for, and to check it, the library would fetch revoked
        // certificates from wherever the sender likes.
        response: {
          ...parsed,
          response: { ...parsed.response, attestationObject: isoBase64URL.fromBuffer(unattested) },
        },
        ...optionsFor(expected),
        supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
      });
      if (!verified || isFramed(parsed)) return null;
      const { id, publicKey, counter } = registrationInfo.credential;
      return { credentialId: id, publicKey: isoBase64URL.fromBuffer(publicKey), counter };
    });
  }

  async check(
    answer: string,
    expected: ExpectedAnswer,
    { credentialId, publicKey }: Pick<Passkey, 'credentialId' | 'publicKey'>,
  ): Promise<Pick<Passkey, 'counter'> | null> {
    const parsed = parse<AuthenticationResponseJSON>(answer);
    if (parsed?.id !== credentialId) return null;
    const [{ verifyAuthenticationResponse }, { isoBase64URL }] = await Promise.all([library(), libraryHelpers()]);
    return valueOrNull(async () => {
      // The caller compares counters: a lower one than before is not just any wrong answer.
      const credential = { id: credentialId, publicKey: isoBase64URL.toBuffer(publicKey), counter: 0 };
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: parsed,
        ...optionsFor(expected),
        credential,
      });
      return verified && !isFramed(parsed) ? { counter: authenticationInfo.newCounter } : null;
    });
  }
}

const library = () => import('@simplewebauthn/server');
const libraryHelpers = () => import('@simplewebauthn/server/helpers');

function optionsFor({ challenge, site, mustVerifyUser }: ExpectedAnswer) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: mustVerifyUser,
  };
}

/** Made in a frame on another site: our pages are in none. */
function isFramed({ response }: RegistrationResponseJSON | AuthenticationResponseJSON): boolean {
  const { crossOrigin } = JSON.parse(textOf(response.clientDataJSON)) as { crossOrigin?: unknown };
  return crossOrigin !== undefined && crossOrigin !== false;
}

function textOf(base64url: string): string {
  return Buffer.from(base64url, 'base64url').toString('utf8');
}

/** Parses an answer without checking its fields: the library checks those that it looks at. */
function parse<T>(answer: string): T | null {
  if (answer.length > MAX_LENGTH) return null;
  try {
    const parsed: unknown = JSON.parse(answer);
    return typeof parsed === 'object' ? (parsed as T | null) : null;
  } catch {
    return null;
  }
}

async function valueOrNull<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch {
    return null;
  }
}
