import type { Request } from 'express';
import type { Ports } from '../../core/ports.js';
import { listPasskeys, type PasskeyQuestion } from '../../core/users/factors/ask-for-passkey.js';
import { CODE_ISSUER } from '../../core/users/factors/one-time-code.js';
import { CHALLENGE_MS, PASSKEY_ALGORITHMS, type PasskeyAnswer } from '../../core/users/factors/passkey.js';
import type { KnownSession } from '../../core/users/session.js';
import { cookieName, cookieOf, cookieRules } from '../browser-session.js';
import { FieldLength } from '../form-fields.js';
import type { PageContext } from '../page-context.js';

/** The field of a form in which a script sends what a passkey answered. */
export const PASSKEY_FIELD = 'passkey';
/** The same of one that was made: the form may have to be sent again with the answer of another one. */
export const NEW_PASSKEY_FIELD = 'newPasskey';

type PasskeyField = typeof PASSKEY_FIELD | typeof NEW_PASSKEY_FIELD;

/** The script of pages that have a `PasskeyButton`. */
export const PASSKEY_SCRIPT = 'passkeys.js';

const COOKIES: Readonly<Record<PasskeyField, string>> = { passkey: 'phs_passkey', newPasskey: 'phs_new_passkey' };

/** Gives the browser the cookie without which its answer does not count. */
export function rememberChallenge(ports: Ports, request: Request, field: PasskeyField, challenge: string): void {
  request.res?.cookie(cookieName(ports, COOKIES[field]), challenge, {
    ...cookieRules(ports, 'strict'),
    maxAge: CHALLENGE_MS,
  });
}

/** Returns what a passkey answered with this form; null when none did. */
export function passkeyAnswerOf(
  ports: Ports,
  context: PageContext,
  field: PasskeyField = PASSKEY_FIELD,
): PasskeyAnswer | null {
  const { form, request } = context;
  const [answer, name] = [form.text(field, FieldLength.opaque), cookieName(ports, COOKIES[field])];
  if (answer === '') return null;
  request.res?.clearCookie(name, cookieRules(ports, 'strict'));
  return { answer, challenge: cookieOf(request, name) ?? '' };
}

interface ButtonProps {
  /** Where a script asks what to ask the browser for. */
  readonly from: string;
  readonly label: string;
  readonly field?: PasskeyField;
  readonly kind?: 'primary' | 'plain';
  /** It sends the form: there is no other way to. */
  readonly isOnly?: boolean;
}

/** Asks the browser for a passkey, and sends the form around it with the answer. Without scripts it is not there. */
export function PasskeyButton({ from, label, field = PASSKEY_FIELD, kind = 'plain', isOnly = false }: ButtonProps) {
  const type = isOnly ? 'submit' : 'button';
  return (
    <>
      <input type="hidden" name={field} value="" />
      <button type={type} class={`button ${kind}`} data-passkey={from} data-answer={field} hidden>
        {label}
      </button>
    </>
  );
}

/** Below the buttons of a form with a `PasskeyButton`. */
export function PasskeyNotes() {
  return (
    <>
      <p class="error below" data-passkey-problem role="alert" hidden />
      <noscript>
        <p class="hint below">Passkeys need JavaScript, which is disabled in this browser.</p>
      </noscript>
    </>
  );
}

/** Whether a person who is asked again can answer with a passkey. */
export async function canUsePasskey(ports: Ports, { user, hasFactor }: KnownSession): Promise<boolean> {
  if (!hasFactor || ports.addresses.passkeySite === null) return false;
  return (await listPasskeys(ports, user)).length > 0;
}

/** Returns what browsers take to ask for a passkey (WebAuthn, PublicKeyCredentialRequestOptionsJSON). */
export function requestOptions({ challenge, site, credentialIds, alone }: PasskeyQuestion): object {
  return {
    challenge,
    rpId: site.id,
    timeout: CHALLENGE_MS,
    allowCredentials: credentialIds.map((id) => ({ type: 'public-key', id })),
    userVerification: alone ? 'required' : 'preferred',
  };
}

/** Returns what browsers take to have one made (PublicKeyCredentialCreationOptionsJSON). */
export function creationOptions(
  { challenge, site, credentialIds, alone, handle }: PasskeyQuestion & { readonly handle: string },
  { user, customer }: Pick<KnownSession, 'user' | 'customer'>,
): object {
  const name = user.email ?? customer.name;
  return {
    challenge,
    rp: { id: site.id, name: CODE_ISSUER },
    user: { id: Buffer.from(handle).toString('base64url'), name, displayName: name },
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_MS,
    excludeCredentials: credentialIds.map((id) => ({ type: 'public-key', id })),
    authenticatorSelection: {
      residentKey: alone ? 'required' : 'discouraged',
      requireResidentKey: alone,
      userVerification: alone ? 'required' : 'preferred',
    },
    attestation: 'none',
  };
}

export const PASSKEYS_PATH = '/settings/account/factors/passkeys';
export const PASSKEY_SIGN_IN_PATH = '/settings/sign-in/passkey';

/** Where scripts ask what to ask the browser for. */
export const passkeyQuestions = {
  toSignIn: `${PASSKEY_SIGN_IN_PATH}/options`,
  secondStep: '/settings/sign-in/code/passkey-options',
  again: '/settings/account/passkey-options',
  forNew: `${PASSKEYS_PATH}/options`,
} as const;
