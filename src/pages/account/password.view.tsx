import type { KnownSession } from '../../core/users/session.js';
import type { User } from '../../core/users/user.js';
import { CodeField, Field, Form, NewPasswordField, PASSWORD_INPUT, type Problems, UserName } from '../form.js';
import { Buttons, Card, ContinueLink } from '../parts.js';
import { PasskeyButton, PasskeyNotes, passkeyQuestions } from '../passkeys/passkeys.js';

export interface PasswordProps {
  readonly person: KnownSession;
  /** A person who has just signed in by a link does not need the current password. */
  readonly mayOmitCurrent: boolean;
  readonly offersPasskeys: boolean;
  readonly problems: Problems | null;
}

export function PasswordCard({ person, mayOmitCurrent, offersPasskeys, problems }: PasswordProps) {
  const usesPasskey = offersPasskeys && !mayOmitCurrent;
  return (
    <Card title="Your password">
      <Form action="/settings/account/password" label="Your password">
        <UserName email={person.user.email} />
        {!mayOmitCurrent && !person.hasFactor && person.user.passwordHash !== null && (
          <Field label="Current password" name="current" errors={problems} input={PASSWORD_INPUT} />
        )}
        {!mayOmitCurrent && person.hasFactor && (
          <CodeField name="current" hint="From your authenticator app, or a recovery code." errors={problems} />
        )}
        <NewPasswordField label="New password" errors={problems} />
        {problems?.code === 'rate_limited' && <p class="error">{problems.message}</p>}
        <Buttons label={person.user.passwordHash === null ? 'Set password' : 'Change password'}>
          {usesPasskey && <PasskeyButton from={passkeyQuestions.again} label="Change it with a passkey" />}
        </Buttons>
        {usesPasskey && <PasskeyNotes />}
      </Form>
    </Card>
  );
}

/** Returns what a person without a second factor signs in with. */
export function onlyProofOf({ passwordHash }: Pick<User, 'passwordHash'>): string {
  return passwordHash === null ? 'at a provider' : 'with your password';
}

export function FactorsCard({ person: { user, hasFactor } }: { person: Pick<KnownSession, 'user' | 'hasFactor'> }) {
  const stolen = user.passwordHash === null ? 'a session there that someone left open' : 'a stolen password';
  return (
    <Card title="Two-step sign-in">
      <p>
        {hasFactor
          ? `You sign in ${onlyProofOf(user)} and with a second factor. A passkey can replace both.`
          : `You sign in ${onlyProofOf(user)} alone. With a passkey or a code of an app in addition, ${stolen} is not enough.`}
      </p>
      <ContinueLink href="/settings/account/factors" label={hasFactor ? 'Manage' : 'Set up…'} />
    </Card>
  );
}
