import type { PasskeySite } from '../shared/addresses.js';
import type { Passkey } from './passkey.js';

/** What an answer must be to. */
export interface ExpectedAnswer {
  readonly challenge: string;
  readonly site: PasskeySite;
  /** The device must have checked that it is the person: by fingerprint, face or PIN. */
  readonly mustVerifyUser: boolean;
}

/** Understands what browsers send of passkeys (WebAuthn), and checks signatures. */
export interface PasskeyReader {
  /** Of which passkey and of whom an answer claims to be. Nothing is checked. Null when it is no answer. */
  claimOf(answer: string): { readonly credentialId: string; readonly userHandle: string | null } | null;
  /** A new passkey; null when the answer is not as expected. */
  readNew(answer: string, expected: ExpectedAnswer): Promise<PasskeyValues | null>;
  /** The counter of the device, for the caller to compare; null when the answer is not as expected, or not signed by this passkey. */
  check(
    answer: string,
    expected: ExpectedAnswer,
    passkey: Pick<Passkey, 'credentialId' | 'publicKey'>,
  ): Promise<Pick<Passkey, 'counter'> | null>;
}

export type PasskeyValues = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'>;
