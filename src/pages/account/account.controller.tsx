import { Controller, Get, Post } from '@nestjs/common';
import type { Customer } from '../../core/customers/customer.js';
import { editCustomer, readCustomer } from '../../core/customers/edit-customer.js';
import type { Id } from '../../core/shared/ids.js';
import { requestEmailChange } from '../../core/users/people/email.js';
import { changePassword } from '../../core/users/people/new-password.js';
import { listIdentities, readIdentity, unlinkIdentity } from '../../core/users/provider/identity.js';
import { listSessions, maySetPassword, revokeOtherSessions, revokeSession } from '../../core/users/session.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { requireConfirmed } from '../guards/confirm-identity.js';
import { PageController, redirectAfter, redirectTo } from '../page.js';
import {
  CurrentPageContext,
  callerOfPage,
  InNavigation,
  type PageContext,
  peopleManager,
  personOf,
} from '../page-context.js';
import { canUsePasskey, PASSKEY_SCRIPT, passkeyAnswerOf } from '../passkeys/passkeys.js';
import { editsOf } from '../resource-form.js';
import { AccountPage, accountFields } from './account.view.js';

const HERE = '/settings/account';

/** The account, and the person who is signed in. */
@Controller('settings/account')
@RequireRole('viewer')
export class AccountController extends PageController {
  @Get()
  @InNavigation('Account', 70)
  show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.page(context);
  }

  @Post()
  @RequireRole('owner')
  async edit(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form } = context;
    const { changed, requireUnchanged } = editsOf(form, {
      name: form.text('name', FieldLength.line),
      timeZone: form.text('timeZone', FieldLength.line),
      trashRetentionDays: form.text('trashRetentionDays', FieldLength.word),
    });
    // Photos in the trash would be deleted permanently sooner than people expect.
    const { customer } = await readCustomer(this.ports, callerOfPage(context));
    const shown = accountFields(customer);
    const { name, timeZone: defaultTimeZone, ...fields } = { ...shown, ...changed };
    const trashRetentionDays = Number(fields.trashRetentionDays || Number.NaN);
    if (trashRetentionDays !== customer.trashRetentionDays) {
      await requireConfirmed(this.ports, context, personOf(context));
    }
    return this.withProblems(context, 'account', async () => {
      requireUnchanged(shown);
      const changes = {
        ...(changed.name !== undefined && { name }),
        ...(changed.timeZone !== undefined && { defaultTimeZone }),
        ...(changed.trashRetentionDays !== undefined && { trashRetentionDays }),
      };
      const check = (current: Customer) => requireUnchanged(accountFields(current));
      await editCustomer(this.ports, callerOfPage(context), changes, check);
      return 'The account was changed.';
    });
  }

  @Post('email')
  @RequireRole('viewer', { confirmed: true })
  changeEmail(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const email = context.form.text('email', FieldLength.line);
    return this.withProblems(context, 'email', async () => {
      const result = await requestEmailChange(this.ports, callerOfPage(context), personOf(context), email);
      if (result === 'changed') return 'Your e-mail address was changed.';
      return `We have sent a link to ${email.trim()}. Your address changes when you confirm it there; the link works for a day.`;
    });
  }

  @Post('password')
  async changePassword(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form } = context;
    const person = personOf(context);
    // Without a password or a code to ask for, the provider that signs the person in has to ask.
    if (person.user.passwordHash === null && !person.hasFactor) await requireConfirmed(this.ports, context, person);
    const current = passkeyAnswerOf(this.ports, context) ?? form.text('current', FieldLength.line);
    const passwords = { current, password: form.text('password', FieldLength.line) };
    return this.withProblems(context, 'password', async () => {
      await changePassword(this.ports, person.session, passwords, context.clientIp);
      return 'Your password was changed. Every other browser of yours is signed out.';
    });
  }

  @Post('sessions/end-others')
  @RequireRole('viewer', { whileSuspended: true, confirmed: true })
  async endOthers(@CurrentPageContext() context: PageContext): Promise<Reply> {
    await revokeOtherSessions(this.ports, callerOfPage(context).actor, personOf(context));
    return redirectTo(context, HERE, { kind: 'done', text: 'You are signed out everywhere else.' });
  }

  @Post('sessions/:id/end')
  @RequireRole('viewer', { whileSuspended: true, confirmed: true })
  async endSession(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    await revokeSession(this.ports, callerOfPage(context).actor, personOf(context).session, id);
    return redirectTo(context, HERE, { kind: 'done', text: 'That browser is signed out.' });
  }

  /** Runs the request of a form; if it is refused, the page is shown again with the errors. */
  private async withProblems(context: PageContext, form: string, act: () => Promise<string>): Promise<Reply> {
    try {
      return redirectTo(context, HERE, { kind: 'done', text: await act() });
    } catch (error) {
      return await this.page(context, { form, problems: problemsOf(error) });
    }
  }

  private async page(
    context: PageContext,
    refused: { form: string; problems: Problems } | null = null,
  ): Promise<Reply> {
    const person = personOf(context);
    const { customer } = await readCustomer(this.ports, callerOfPage(context));
    const identities = await listIdentities(this.ports, person.user);
    const sessions = await listSessions(this.ports, person.customer.id, person.user.id);
    const scripts = [PASSKEY_SCRIPT, 'time-zones.js'];
    const options = { title: 'Account', section: 'account', scripts, problems: refused?.problems };
    const props = {
      ...{ customer, person, sessions, identities, refused, form: context.form },
      mayOmitCurrent: maySetPassword(person, this.ports.clock.now()),
      isMailed: this.ports.mailer !== null,
      providers: this.ports.identityProviders,
      offersPasskeys: await canUsePasskey(this.ports, person),
    };
    return this.render(context, options, <AccountPage {...props} />);
  }
}

/** Identities of people at providers: one's own, and for admins those of others. */
@Controller('settings/account/identities')
export class IdentitiesController extends PageController {
  @Post(':id/unlink')
  @RequireRole('viewer', { confirmed: true })
  async unlink(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const person = personOf(context);
    const { userId } = await readIdentity(this.ports, person.customer.id, id);
    const [back, text] =
      userId === person.user.id
        ? ['/settings/account', 'The provider was unlinked. Your other browsers are signed out.']
        : ['/settings/account/people', 'The provider was unlinked, and the person is signed out everywhere.'];
    return redirectAfter(context, back, async () => {
      await unlinkIdentity(this.ports, peopleManager(context), person, { userId, identityId: id });
      return { text };
    });
  }
}
