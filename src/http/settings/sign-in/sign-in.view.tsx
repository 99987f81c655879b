import { MAX_EMAIL, MAX_PASSWORD, type User } from '../../../core/users/user.js';
import { Button, Field, Form, ProblemSummary, type Problems } from '../form.js';
import { PASSWORD_HINT, UserName } from '../password-field.js';

export function SignInForm({ email, next, problems }: { email: string; next: string; problems: Problems | null }) {
  return (
    <section class="card narrow">
      <h1>Sign in</h1>
      <ProblemSummary problems={problems} />
      <Form action="/settings/sign-in">
        <input type="hidden" name="next" value={next} />
        <Field
          label="E-mail address"
          name="email"
          input={{ type: 'email', value: email, autocomplete: 'username', required: true, maxLength: MAX_EMAIL }}
        />
        <Field
          label="Password"
          name="password"
          input={{ type: 'password', autocomplete: 'current-password', required: true, maxLength: MAX_PASSWORD }}
        />
        <div class="buttons">
          <Button>Sign in</Button>
        </div>
      </Form>
      <p class="hint">
        No password, or forgotten it? An owner of your account or the operator of this service can send you a new link.
      </p>
    </section>
  );
}

interface EnterProps {
  readonly action: string;
  readonly user: User;
  /** The account that the link belongs to. */
  readonly customer: string;
  /** The values of the refused form. */
  readonly email: string;
  readonly problems: Problems | null;
}

/** The page of a one-time link: it asks for the person's new credentials, and submitting them uses up the link. */
export function EnterForm({ action, user, customer, email, problems }: EnterProps) {
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
          <Field
            label="E-mail address"
            name="email"
            hint="You sign in with it."
            errors={problems}
            input={{ type: 'email', value: email, autocomplete: 'username', required: true, maxLength: MAX_EMAIL }}
          />
        ) : (
          <UserName email={user.email} />
        )}
        <Field
          label={isBack ? 'New password' : 'Password'}
          name="password"
          hint={PASSWORD_HINT}
          errors={problems}
          input={{ type: 'password', required: true, autocomplete: 'new-password', maxLength: 1000 }}
        />
        <div class="buttons">
          <Button>{isBack ? 'Save and sign in' : 'Continue'}</Button>
        </div>
      </Form>
      {isBack && (
        <p class="hint">
          Do you know your password? <a href="/settings/sign-in">Sign in with it</a>; it remains unchanged.
        </p>
      )}
    </section>
  );
}
