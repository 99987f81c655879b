import type { Ports } from '../../core/ports.js';
import type { IdentityProviders } from '../../core/users/identity-provider.js';
import type { OtherAccount } from '../../core/users/session.js';
import { MAX_EMAIL } from '../../core/users/user.js';
import { OtherAccounts } from '../account-switch/account-switch.js';
import { address } from '../address.js';
import { Field, Form, PASSWORD_INPUT, ProblemSummary, type Problems } from '../form.js';
import { HOME } from '../page-context.js';
import { Buttons, LinkButton } from '../parts.js';
import { PASSKEY_SIGN_IN_PATH, PasskeyButton, PasskeyNotes, passkeyQuestions } from '../passkeys/passkeys.js';

export const RECOVERY_PATH = '/settings/sign-in/recovery';

export interface SignInProps {
  readonly email: string;
  readonly next: string;
  readonly problems: Problems | null;
  readonly isMailed: boolean;
  readonly providers: IdentityProviders;
  readonly others?: readonly OtherAccount[];
  readonly offersPasskeys: boolean;
}

/** The ways to sign in beside the password. */
export function offersOf(ports: Pick<Ports, 'mailer' | 'identityProviders' | 'addresses'>) {
  return {
    isMailed: ports.mailer !== null,
    providers: ports.identityProviders,
    offersPasskeys: ports.addresses.passkeySite !== null,
  };
}

export function SignInForm(props: SignInProps) {
  const { email, next, problems, isMailed, providers, offersPasskeys, others = [] } = props;
  return (
    <section class="card narrow">
      <h1>Sign in</h1>
      <ProblemSummary problems={problems} />
      <Form action="/settings/sign-in">
        <input type="hidden" name="next" value={next} />
        <EmailField value={email} />
        <Field label="Password" name="password" input={PASSWORD_INPUT} />
        <Buttons label="Sign in" />
      </Form>
      <OtherAccounts others={others} />
      {offersPasskeys && (
        <Form action={PASSKEY_SIGN_IN_PATH} class="below" label="Sign in with a passkey">
          <input type="hidden" name="next" value={next} />
          <div class="buttons">
            <PasskeyButton from={passkeyQuestions.toSignIn} label="Sign in with a passkey" isOnly />
          </div>
          <PasskeyNotes />
        </Form>
      )}
      {providers.length !== 0 && (
        <div class="buttons below">
          {providers.map(({ settings: { id, name } }) => (
            <LinkButton
              key={id}
              href={address(`${PROVIDER_PATH}/${id}`, { next: next === HOME ? undefined : next })}
              label={`Continue with ${name}`}
            />
          ))}
        </div>
      )}
      {isMailed && (
        <p class="below">
          <a href={RECOVERY_PATH}>Forgot your password?</a>
        </p>
      )}
      <p class="hint below">
        {isMailed ? 'Still cannot get in?' : 'No password, or forgotten it?'} An owner or admin of your account, or the
        operator of this service, can send you a new link.
      </p>
    </section>
  );
}

/** The address that a person signs in with. */
export function EmailField({ value, ...field }: { value: string; hint?: string; errors?: Problems | null }) {
  const input = { type: 'email', value, autocomplete: 'username', required: true, maxLength: MAX_EMAIL };
  return <Field label="E-mail address" name="email" {...field} input={input} />;
}

export const PROVIDER_PATH = '/settings/sign-in/with';
