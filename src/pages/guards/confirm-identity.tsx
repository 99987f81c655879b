import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { CONFIRMATION_FIELD, confirmIdentity } from '../../core/users/factors/confirm-identity.js';
import { providerFor } from '../../core/users/provider/flow.js';
import { isConfirmed, type KnownSession } from '../../core/users/session.js';
import { AnsweredInstead } from '../../http/responses/reply.js';
import { withoutBasePath } from '../../http/server/base-path.js';
import { headerOf } from '../../http/server/request.js';
import { requestContextOf, wantsPage } from '../../http/server/request-context.js';
import { CSRF_FIELD } from '../browser-session.js';
import {
  CodeField,
  Field,
  Form,
  PASSWORD_INPUT,
  ProblemSummary,
  type Problems,
  problemsOf,
  USER_NAME_FIELD,
  UserName,
} from '../form.js';
import { FieldLength } from '../form-fields.js';
import { renderPage } from '../page.js';
import { HOME, type PageContext } from '../page-context.js';
import { Buttons } from '../parts.js';
import {
  canUsePasskey,
  PASSKEY_FIELD,
  PASSKEY_SCRIPT,
  PasskeyButton,
  PasskeyNotes,
  passkeyAnswerOf,
  passkeyQuestions,
} from '../passkeys/passkeys.js';
import { PROVIDER_PATH } from '../sign-in/sign-in.view.js';

/**
 * Lets a form through whose sender gave the password, or with a second factor a code or a passkey, a moment ago or with this form. Otherwise the answer is a page that asks for
 * it and sends the same form again. Errors: `unauthorized` for scripts of pages.
 */
export async function requireConfirmed(ports: Ports, context: PageContext, person: KnownSession): Promise<void> {
  if (isConfirmed(person.session, ports.clock.now())) return;
  if (!wantsPage(requestContextOf(context.request), context.request)) {
    throw new DomainError('unauthorized', 'You have to confirm that it is you again. Reload the page and try again.');
  }
  const given = passkeyAnswerOf(ports, context) ?? context.form.text(CONFIRMATION_FIELD, FieldLength.line);
  let problems: Problems | null = null;
  try {
    if (given !== '') return await confirmIdentity(ports, person, given);
  } catch (error) {
    problems = problemsOf(error);
  }
  const options = { title: 'Confirm that it is you', plain: true, status: problems?.status ?? 403, flash: null };
  const offersPasskeys = await canUsePasskey(ports, person);
  const provider = isKnownHere(person) ? null : await providerFor(ports, person);
  const sent = context.form.entriesBut(CSRF_FIELD, CONFIRMATION_FIELD, USER_NAME_FIELD, PASSKEY_FIELD);
  const form = (
    <section class="card narrow">
      <h1>Confirm that it is you</h1>
      <p>
        This decides who has access to the account.{' '}
        {!isKnownHere(person)
          ? 'Confirm that it is you'
          : `${offersPasskeys ? 'Use a passkey, or enter' : 'Enter'} ${person.hasFactor ? 'a code' : 'your password'}`}{' '}
        to go on: what you entered before is not lost.
      </p>
      {!problems?.isOfFields && <ProblemSummary problems={problems} />}
      <Form action={context.request.url}>
        {sent.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {isKnownHere(person) ? (
          <>
            {person.hasFactor ? (
              <CodeField
                name={CONFIRMATION_FIELD}
                hint="From your authenticator app, or a recovery code."
                errors={problems}
              />
            ) : (
              <>
                <UserName email={person.user.email} />
                <Field label="Password" name={CONFIRMATION_FIELD} errors={problems} input={PASSWORD_INPUT} />
              </>
            )}
            <Buttons label="Confirm" cancel={pageBefore(context)}>
              {offersPasskeys && <PasskeyButton from={passkeyQuestions.again} label="Use a passkey" />}
            </Buttons>
            {offersPasskeys && <PasskeyNotes />}
          </>
        ) : provider === null ? (
          <p class="flash failed">You have no password, and no provider knows you. An admin can send you a link.</p>
        ) : (
          <>
            {/* In a window of its own, so that the form here keeps what it contains. */}
            <p>
              <a class="button plain" href={`${PROVIDER_PATH}/${provider.id}/confirm`} target="_blank" rel="noopener">
                Confirm with {provider.name} (opens a new window)
              </a>
            </p>
            <Buttons label="Continue" />
          </>
        )}
      </Form>
    </section>
  );
  throw new AnsweredInstead(renderPage(ports, context, { ...options, scripts: [PASSKEY_SCRIPT] }, form));
}

/** By a password or a second factor. Others are known by a provider alone. */
function isKnownHere({ user, hasFactor }: KnownSession): boolean {
  return hasFactor || user.passwordHash !== null;
}

/** The page with the form, of this site in any case. */
function pageBefore({ request }: PageContext): string {
  const referer = headerOf(request, 'referer');
  return referer !== undefined && URL.canParse(referer)
    ? withoutBasePath(new URL(referer).pathname, request.baseUrl)
    : HOME;
}
