import { Controller, Get, Param, Post } from '@nestjs/common';
import type { Customer } from '../../core/customers/customer.js';
import type { Ports } from '../../core/ports.js';
import { notFound, requireFound } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { requireAdmitted } from '../../core/users/admission.js';
import { linkForbidden } from '../../core/users/mailed-token.js';
import { confirmEmail, peekEmailChange } from '../../core/users/people/email.js';
import { RECOVERY_MS, requestRecovery } from '../../core/users/people/new-password.js';
import { peekLink, signInByLink } from '../../core/users/sign-in/by-link.js';
import { Public } from '../../http/access.js';
import { EMAIL_LINKS_PATH, SIGN_IN_LINKS_PATH } from '../../http/public-addresses.js';
import type { Reply } from '../../http/responses/reply.js';
import { requestContextOf } from '../../http/server/request-context.js';
import { newBrowser } from '../browser-session.js';
import { Form, NewPasswordField, ProblemSummary, type Problems, problemsOf, UserName } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { PageController } from '../page.js';
import { CurrentPageContext, HOME, type PageContext } from '../page-context.js';
import { Buttons, ContinueLink } from '../parts.js';
import { continueSignIn } from './pending-sign-in.js';
import { EmailField, RECOVERY_PATH } from './sign-in.view.js';

/** One-time links: invitations, the first owner's, new ones after a lost password. Opening one does not use it up. */
@Controller(SIGN_IN_LINKS_PATH)
export class LinkController extends PageController {
  @Get(':token')
  @Public()
  show(@CurrentPageContext() context: PageContext, @Param('token') token: string): Promise<Reply> {
    return this.page(context, token, null);
  }

  @Post(':token')
  @Public()
  async signIn(@CurrentPageContext() context: PageContext, @Param('token') token: string): Promise<Reply> {
    const { form, request } = context;
    try {
      const browser = newBrowser(request);
      const [email, password] = [form.text('email', FieldLength.line), form.text('password', FieldLength.line)];
      const result = await signInByLink(this.ports, { token, email, password, browser });
      return await continueSignIn(this.ports, context, result, browser, HOME);
    } catch (error) {
      return await this.page(context, token, problemsOf(error));
    }
  }

  private async page(context: PageContext, token: string, problems: Problems | null): Promise<Reply> {
    const known = await peekLink(this.ports, token);
    if (known === null) throw linkForbidden();
    const { user } = known;
    const customer = await admittingCustomer(this.ports, context, user.customerId);
    const action = `/${SIGN_IN_LINKS_PATH}/${token}`;
    const email = context.form.text('email', FieldLength.line);
    const isBack = user.passwordHash !== null;
    return this.render(
      context,
      { title: 'Welcome', plain: true, problems },
      <section class="card narrow">
        <h1>{isBack ? 'Choose a new password' : 'Welcome'}</h1>
        <p>
          This link gives you access to the account <strong>{customer.name}</strong>
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
      </section>,
    );
  }
}

/** The link that confirms a new address. Opening it changes nothing: programs that look at mails open links, too. */
@Controller(EMAIL_LINKS_PATH)
@Public()
export class ConfirmEmailController extends PageController {
  @Get(':token')
  show(@CurrentPageContext() context: PageContext, @Param('token') token: string): Promise<Reply> {
    return this.page(context, token, null);
  }

  @Post(':token')
  async confirm(@CurrentPageContext() context: PageContext, @Param('token') token: string): Promise<Reply> {
    try {
      const user = await confirmEmail(this.ports, token, newBrowser(context.request));
      const email = user.email ?? '';
      const view = (
        <section class="card narrow">
          <h1>Address confirmed</h1>
          <p>
            {user.passwordHash === null
              ? `Your address is ${email} from now on.`
              : `From now on you sign in with ${email}.`}
          </p>
          <ContinueLink href="/settings/account" label="Go to your account" kind="primary" />
        </section>
      );
      return this.render(context, { title: 'Address confirmed', plain: true }, view);
    } catch (error) {
      return await this.page(context, token, problemsOf(error));
    }
  }

  private async page(context: PageContext, token: string, problems: Problems | null): Promise<Reply> {
    const change = await peekEmailChange(this.ports, token);
    if (change === null) throw linkForbidden();
    const { name: customer } = await admittingCustomer(this.ports, context, change.user.customerId);
    const hasPassword = change.user.passwordHash !== null;
    const action = `/${EMAIL_LINKS_PATH}/${token}`;
    return this.render(
      context,
      { title: 'Confirm your address', plain: true, problems },
      <section class="card narrow">
        <h1>Confirm your address</h1>
        <ProblemSummary problems={problems} />
        {problems?.of('email').map((message) => (
          <p key={message}>{message}</p>
        ))}
        <p>
          {hasPassword ? 'You will sign in to the account ' : 'Your address for the account '}
          <strong>{customer}</strong>
          {hasPassword ? ` with ${change.email}. Your password stays the same.` : ` will be ${change.email}.`}
        </p>
        <Form action={action}>
          <Buttons label="Confirm" />
        </Form>
      </section>,
    );
  }
}

/** The account that a link is for, which its page names. Errors: `ip_not_whitelisted` where people of the account may not be. */
async function admittingCustomer(ports: Ports, { request }: PageContext, id: Id): Promise<Customer> {
  const customer = requireFound(await ports.customers.find(id), 'customer');
  requireAdmitted(customer, requestContextOf(request).namedIp);
  return customer;
}

/** A link for a new password, by mail. There is no such page where no server for mail is configured. */
@Controller(RECOVERY_PATH.slice(1))
@Public()
export class RecoveryController extends PageController {
  @Get()
  show(@CurrentPageContext() context: PageContext): Reply {
    this.requireMailer();
    return this.form(context, null);
  }

  @Post()
  async request(@CurrentPageContext() context: PageContext): Promise<Reply> {
    this.requireMailer();
    try {
      await requestRecovery(this.ports, context.form.text('email', FieldLength.line), context.clientIp);
      // The same for addresses that no one signs in with.
      return this.render(
        context,
        { title: 'Check your mail', plain: true },
        <section class="card narrow">
          <h1>Check your mail</h1>
          <p>
            {`If someone signs in with this address, a mail with a link is on its way. The link works once, within ${RECOVERY_MS / 60_000} minutes.`}
          </p>
          <p class="hint">
            No mail within a few minutes? Check your spam folder, or ask an owner or admin of your account for a link.
          </p>
          <ContinueLink href="/settings/sign-in" label="Back to sign-in" kind="primary" />
        </section>,
      );
    } catch (error) {
      return this.form(context, problemsOf(error));
    }
  }

  private form(context: PageContext, problems: Problems | null): Reply {
    return this.render(
      context,
      { title: 'Forgot your password?', plain: true, problems },
      <section class="card narrow">
        <h1>Forgot your password?</h1>
        <p>Enter the address that you sign in with. We send you a link to choose a new password.</p>
        <ProblemSummary problems={problems} />
        <Form action={RECOVERY_PATH}>
          <EmailField value={context.form.text('email', FieldLength.line)} />
          <Buttons label="Send the link" cancel="/settings/sign-in" />
        </Form>
        <p class="hint">The new password does not replace your second factor, if you have one.</p>
      </section>,
    );
  }

  private requireMailer(): void {
    if (this.ports.mailer === null) throw notFound('page');
  }
}
