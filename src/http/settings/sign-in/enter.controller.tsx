import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { DomainError } from '../../../core/shared/errors.js';
import { enterByLink, peekLink } from '../../../core/users/enter-by-link.js';
import { ForAnyone } from '../../api/access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { beginSession } from '../browser-session.js';
import { HOME } from '../navigation.js';
import { goTo, page } from '../page.js';
import { type Visit, Visiting } from '../visit.js';
import { EnterForm } from './sign-in.view.js';

/** One-time links: invitations, the first owner's, new ones for who lost a password. Looking at one does not use it up. */
@Controller('settings/enter')
export class EnterController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get(':token')
  @ForAnyone()
  async show(@Visiting() visit: Visit, @Param('token') token: string): Promise<Reply> {
    const known = await peekLink(this.ports, token);
    if (known === null) {
      const message = 'This link was used already, is too old, or was replaced by a newer one. Ask for a new one.';
      throw new DomainError('url_forbidden', message);
    }
    const { customerId, email } = known.user;
    const customer = (await this.ports.customers.find(customerId))?.name ?? '';
    const form = <EnterForm action={`/settings/enter/${token}`} email={email} customer={customer} />;
    return page(this.ports, visit, { title: 'Welcome', plain: true }, form);
  }

  @Post(':token')
  @ForAnyone()
  async enter(@Visiting() visit: Visit, @Param('token') token: string): Promise<Reply> {
    const user = await enterByLink(this.ports, token);
    await beginSession(this.ports, visit.request, user);
    return goTo(visit, HOME);
  }
}
