import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { linkForbidden } from '../../../core/users/mailed-token.js';
import { confirmEmail, peekEmailChange } from '../../../core/users/people/email.js';
import { Public } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { EMAIL_LINKS_PATH } from '../../public-addresses.js';
import type { Reply } from '../../responses/reply.js';
import { newBrowser } from '../browser-session.js';
import { Button, Form, ProblemSummary, type Problems, problemsOf } from '../form.js';
import { renderPage } from '../page.js';
import { CurrentPageContext, type PageContext } from '../page-context.js';
import { admittingCustomer } from './admitting-customer.js';

/** The link that confirms a new address. Opening it changes nothing: programs that look at mails open links, too. */
@Controller(EMAIL_LINKS_PATH)
@Public()
export class ConfirmEmailController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get(':token')
  show(@CurrentPageContext() context: PageContext, @Param('token') token: string): Promise<Reply> {
    return this.page(context, token, null);
  }

  @Post(':token')
  async confirm(@CurrentPageContext() context: PageContext, @Param('token') token: string): Promise<Reply> {
    try {
      const { email, passwordHash } = await confirmEmail(this.ports, token, newBrowser(context.request));
      const view = <Confirmed email={email ?? ''} hasPassword={passwordHash !== null} />;
      return renderPage(this.ports, context, { title: 'Address confirmed', plain: true }, view);
    } catch (error) {
      return await this.page(context, token, problemsOf(error));
    }
  }

  private async page(context: PageContext, token: string, problems: Problems | null): Promise<Reply> {
    const change = await peekEmailChange(this.ports, token);
    if (change === null) throw linkForbidden();
    const { name: customer } = await admittingCustomer(this.ports, context, change.user.customerId);
    const options = { title: 'Confirm your address', plain: true, ...(problems && { status: problems.status }) };
    const hasPassword = change.user.passwordHash !== null;
    const props = { action: `/${EMAIL_LINKS_PATH}/${token}`, email: change.email, hasPassword, customer, problems };
    return renderPage(this.ports, context, options, <ConfirmForm {...props} />);
  }
}

interface ConfirmProps {
  readonly action: string;
  readonly email: string;
  readonly hasPassword: boolean;
  readonly customer: string;
  readonly problems: Problems | null;
}

function ConfirmForm({ action, email, hasPassword, customer, problems }: ConfirmProps) {
  return (
    <section class="card narrow">
      <h1>Confirm your address</h1>
      <ProblemSummary problems={problems} />
      {problems?.of('email').map((message) => (
        <p key={message}>{message}</p>
      ))}
      <p>
        {hasPassword ? 'You will sign in to the account ' : 'Your address for the account '}
        <strong>{customer}</strong>
        {hasPassword ? ` with ${email}. Your password stays the same.` : ` will be ${email}.`}
      </p>
      <Form action={action}>
        <div class="buttons">
          <Button>Confirm</Button>
        </div>
      </Form>
    </section>
  );
}

function Confirmed({ email, hasPassword }: { email: string; hasPassword: boolean }) {
  return (
    <section class="card narrow">
      <h1>Address confirmed</h1>
      <p>{hasPassword ? `From now on you sign in with ${email}.` : `Your address is ${email} from now on.`}</p>
      <div class="buttons">
        <a class="button primary" href="/settings/account">
          Go to your account
        </a>
      </div>
    </section>
  );
}
