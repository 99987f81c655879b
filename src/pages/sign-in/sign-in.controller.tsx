import { Controller, Get, Post, Query } from '@nestjs/common';
import type { Ports } from '../../core/ports.js';
import { requireFound } from '../../core/shared/errors.js';
import { requireAdmitted } from '../../core/users/admission.js';
import {
  askAgain,
  askForNewPasskey,
  askForSecondStep,
  askToSignIn,
  type PasskeyQuestion,
  passkeysOfPending,
} from '../../core/users/factors/ask-for-passkey.js';
import { providerFor } from '../../core/users/provider/flow.js';
import { signOut } from '../../core/users/session.js';
import { signInByPasskey } from '../../core/users/sign-in/by-passkey.js';
import { signInByPassword } from '../../core/users/sign-in/by-password.js';
import { finishSignIn } from '../../core/users/sign-in/second-step.js';
import { Public, RequireRole } from '../../http/access.js';
import { Reply } from '../../http/responses/reply.js';
import { requestContextOf } from '../../http/server/request-context.js';
import { ACCOUNT_FIELD, exchangeAccounts, SWITCH_PATH, signOutOfOthers } from '../account-switch/account-switch.js';
import { deviceOf, endSession, newBrowser, startSession } from '../browser-session.js';
import { CodeField, Form, ProblemSummary, type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { jsonReply, PageController, redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, HOME, type PageContext, personOf } from '../page-context.js';
import { Buttons } from '../parts.js';
import {
  creationOptions,
  NEW_PASSKEY_FIELD,
  PASSKEY_FIELD,
  PASSKEY_SCRIPT,
  PASSKEY_SIGN_IN_PATH,
  PasskeyButton,
  PasskeyNotes,
  passkeyAnswerOf,
  passkeyQuestions,
  rememberChallenge,
  requestOptions,
} from '../passkeys/passkeys.js';
import { CODE_PATH, continueSignIn, endPending, ownPath, pendingOf } from './pending-sign-in.js';
import { offersOf, PROVIDER_PATH, SignInForm, type SignInProps } from './sign-in.view.js';

@Controller('settings')
export class SignInController extends PageController {
  @Get()
  @RequireRole('viewer')
  home(@CurrentPageContext() context: PageContext): Reply {
    return redirectTo(context, HOME);
  }

  @Get('sign-in')
  @Public()
  show(@CurrentPageContext() context: PageContext): Reply {
    const { next, another } = context.request.query;
    if (context.person !== null && another === undefined) return redirectTo(context, HOME);
    const email = context.person?.user.email ?? '';
    return signInPage(this.ports, context, { email, next: ownPath(next), problems: null, others: context.others });
  }

  @Post('sign-in')
  @Public()
  async signIn(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form, request } = context;
    const [email, next] = [form.text('email', FieldLength.line), ownPath(form.text('next', FieldLength.line))];
    try {
      const browser = newBrowser(request);
      const device = deviceOf(this.ports, request);
      const openAccounts = [context.person, ...context.others.map(({ known }) => known)].flatMap(
        (known) => known?.customer.id ?? [],
      );
      const given = { email, password: form.text('password', FieldLength.line), browser, device, openAccounts };
      const result = await signInByPassword(this.ports, given);
      return await continueSignIn(this.ports, context, result, browser, next);
    } catch (error) {
      return signInPage(this.ports, context, { email, next, problems: problemsOf(error), others: context.others });
    }
  }

  @Post('sign-out')
  @Public()
  async signOut(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const provider = context.person && (await providerFor(this.ports, context.person));
    if (context.person !== null) await signOut(this.ports, callerOfPage(context).actor, context.person);
    await signOutOfOthers(this.ports, context);
    await endSession(context.request);
    const path = provider === null ? '/settings/sign-in' : `${PROVIDER_PATH}/${provider.id}/sign-out`;
    const { status, body, headers } = redirectTo(context, path);
    // Not the cookies: the session ends here, but the cookie that marks this browser as known keeps guessers from locking its owner out. Below
    // a path of PUBLIC_URL not the storage either, which belongs to all that the host serves.
    return new Reply(status, body, {
      ...headers,
      'Clear-Site-Data': this.ports.addresses.basePath === '' ? '"cache", "storage"' : '"cache"',
    });
  }
}

function signInPage(
  ports: Ports,
  context: PageContext,
  form: Omit<SignInProps, keyof ReturnType<typeof offersOf>>,
): Reply {
  const options = { title: 'Sign in', plain: true, scripts: [PASSKEY_SCRIPT], problems: form.problems };
  return renderPage(ports, context, options, <SignInForm {...offersOf(ports)} {...form} />);
}

/** The second step of signing in, for people with a second factor. */
@Controller(CODE_PATH.slice(1))
@Public()
export class CodeController extends PageController {
  @Get()
  async show(@CurrentPageContext() context: PageContext, @Query('next') next: unknown): Promise<Reply> {
    if (pendingOf(this.ports, context.request) === null) {
      return redirectTo(context, context.person === null ? '/settings/sign-in' : HOME);
    }
    return this.form(context, ownPath(next), null);
  }

  @Post()
  async signIn(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form, request } = context;
    const next = ownPath(form.text('next', FieldLength.line));
    try {
      const browser = newBrowser(request);
      const cookie = pendingOf(this.ports, request) ?? '';
      const code = passkeyAnswerOf(this.ports, context) ?? form.text('code', FieldLength.line);
      const result = await finishSignIn(this.ports, { cookie, code, browser });
      return await continueSignIn(this.ports, context, result, browser, next);
    } catch (error) {
      const problems = problemsOf(error);
      if (problems.code !== 'unauthorized') return await this.form(context, next, problems);
      // From the beginning.
      endPending(this.ports, request);
      return signInPage(this.ports, context, { email: '', next, problems });
    }
  }

  private async form(context: PageContext, next: string, problems: Problems | null): Promise<Reply> {
    const passkeys = await passkeysOfPending(this.ports, pendingOf(this.ports, context.request) ?? '');
    const offersPasskeys = passkeys.length > 0 && this.ports.addresses.passkeySite !== null;
    const title = offersPasskeys ? 'One more step' : 'Enter a code';
    const page = (
      <section class="card narrow">
        <h1>{title}</h1>
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
    return this.render(context, { title, plain: true, scripts: [PASSKEY_SCRIPT], problems }, page);
  }
}

/** Signing in by a passkey alone. */
@Controller(PASSKEY_SIGN_IN_PATH.slice(1))
export class PasskeySignInController extends PageController {
  @Post()
  @Public()
  async signIn(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const next = ownPath(context.form.text('next', FieldLength.line));
    try {
      const browser = newBrowser(context.request);
      const given = passkeyAnswerOf(this.ports, context) ?? { answer: '', challenge: '' };
      const result = await signInByPasskey(this.ports, given, browser, deviceOf(this.ports, context.request));
      return await continueSignIn(this.ports, context, result, browser, next);
    } catch (error) {
      return signInPage(this.ports, context, { email: '', next, problems: problemsOf(error) });
    }
  }
}

/** The challenges that scripts ask for. Each answer brings the cookie of its challenge, which counts once. */
@Controller()
export class PasskeyQuestionsController extends PageController {
  @Post(passkeyQuestions.toSignIn)
  @Public()
  toSignIn(@CurrentPageContext() context: PageContext): Reply {
    return this.asked(context, askToSignIn(this.ports));
  }

  @Post(passkeyQuestions.secondStep)
  @Public()
  async secondStep(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.asked(context, await askForSecondStep(this.ports, pendingOf(this.ports, context.request) ?? ''));
  }

  @Post(passkeyQuestions.again)
  @RequireRole('viewer', { whileSuspended: true, beforeFactor: true })
  async again(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.asked(context, await askAgain(this.ports, personOf(context)));
  }

  @Post(passkeyQuestions.forNew)
  @RequireRole('viewer', { confirmed: true, whileSuspended: true, beforeFactor: true })
  async forNew(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const person = personOf(context);
    const question = await askForNewPasskey(this.ports, person, context.form.has('alone'));
    rememberChallenge(this.ports, context.request, NEW_PASSKEY_FIELD, question.cookie);
    return jsonReply(creationOptions(question, person));
  }

  private asked(context: PageContext, question: PasskeyQuestion): Reply {
    rememberChallenge(this.ports, context.request, PASSKEY_FIELD, question.cookie);
    return jsonReply(requestOptions(question));
  }
}

/** From one account of a person to another in which the browser is signed in, too. Public: also from where the account in use may not be seen. */
@Controller(SWITCH_PATH.slice(1))
@Public()
export class AccountsController extends PageController {
  @Post()
  async switch(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const wanted = context.form.text(ACCOUNT_FIELD, FieldLength.word);
    const chosen = requireFound(
      context.others.find(({ known }) => String(known.customer.id) === wanted),
      'account',
    );
    requireAdmitted(chosen.known.customer, requestContextOf(context.request).namedIp);
    exchangeAccounts(this.ports, context, chosen);
    await startSession(context.request, chosen, true);
    return redirectTo(context, HOME);
  }
}
