import { Button, Field, Form, ProblemSummary, type Problems } from '../form.js';

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
          input={{ type: 'email', value: email, autocomplete: 'username', required: true, maxLength: 254 }}
        />
        <Field
          label="Password"
          name="password"
          input={{ type: 'password', autocomplete: 'current-password', required: true, maxLength: 200 }}
        />
        <div class="buttons">
          <Button>Sign in</Button>
        </div>
      </Form>
      <p class="hint">
        No password, or forgotten? An owner of your account can send you a new link, and so can whoever runs this
        service.
      </p>
    </section>
  );
}

/** What a one-time link shows. It is used up by the button, not by being looked at. */
export function EnterForm({ action, email, customer }: { action: string; email: string | null; customer: string }) {
  return (
    <section class="card narrow">
      <h1>Welcome</h1>
      <p>
        This link lets you into the account <strong>{customer}</strong>
        {email === null ? '' : ` as ${email}`}. It works once.
      </p>
      <Form action={action}>
        <div class="buttons">
          <Button>Continue</Button>
        </div>
      </Form>
    </section>
  );
}
