import { Controller, Get, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { invalid, requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { providerOfNewPeople } from '../../../core/users/identity-provider.js';
import { type Invitation, inviteUser, issueLink } from '../../../core/users/people/invite.js';
import { changeRole, removeUser } from '../../../core/users/people/manage.js';
import { isRole, mayActAs, type Role, type User } from '../../../core/users/user.js';
import { RequireRole } from '../../access.js';
import { withArticle } from '../../fields/role-meanings.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import type { Reply } from '../../responses/reply.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, customerOf, type PageContext, peopleManager, personOf } from '../page-context.js';
import { InvitationMade, PeopleList, RemovePerson } from './people.view.js';

const HERE = '/settings/account/people';
const section = 'account';

/** The people with access to this account: for admins and owners. */
@Controller('settings/account/people')
@RequireRole('admin', { confirmed: true })
export class PeopleController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.page(context);
  }

  @Post()
  async invite(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form } = context;
    try {
      const role = roleOf(form.text('role', FieldLength.word));
      const invitation = await inviteUser(this.ports, peopleManager(context), {
        email: form.text('email', FieldLength.line),
        role,
      });
      return this.invitation(context, invitation);
    } catch (error) {
      return await this.page(context, { refused: problemsOf(error) });
    }
  }

  @Post(':id/link')
  async link(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.invitation(context, await issueLink(this.ports, peopleManager(context), id));
  }

  @Post(':id/role')
  async changeRole(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    try {
      const user = await changeRole(
        this.ports,
        peopleManager(context),
        id,
        roleOf(context.form.text('role', FieldLength.word)),
      );
      const text = `${nameOf(user)} is ${withArticle(user.role)} from now on.`;
      // A person who gave up the role may no longer see this page.
      const mayStay = user.id !== personOf(context).user.id || mayActAs(user.role, 'admin');
      return redirectTo(context, mayStay ? HERE : '/settings/account', { kind: 'done', text });
    } catch (error) {
      return await this.page(context, { failed: problemsOf(error) });
    }
  }

  @Get(':id/remove')
  async confirmRemove(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const user = await this.user(context, id);
    const isSelf = user.id === personOf(context).user.id;
    return renderPage(
      this.ports,
      context,
      { title: 'Remove a person', section },
      <RemovePerson user={user} isSelf={isSelf} />,
    );
  }

  @Post(':id/remove')
  async remove(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const user = await this.user(context, id);
    try {
      await removeUser(this.ports, peopleManager(context), id);
      return redirectTo(context, HERE, { kind: 'done', text: `${nameOf(user)} no longer has access.` });
    } catch (error) {
      return await this.page(context, { failed: problemsOf(error) });
    }
  }

  private async user(context: PageContext, id: Id): Promise<User> {
    return requireFound(await this.ports.store.query(customerOf(context), ({ users }) => users.get(id)), 'user');
  }

  private invitation(context: PageContext, invitation: Invitation): Reply {
    const options = { title: 'A link', section, scripts: ['copy.js', 'no-resend.js'] };
    return renderPage(this.ports, context, options, <InvitationMade {...invitation} />);
  }

  /** @param problems Of the invitation, to be shown in its form; or of something else, to be shown at the top. */
  private async page(context: PageContext, problems: { refused?: Problems; failed?: Problems } = {}): Promise<Reply> {
    const { refused = null, failed = null } = problems;
    const { users, ...factors } = await this.ports.store.query(customerOf(context), async (reader) => ({
      users: await reader.users.list(),
      withFactor: new Set((await reader.factors.listApps()).map(({ userId }) => userId)),
      identities: await reader.identities.list(),
      customer: await reader.customer.read(),
    }));
    const status = (refused ?? failed)?.status ?? 200;
    const flash = failed && ({ kind: 'failed', text: failed.message } as const);
    const view = (
      <PeopleList
        users={users}
        {...factors}
        newPeopleBy={providerOfNewPeople(this.ports.identityProviders, customerOf(context))}
        isMailed={this.ports.mailer !== null}
        self={personOf(context).user}
        problems={refused}
        form={context.form}
      />
    );
    return renderPage(this.ports, context, { title: 'People', section, status, flash }, view);
  }
}

function nameOf({ email }: User): string {
  return email ?? 'The first owner';
}

function roleOf(text: string): Role {
  if (isRole(text)) return text;
  throw invalid({ field: 'role', code: 'invalid_format', message: 'Choose one of the roles.' });
}
