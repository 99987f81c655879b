import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { linkForbidden } from '../../../core/users/mailed-token.js';
import { peekLink, signInByLink } from '../../../core/users/sign-in/by-link.js';
import { Public } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { SIGN_IN_LINKS_PATH } from '../../public-addresses.js';
import type { Reply } from '../../responses/reply.js';
import { newBrowser } from '../browser-session.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { HOME } from '../navigation.js';
import { renderPage } from '../page.js';
import { CurrentPageContext, type PageContext } from '../page-context.js';
import { admittingCustomer } from './admitting-customer.js';
import { continueSignIn } from './pending-sign-in.js';
import { LinkForm } from './sign-in.view.js';

/** One-time links: invitations, the first owner's, new ones after a lost password. Opening one does not use it up. */
@Controller(SIGN_IN_LINKS_PATH)
export class LinkController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

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
      const result = await signInByLink(this.ports, {
        token,
        email: form.text('email', FieldLength.line),
        password: form.text('password', FieldLength.line),
        browser,
      });
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
    const values = {
      action: `/${SIGN_IN_LINKS_PATH}/${token}`,
      user,
      customer: customer.name,
      email: context.form.text('email', FieldLength.line),
      problems,
    };
    const options = { title: 'Welcome', plain: true, ...(problems && { status: problems.status }) };
    return renderPage(this.ports, context, options, <LinkForm {...values} />);
  }
}
