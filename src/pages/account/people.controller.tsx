import { Controller, Get, Post } from '@nestjs/common';
import { lockedOut } from '../../core/access/keys.js';
import { readCustomer } from '../../core/customers/edit-customer.js';
import { invalid } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { editNewPeople, editSettingsAddresses, recentSettingsAddresses } from '../../core/users/admission.js';
import { providerOfNewPeople } from '../../core/users/identity-provider.js';
import { changeRole, readPeople, readPerson, removeUser } from '../../core/users/people/manage.js';
import { type Invitation, inviteUser, issueLink } from '../../core/users/people/one-time-link.js';
import { isRole, mayActAs, type Role, type User } from '../../core/users/user.js';
import { RequireRole } from '../../http/access.js';
import { withArticle } from '../../http/fields/meanings.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { entriesOf, entriesText, LOCK_OUT_FIELD } from '../ip-list-field.js';
import { PageController, redirectTo } from '../page.js';
import {
  CurrentPageContext,
  callerOfPage,
  customerOf,
  type PageContext,
  peopleManager,
  personOf,
} from '../page-context.js';
import { editsOf } from '../resource-form.js';
import {
  type AddressesForm,
  InvitationMade,
  NEW_PEOPLE_PATH,
  PEOPLE_PATH,
  PeopleList,
  RemovePerson,
  SETTINGS_ADDRESSES_PATH,
  SettingsAddresses,
} from './people.view.js';

const section = 'account';

/** The people with access to this account: for admins and owners. */
@Controller('settings/account/people')
@RequireRole('admin', { confirmed: true })
export class PeopleController extends PageController {
  @Get()
  list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    return this.page(context);
  }

  @Post()
  async invite(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form } = context;
    try {
      const role = roleOf(form.text('role', FieldLength.word));
      const person = { email: form.text('email', FieldLength.line), role };
      return this.invitation(context, await inviteUser(this.ports, peopleManager(context), person));
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
      const role = roleOf(context.form.text('role', FieldLength.word));
      const user = await changeRole(this.ports, peopleManager(context), id, role);
      const text = `${nameOf(user)} is ${withArticle(user.role)} from now on.`;
      // A person who gave up the role may no longer see this page.
      const mayStay = user.id !== personOf(context).user.id || mayActAs(user.role, 'admin');
      return redirectTo(context, mayStay ? PEOPLE_PATH : '/settings/account', { kind: 'done', text });
    } catch (error) {
      return await this.page(context, { failed: problemsOf(error) });
    }
  }

  @Get(':id/remove')
  async confirmRemove(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const user = await this.user(context, id);
    const isSelf = user.id === personOf(context).user.id;
    const page = <RemovePerson user={user} isSelf={isSelf} />;
    return this.render(context, { title: 'Remove a person', section }, page);
  }

  @Post(':id/remove')
  async remove(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const user = await this.user(context, id);
    try {
      await removeUser(this.ports, peopleManager(context), id);
      return redirectTo(context, PEOPLE_PATH, { kind: 'done', text: `${nameOf(user)} no longer has access.` });
    } catch (error) {
      return await this.page(context, { failed: problemsOf(error) });
    }
  }

  private user(context: PageContext, id: Id): Promise<User> {
    return readPerson(this.ports, customerOf(context), id);
  }

  private invitation(context: PageContext, invitation: Invitation): Reply {
    const options = { title: 'A link', section, scripts: ['copy.js', 'no-resend.js'] };
    return this.render(context, options, <InvitationMade {...invitation} />);
  }

  /** @param problems Of the invitation, to be shown in its form; or of something else, to be shown at the top. */
  private async page(context: PageContext, problems: { refused?: Problems; failed?: Problems } = {}): Promise<Reply> {
    const { refused = null, failed = null } = problems;
    const flash = failed && ({ kind: 'failed', text: failed.message } as const);
    const view = (
      <PeopleList
        {...(await readPeople(this.ports, customerOf(context)))}
        newPeopleBy={providerOfNewPeople(this.ports.identityProviders, customerOf(context))}
        isMailed={this.ports.mailer !== null}
        self={personOf(context).user}
        problems={refused}
        form={context.form}
      />
    );
    return this.render(context, { title: 'People', section, problems: refused ?? failed, flash }, view);
  }
}

function nameOf({ email }: User): string {
  return email ?? 'The first owner';
}

function roleOf(text: string): Role {
  if (isRole(text)) return text;
  throw invalid({ field: 'role', code: 'invalid_format', message: 'Choose one of the roles.' });
}

/** Whether a provider may bring new people: for owners. The form is on the page of people. */
@Controller(NEW_PEOPLE_PATH)
@RequireRole('owner', { confirmed: true })
export class NewPeopleController extends PageController {
  @Post()
  async edit(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const isAllowed = context.form.text('allowed', FieldLength.word) === 'yes';
    await editNewPeople(this.ports, callerOfPage(context), isAllowed);
    const text = isAllowed
      ? 'New people can now join through single sign-on.'
      : 'New people can no longer join through single sign-on. Everyone who has access keeps it.';
    return redirectTo(context, PEOPLE_PATH, { kind: 'done', text });
  }
}

/** From where people may use the settings area: for owners. */
@Controller(SETTINGS_ADDRESSES_PATH.slice(1))
@RequireRole('owner', { confirmed: true })
export class SettingsAddressesController extends PageController {
  @Get()
  async show(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const shown = await this.stored(context);
    return this.page(context, { value: shown, shown, problems: null, locksOut: [] });
  }

  @Post()
  async save(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const shown = await this.stored(context);
    const sent = { ipList: context.form.text('ipList', FieldLength.addresses) };
    const { changed, requireUnchanged } = editsOf(context.form, sent);
    if (changed.ipList === undefined) return this.saved(context, shown);
    const value = changed.ipList;
    try {
      requireUnchanged({ ipList: shown });
      const entries = entriesOf(value);
      const locksOut = lockedOut(entries, await recentSettingsAddresses(this.ports, customerOf(context)));
      if (locksOut.length > 0 && !context.form.has(LOCK_OUT_FIELD)) {
        return await this.page(context, { value, shown, problems: null, locksOut });
      }
      const caller = callerOfPage(context);
      const { settingsIpList } = await editSettingsAddresses(this.ports, caller, entries, (current) =>
        requireUnchanged({ ipList: entriesText(current.settingsIpList) }),
      );
      return this.saved(context, entriesText(settingsIpList));
    } catch (error) {
      return this.page(context, { value, shown, problems: problemsOf(error), locksOut: [] });
    }
  }

  private saved(context: PageContext, addresses: string): Reply {
    const text =
      addresses === ''
        ? 'The settings area can be used from anywhere.'
        : 'The settings area can only be used from the allowed addresses.';
    return redirectTo(context, PEOPLE_PATH, { kind: 'done', text });
  }

  /** The list that counts, as people write it. */
  private async stored(context: PageContext): Promise<string> {
    const { customer } = await readCustomer(this.ports, callerOfPage(context));
    return entriesText(customer.settingsIpList);
  }

  private async page(context: PageContext, form: AddressesForm): Promise<Reply> {
    const addresses = await recentSettingsAddresses(this.ports, customerOf(context));
    const options = { title: 'Allowed addresses', section: 'account', problems: form.problems };
    const view = <SettingsAddresses {...form} addresses={addresses} clientIp={context.clientIp} />;
    return this.render(context, options, view);
  }
}
