import type { Ports } from '../../core/ports.js';
import type { IdentityProviders } from '../../core/users/identity-provider.js';
import type { OtherAccount } from '../../core/users/session.js';
import { MAX_EMAIL, type User } from '../../core/users/user.js';
import { OtherAccounts } from '../account-switch/account-switch.js';
import { address } from '../address.js';
import {
  CodeField,
  Field,
  Form,
  NewPasswordField,
  PASSWORD_INPUT,
  ProblemSummary,
  type Problems,
  UserName,
} from '../form.js';
import { HOME } from '../page-context.js';
import { Buttons, ContinueLink, LinkButton } from '../parts.js';
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
            <a
              key={id}
              class="button plain"
              href={address(`${PROVIDER_PATH}/${id}`, { next: next === '' || next === HOME ? undefined : next })}
            >
              Continue with {name}
            </a>
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

type CodeProps = Pick<SignInProps, 'next' | 'problems' | 'offersPasskeys'>;

/** The second step, for a person with a second factor. */
export function CodeForm({ next, problems, offersPasskeys }: CodeProps) {
  return (
    <section class="card narrow">
      <h1>{offersPasskeys ? 'One more step' : 'Enter a code'}</h1>
      <p>
        {offersPasskeys
          ? 'Use your passkey, or enter the code of an authenticator app.'
          : 'One more step: enter the code that your authenticator app shows now.'}
      </p>
      {!problems?.isOfFields && <ProblemSummary problems={problems} />}
      <Form action="/settings/sign-in/code">
        <input type="hidden" name="next" value={next} />
        <CodeField
          hint={`${offersPasskeys ? 'Without either' : 'Without the app'}, enter one of your recovery codes.`}
          errors={problems}
          input={{ autofocus: !offersPasskeys }}
        />
        <Buttons label="Sign in" cancel="/settings/sign-in">
          {offersPasskeys && <PasskeyButton from={passkeyQuestions.secondStep} label="Use a passkey" />}
        </Buttons>
        {offersPasskeys && <PasskeyNotes />}
      </Form>
      <p class="hint">
        {offersPasskeys ? 'None' : 'Neither'} at hand? Only the operator of this service can let you in without them.
      </p>
    </section>
  );
}

interface LinkProps {
  readonly action: string;
  readonly user: User;
  readonly customer: string;
  readonly email: string;
  readonly problems: Problems | null;
}

/** The page of a one-time link: it asks for the person's new credentials, and submitting them uses up the link. */
export function LinkForm({ action, user, customer, email, problems }: LinkProps) {
  const isBack = user.passwordHash !== null;
  return (
    <section class="card narrow">
      <h1>{isBack ? 'Choose a new password' : 'Welcome'}</h1>
      <p>
        This link gives you access to the account <strong>{customer}</strong>
        {user.email === null ? '' : ` as ${user.email}`}. It works once and expires when you save this form.
      </p>
      {isBack && <p>The new password replaces the old one and signs you out everywhere else.</p>}
      <ProblemSummary problems={problems} />
      <Form action={action}>
        {user.email === null ? (
          <EmailField value={email} hint="You sign in with it." errors={problems} />
        ) : (
          <UserName email={user.email} />
        )}
        <NewPasswordField label={isBack ? 'New password' : 'Password'} errors={problems} />
        <Buttons label={isBack ? 'Save and sign in' : 'Continue'} />
      </Form>
      {isBack && (
        <p class="hint">
          Do you know your password? <a href="/settings/sign-in">Sign in with it</a>; it remains unchanged.
        </p>
      )}
    </section>
  );
}

export const PROVIDER_PATH = '/settings/sign-in/with';

/** In a window beside the page that asked for it. */
export function IdentityConfirmed() {
  return (
    <section class="card narrow">
      <h1>Confirmed</h1>
      <p>You are confirmed. Close this window, and continue in the previous one.</p>
      <ContinueLink href={HOME} label="Back to the start page" />
    </section>
  );
}

export function SignedOutHere({ name, path }: { name: string; path: string }) {
  return (
    <section class="card narrow">
      <h1>Signed out</h1>
      <p>
        You are signed out here. {name} may still know this browser, and sign you in again without asking: on a computer
        that others use, sign out there, too.
      </p>
      <div class="buttons">
        <LinkButton href={path} label={`Sign out of ${name}`} kind="primary" />
        <LinkButton href="/settings/sign-in" label="Back to sign-in" />
      </div>
    </section>
  );
}
