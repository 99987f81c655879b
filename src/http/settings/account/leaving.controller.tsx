import { Controller, Get, Inject, Post } from '@nestjs/common';
import { closeOwnAccount } from '../../../core/customers/edit-customer.js';
import type { Ports } from '../../../core/ports.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { signOutOfOthers } from '../accounts/accounts-cookie.js';
import { endSession } from '../browser-session.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext, personOf } from '../page-context.js';
import { AccountClosed, EraseAccount } from './leaving.view.js';

/** Closing the account, for owners only. */
@Controller('settings/account/erase')
@RequireRole('owner', { confirmed: true })
export class LeavingController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  ask(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.form(context, null);
  }

  @Post()
  async erase(@CurrentPageContext() context: PageContext): Promise<Reply> {
    try {
      const { name } = await closeOwnAccount(
        this.ports,
        callerOfPage(context),
        context.form.text('name', FieldLength.line),
      );
      const closed = renderPage(
        this.ports,
        context,
        { title: 'Account closed', plain: true },
        <AccountClosed name={name} />,
      );
      // A page rendered after this would have no session to store its token in.
      await signOutOfOthers(this.ports, context);
      await endSession(context.request);
      return closed;
    } catch (error) {
      return await this.form(context, problemsOf(error));
    }
  }

  private async form(context: PageContext, problems: Problems | null): Promise<Reply> {
    const { id } = personOf(context).customer;
    const { customer, usage } = await this.ports.store.query(id, async (reader) => ({
      customer: await reader.customer.read(),
      usage: await reader.usage.read(),
    }));
    const keys = (await this.ports.keys.list(id)).length;
    const options = { title: 'Erase the account', section: 'account', ...(problems && { status: problems.status }) };
    const content = <EraseAccount name={customer.name} usage={usage} keys={keys} problems={problems} />;
    return renderPage(this.ports, context, options, content);
  }
}
