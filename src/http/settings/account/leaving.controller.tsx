import { Controller, Get, Inject, Post } from '@nestjs/common';
import { closeOwnAccount } from '../../../core/customers/close-own-account.js';
import type { Ports } from '../../../core/ports.js';
import { For } from '../../api/access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { endSession } from '../browser-session.js';
import { type Problems, problemsOf } from '../form.js';
import { page } from '../page.js';
import { callerOfVisit, personOf, type Visit, Visiting } from '../visit.js';
import { AccountClosed, EraseAccount } from './leaving.view.js';

/** The end of an account, for owners alone. */
@Controller('settings/account/erase')
@For('owner')
export class LeavingController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  ask(@Visiting() visit: Visit): Promise<Reply> {
    return this.form(visit, null);
  }

  @Post()
  async erase(@Visiting() visit: Visit): Promise<Reply> {
    try {
      const { name } = await closeOwnAccount(this.ports, callerOfVisit(visit), visit.form.text('name'));
      const closed = page(this.ports, visit, { title: 'Account closed', plain: true }, <AccountClosed name={name} />);
      // A page made after this would have no session to keep its token in.
      await endSession(visit.request);
      return closed;
    } catch (error) {
      return await this.form(visit, problemsOf(error));
    }
  }

  private async form(visit: Visit, problems: Problems | null): Promise<Reply> {
    const { id } = personOf(visit).customer;
    const { customer, usage } = await this.ports.store.query(id, async (reader) => ({
      customer: await reader.customer(),
      usage: await reader.usage(),
    }));
    const keys = (await this.ports.keys.list(id)).length;
    const words = { title: 'Erase the account', section: 'account', ...(problems && { status: problems.status }) };
    const content = <EraseAccount name={customer.name} usage={usage} keys={keys} problems={problems} />;
    return page(this.ports, visit, words, content);
  }
}
