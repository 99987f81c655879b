import { Controller, Get, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { found, invalid } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { changeRole } from '../../../core/users/change-role.js';
import { type Invitation, inviteUser } from '../../../core/users/invite-user.js';
import { linkUser } from '../../../core/users/link-user.js';
import { removeUser } from '../../../core/users/remove-user.js';
import { isRole, type Role, type User } from '../../../core/users/user.js';
import { For } from '../../api/access.js';
import { PathId } from '../../api/path-id.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../reply.js';
import { type Problems, problemsOf } from '../form.js';
import { goTo, page } from '../page.js';
import { callerOfVisit, personOf, type Visit, Visiting } from '../visit.js';
import { InvitationMade, PeopleList, RemovePerson } from './people.view.js';

const HERE = '/settings/account/people';
const section = 'account';

/** Who has access to this account: for owners alone. */
@Controller('settings/account/people')
@For('owner')
export class PeopleController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  list(@Visiting() visit: Visit): Promise<Reply> {
    return this.page(visit);
  }

  @Post()
  async invite(@Visiting() visit: Visit): Promise<Reply> {
    const { form } = visit;
    try {
      const role = roleOf(form.text('role'));
      const invitation = await inviteUser(this.ports, callerOfVisit(visit), { email: form.text('email'), role });
      return this.invitation(visit, invitation);
    } catch (error) {
      return await this.page(visit, { refused: problemsOf(error) });
    }
  }

  @Post(':id/link')
  async link(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    return this.invitation(visit, await linkUser(this.ports, callerOfVisit(visit), id));
  }

  @Post(':id/role')
  async changeRole(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    try {
      const user = await changeRole(this.ports, callerOfVisit(visit), id, roleOf(visit.form.text('role')));
      const text = `${nameOf(user)} is ${user.role === 'owner' ? 'an owner' : 'a member'} from now on.`;
      // Whoever gave up the role may not see this page any more.
      const mayStay = user.id !== personOf(visit).user.id || user.role === 'owner';
      return goTo(visit, mayStay ? HERE : '/settings/account', { kind: 'done', text });
    } catch (error) {
      return await this.page(visit, { said: problemsOf(error) });
    }
  }

  @Get(':id/remove')
  async confirmRemove(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const user = await this.user(visit, id);
    const isSelf = user.id === personOf(visit).user.id;
    return page(this.ports, visit, { title: 'Remove a person', section }, <RemovePerson user={user} isSelf={isSelf} />);
  }

  @Post(':id/remove')
  async remove(@Visiting() visit: Visit, @PathId('id') id: Id): Promise<Reply> {
    const user = await this.user(visit, id);
    try {
      await removeUser(this.ports, callerOfVisit(visit), id);
      return goTo(visit, HERE, { kind: 'done', text: `${nameOf(user)} has no access any more.` });
    } catch (error) {
      return await this.page(visit, { said: problemsOf(error) });
    }
  }

  private async user(visit: Visit, id: Id): Promise<User> {
    return found(await this.ports.store.query(customerOf(visit), ({ users }) => users.get(id)), 'user');
  }

  private invitation(visit: Visit, invitation: Invitation): Reply {
    const words = { title: 'A link', section, scripts: ['copy.js', 'once.js'] };
    return page(this.ports, visit, words, <InvitationMade {...invitation} />);
  }

  /** @param problems Of the invitation, to be shown in its form; or of something else, to be said above. */
  private async page(visit: Visit, problems: { refused?: Problems; said?: Problems } = {}): Promise<Reply> {
    const { refused = null, said = null } = problems;
    const users = await this.ports.store.query(customerOf(visit), (reader) => reader.users.list());
    const status = (refused ?? said)?.status ?? 200;
    const flash = said && ({ kind: 'failed', text: said.message } as const);
    const view = <PeopleList users={users} self={personOf(visit).user.id} problems={refused} form={visit.form} />;
    return page(this.ports, visit, { title: 'People', section, status, flash }, view);
  }
}

function customerOf(visit: Visit): Id {
  return personOf(visit).customer.id;
}

function nameOf({ email }: User): string {
  return email ?? 'The first owner';
}

function roleOf(text: string): Role {
  if (isRole(text)) return text;
  throw invalid({ field: 'role', code: 'invalid_format', message: 'Choose owner or member.' });
}
