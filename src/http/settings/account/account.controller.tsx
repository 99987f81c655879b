import { Controller, Get, Inject, Post } from '@nestjs/common';
import { editCustomer } from '../../../core/customers/edit-customer.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { changeEmail } from '../../../core/users/change-email.js';
import { changePassword } from '../../../core/users/change-password.js';
import { listSessions } from '../../../core/users/list-sessions.js';
import { revokeOtherSessions, revokeSession } from '../../../core/users/revoke-session.js';
import { maySetPassword } from '../../../core/users/session.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import { type Problems, problemsOf } from '../form.js';
import { InNavigation } from '../navigation.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext, personOf } from '../page-context.js';
import { AccountPage } from './account.view.js';

const HERE = '/settings/account';

/** The account, and the person who is signed in. */
@Controller('settings/account')
@RequireRole('viewer')
export class AccountController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @InNavigation('Account', 70)
  show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.page(context);
  }

  @Post()
  @RequireRole('owner')
  edit(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form } = context;
    return this.withProblems(context, 'account', 'The account was changed.', () =>
      editCustomer(this.ports, callerOfPage(context), {
        name: form.text('name'),
        defaultTimeZone: form.text('timeZone'),
        trashRetentionDays: Number(form.text('trashRetentionDays') || Number.NaN),
      }),
    );
  }

  @Post('email')
  @RequireRole('viewer', { confirmed: true })
  changeEmail(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { user } = personOf(context);
    const email = context.form.text('email');
    return this.withProblems(context, 'email', 'Your e-mail address was changed.', () =>
      changeEmail(this.ports, callerOfPage(context), user.id, email),
    );
  }

  @Post('password')
  changePassword(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form } = context;
    const passwords = { current: form.text('current'), password: form.text('password') };
    const done = 'Your password was changed. Every other browser of yours is signed out.';
    return this.withProblems(context, 'password', done, () =>
      changePassword(this.ports, personOf(context).session, passwords, context.clientIp),
    );
  }

  @Post('sessions/end-others')
  @RequireRole('viewer', { whileSuspended: true })
  async endOthers(@CurrentPageContext() context: PageContext): Promise<Reply> {
    await revokeOtherSessions(this.ports, callerOfPage(context).actor, personOf(context));
    return redirectTo(context, HERE, { kind: 'done', text: 'You are signed out everywhere else.' });
  }

  @Post('sessions/:id/end')
  @RequireRole('viewer', { whileSuspended: true })
  async endSession(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await revokeSession(this.ports, callerOfPage(context).actor, personOf(context).session, id);
    return redirectTo(context, HERE, { kind: 'done', text: 'That browser is signed out.' });
  }

  /** Runs the request of a form; if it is refused, the page is shown again with the errors. */
  private async withProblems(
    context: PageContext,
    form: string,
    done: string,
    act: () => Promise<unknown>,
  ): Promise<Reply> {
    try {
      await act();
      return redirectTo(context, HERE, { kind: 'done', text: done });
    } catch (error) {
      return await this.page(context, { form, problems: problemsOf(error) });
    }
  }

  private async page(
    context: PageContext,
    refused: { form: string; problems: Problems } | null = null,
  ): Promise<Reply> {
    const person = personOf(context);
    const { customer, sessions } = await this.ports.store.query(person.customer.id, async (reader) => ({
      customer: await reader.customer.read(),
      sessions: await listSessions(this.ports, person.customer.id, person.user.id),
    }));
    const words = { title: 'Account', section: 'account', ...(refused && { status: refused.problems.status }) };
    const mayOmitCurrent = maySetPassword(person.session, this.ports.clock.now());
    const props = { customer, person, sessions, refused, form: context.form, mayOmitCurrent };
    return renderPage(this.ports, context, words, <AccountPage {...props} />);
  }
}
