import { RECOVERY_MS } from '../../../core/users/people/new-password.js';
import { MAX_EMAIL } from '../../../core/users/user.js';
import { Button, Field, Form, ProblemSummary, type Problems } from '../form.js';

const MINUTES = RECOVERY_MS / 60_000;

export function RecoveryForm({
  action,
  email,
  problems,
}: {
  action: string;
  email: string;
  problems: Problems | null;
}) {
  return (
    <section class="card narrow">
      <h1>Forgot your password?</h1>
      <p>Enter the address that you sign in with. We send you a link to choose a new password.</p>
      <ProblemSummary problems={problems} />
      <Form action={action}>
        <Field
          label="E-mail address"
          name="email"
          input={{ type: 'email', value: email, autocomplete: 'username', required: true, maxLength: MAX_EMAIL }}
        />
        <div class="buttons">
          <Button>Send the link</Button>
          <a class="button plain" href="/settings/sign-in">
            Cancel
          </a>
        </div>
      </Form>
      <p class="hint">The new password does not replace your second factor, if you have one.</p>
    </section>
  );
}

/** The same for addresses that nobody signs in with. */
export function RecoveryRequested() {
  return (
    <section class="card narrow">
      <h1>Check your mail</h1>
      <p>
        {`If somebody signs in with this address, a mail with a link is on its way. The link works once, within ${MINUTES} minutes.`}
      </p>
      <p class="hint">
        No mail within a few minutes? Check your spam folder, or ask an owner or admin of your account for a link.
      </p>
      <div class="buttons">
        <a class="button primary" href="/settings/sign-in">
          Back to sign-in
        </a>
      </div>
    </section>
  );
}
