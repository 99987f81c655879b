import { Controller, Get, Inject, Post } from '@nestjs/common';
import { editCustomer } from '../../../core/customers/edit-customer.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { changeEmail } from '../../../core/users/change-email.js';
import { changePassword } from '../../../core/users/change-password.js';
import { listSessions } from '../../../core/users/list-sessions.js';
import { revokeOtherSessions, revokeSession } from '../../../core/users/revoke-session.js';
import { maySetPassword } from '../../../core/users/session.js';
import { For } from '../../api/access.js';
import { PathId } from '../../api/path-id.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { type Problems, problemsOf } from '../form.js';
import { goTo, page } from '../page.js';
import { callerOfVisit, personOf, type Visit, Visiting } from '../visit.js';
import { AccountPage } from './account.view.js';

const HERE = '/settings/account';

/** The account, and whoever is signed in. */
@Controller('settings/account')
@For('member')
export class AccountController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  show(@Visiting() visit: Visit): Promise<Reply> {
    return this.page(visit);
  }

  @Post()
  @For('owner')
  edit(@Visiting() visit: Visit): Promise<Reply> {
    const { form } = visit;
    return this.tried(visit, 'account', 'The account was changed.', () =>
      editCustomer(this.ports, callerOfVisit(visit), {
        name: form.text('name'),
        defaultTimeZone: form.text('timeZone'),
        trashRetentionDays: Number(form.text('trashRetentionDays') || Number.NaN),
      }),
    );
  }

  @Post('email')
  changeEmail(@Visiting() visit: Visit): Promise<Reply> {
    const { user } = personOf(visit);
    const email = visit.form.text('email');
    return this.tried(visit, 'email', 'Your e-mail address was changed.', () =>
      changeEmail(this.ports, callerOfVisit(visit), user.id, email),
    );
  }

  @Post('password')
  changePassword(@Visiting() visit: Visit): Promise<Reply> {
    const { form } = visit;
    const passwords = { current: form.text('current'), password: form.text('password') };
    const done = 'Your password was changed. Every other browser of yours is signed out.';
    return this.tried(visit, 'password', done, () =>
      changePassword(this.ports, personOf(visit).session, passwords, visit.clientIp),
    );
  }

  @Post('sessions/end-others')
  @For('member', { whileSuspended: true })
  async endOthers(@Visiting() visit: Visit): Promise<Reply> {
    await revokeOtherSessions(this.ports, callerOfVisit(visit).actor, personOf(visit));
    return goTo(visit, HERE, { kind: 'done', text: 'You are signed out everywhere else.' });
  }

  @Post('sessions/:id/end')
  @For('member', { whileSuspended: true })
  async endSession(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    await revokeSession(this.ports, callerOfVisit(visit).actor, personOf(visit).session, id);
    return goTo(visit, HERE, { kind: 'done', text: 'That browser is signed out.' });
  }

  /** What a form asks for; when it is refused, the page again with what was wrong. */
  private async tried(visit: Visit, form: string, done: string, act: () => Promise<unknown>): Promise<Reply> {
    try {
      await act();
      return goTo(visit, HERE, { kind: 'done', text: done });
    } catch (error) {
      return await this.page(visit, { form, problems: problemsOf(error) });
    }
  }

  private async page(visit: Visit, refused: { form: string; problems: Problems } | null = null): Promise<Reply> {
    const person = personOf(visit);
    const { customer, sessions } = await this.ports.store.query(person.customer.id, async (reader) => ({
      customer: await reader.customer(),
      sessions: await listSessions(this.ports, person.customer.id, person.user.id),
    }));
    const words = { title: 'Account', section: 'account', ...(refused && { status: refused.problems.status }) };
    const mayOmitCurrent = maySetPassword(person.session, this.ports.clock.now());
    const props = { customer, person, sessions, refused, form: visit.form, mayOmitCurrent };
    return page(this.ports, visit, words, <AccountPage {...props} />);
  }
}
