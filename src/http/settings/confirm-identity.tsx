import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { CONFIRMATION_FIELD, confirmIdentity } from '../../core/users/confirm-identity.js';
import { isConfirmed, type KnownSession } from '../../core/users/session.js';
import { MAX_PASSWORD } from '../../core/users/user.js';
import { requestContextOf } from '../server/request-context.js';
import { CSRF_FIELD } from './csrf.js';
import { AnsweredInstead, wantsPage } from './error-page.js';
import { Button, Field, Form, ProblemSummary, type Problems, problemsOf } from './form.js';
import { HOME } from './navigation.js';
import { renderPage } from './page.js';
import type { PageContext } from './page-context.js';
import { USER_NAME_FIELD, UserName } from './password-field.js';

/**
 * Lets a form through whose sender gave the password a moment ago, or gives it with this form. Otherwise the answer is a page that asks for
 * it and sends the same form again. Errors: `unauthorized` for scripts of pages.
 */
export async function requireConfirmed(ports: Ports, context: PageContext, person: KnownSession): Promise<void> {
  if (isConfirmed(person.session, ports.clock.now())) return;
  if (!wantsPage(requestContextOf(context.request), context.request)) {
    throw new DomainError('unauthorized', 'Your password is needed again for this. Reload the page and try again.');
  }
  const given = context.form.text(CONFIRMATION_FIELD);
  const problems = given === '' ? null : await refusalOf(() => confirmIdentity(ports, person, given));
  if (given !== '' && problems === null) return;
  const words = { title: 'Confirm that it is you', plain: true, status: problems?.status ?? 403, flash: null };
  const form = <ConfirmForm context={context} email={person.user.email} problems={problems} />;
  throw new AnsweredInstead(renderPage(ports, context, words, form));
}

async function refusalOf(act: () => Promise<void>): Promise<Problems | null> {
  try {
    await act();
    return null;
  } catch (error) {
    return problemsOf(error);
  }
}

interface ConfirmProps {
  readonly context: PageContext;
  readonly email: string | null;
  readonly problems: Problems | null;
}

function ConfirmForm({ context, email, problems }: ConfirmProps) {
  const sent = context.form.entriesBut(CSRF_FIELD, CONFIRMATION_FIELD, USER_NAME_FIELD);
  return (
    <section class="card narrow">
      <h1>Confirm that it is you</h1>
      <p>
        This decides who has access to the account. Enter your password to go on: what you entered before is not lost.
      </p>
      {!problems?.isOfFields && <ProblemSummary problems={problems} />}
      <Form action={context.request.originalUrl}>
        {sent.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <UserName email={email} />
        <Field
          label="Password"
          name={CONFIRMATION_FIELD}
          errors={problems}
          input={{ type: 'password', required: true, autocomplete: 'current-password', maxLength: MAX_PASSWORD }}
        />
        <div class="buttons">
          <Button>Confirm</Button>
          <a class="button plain" href={pageBefore(context)}>
            Cancel
          </a>
        </div>
      </Form>
    </section>
  );
}

/** The page with the form, of this site in any case. */
function pageBefore({ request }: PageContext): string {
  const { referer } = request.headers;
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).pathname : HOME;
}
