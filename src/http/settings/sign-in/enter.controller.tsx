import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { enterByLink, linkRefused, peekLink } from '../../../core/users/enter-by-link.js';
import { ForAnyone } from '../../api/access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { beginSession, newBrowser, rememberDevice } from '../browser-session.js';
import { type Problems, problemsOf } from '../form.js';
import { HOME } from '../navigation.js';
import { goTo, page } from '../page.js';
import { type Visit, Visiting } from '../visit.js';
import { EnterForm } from './sign-in.view.js';

/** One-time links: invitations, the first owner's, new ones for who lost a password. Looking at one does not spend it. */
@Controller('settings/enter')
export class EnterController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get(':token')
  @ForAnyone()
  show(@Visiting() visit: Visit, @Param('token') token: string): Promise<Reply> {
    return this.page(visit, token, null);
  }

  @Post(':token')
  @ForAnyone()
  async enter(@Visiting() visit: Visit, @Param('token') token: string): Promise<Reply> {
    const { form, request } = visit;
    try {
      const browser = newBrowser(request);
      const user = await enterByLink(this.ports, {
        token,
        email: form.text('email'),
        password: form.text('password'),
        browser,
      });
      await beginSession(request, browser);
      rememberDevice(this.ports, request, user.email ?? '');
      return goTo(visit, HOME);
    } catch (error) {
      return await this.page(visit, token, problemsOf(error));
    }
  }

  private async page(visit: Visit, token: string, problems: Problems | null): Promise<Reply> {
    const known = await peekLink(this.ports, token);
    if (known === null) throw linkRefused();
    const { user } = known;
    const customer = (await this.ports.customers.find(user.customerId))?.name ?? '';
    const values = { action: `/settings/enter/${token}`, user, customer, email: visit.form.text('email'), problems };
    const words = { title: 'Welcome', plain: true, ...(problems && { status: problems.status }) };
    return page(this.ports, visit, words, <EnterForm {...values} />);
  }
}
