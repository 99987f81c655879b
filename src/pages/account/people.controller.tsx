import { Controller, Get, Post } from '@nestjs/common';
import type { Customer } from '../../core/customers/customer.js';
import { invalid } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { editNewPeople } from '../../core/users/admission.js';
import { requireFactors } from '../../core/users/factors/policy.js';
import { type ProviderSettings, providerOfNewPeople } from '../../core/users/identity-provider.js';
import { changeRole, readPeople, readPerson, removeUser } from '../../core/users/people/manage.js';
import { type Invitation, inviteUser, issueLink } from '../../core/users/people/one-time-link.js';
import type { Identity } from '../../core/users/provider/identity.js';
import {
  isRole,
  LINK_DAYS,
  MAX_EMAIL,
  mayActAs,
  mayManage,
  type Role,
  roles,
  type User,
} from '../../core/users/user.js';
import { RequireRole } from '../../http/access.js';
import { roleMeanings, withArticle } from '../../http/fields/meanings.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { Button, Field, Form, Options, ProblemSummary, type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { PageController, redirectAfter, redirectTo } from '../page.js';
import {
  Allowed,
  CurrentPageContext,
  callerOfPage,
  customerOf,
  type PageContext,
  peopleManager,
  personOf,
} from '../page-context.js';
import { Badge, Buttons, Card, Confirm, ContinueLink, Copied, Copyable, Heading, Moment, Table } from '../parts.js';
import { FormCard } from '../resource-form.js';
import { Unlink } from './identities.controller.js';

export const PEOPLE_PATH = '/settings/account/people';
export const SETTINGS_ADDRESSES_PATH = `${PEOPLE_PATH}/addresses`;
const section = 'account';

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
    const user = await readPerson(this.ports, customerOf(context), id);
    const isSelf = user.id === personOf(context).user.id;
    const who = user.email ?? 'the first owner';
    const page = (
      <Confirm
        title={isSelf ? 'Remove yourself?' : `Remove ${who}?`}
        action={`/settings/account/people/${user.id}/remove`}
        button="Remove"
        back="/settings/account/people"
      >
        <p>{`${isSelf ? 'You lose' : 'The person loses'} access immediately, in every browser. Photos, imports and keys are not affected.`}</p>
        {!isSelf && <p class="soft">Keys that the person may have seen continue to work. Delete those, too.</p>}
      </Confirm>
    );
    return this.render(context, { title: 'Remove a person', section }, page);
  }

  @Post(':id/remove')
  async remove(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    const user = await readPerson(this.ports, customerOf(context), id);
    try {
      await removeUser(this.ports, peopleManager(context), id);
      return redirectTo(context, PEOPLE_PATH, { kind: 'done', text: `${nameOf(user)} no longer has access.` });
    } catch (error) {
      return await this.page(context, { failed: problemsOf(error) });
    }
  }

  /** Whether a provider may bring new people. */
  @Post('by-provider')
  @RequireRole('owner', { confirmed: true })
  async editNewPeople(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const isAllowed = context.form.text('allowed', FieldLength.word) === 'yes';
    await editNewPeople(this.ports, callerOfPage(context), isAllowed);
    const text = isAllowed
      ? 'New people can now join through single sign-on.'
      : 'New people can no longer join through single sign-on. Everyone who has access keeps it.';
    return redirectTo(context, PEOPLE_PATH, { kind: 'done', text });
  }

  /** Whether everyone needs a second factor. */
  @Post('two-step')
  @RequireRole('owner', { confirmed: true })
  requireFactors(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const day = context.form.text('from', FieldLength.word).trim();
    return redirectAfter(context, PEOPLE_PATH, async () => {
      const changed = await requireFactors(this.ports, personOf(context), day, context.clientIp);
      const isOptional = changed.factorsRequiredFrom === null;
      return { text: isOptional ? 'Two-step sign-in is optional.' : `Everyone needs two-step sign-in from ${day} on.` };
    });
  }

  private invitation(context: PageContext, invitation: Invitation): Reply {
    const { user, link, isMailed } = invitation;
    const who = user.email ?? 'the first owner';
    return this.render(
      context,
      { title: 'A link', section, scripts: ['copy.js', 'no-resend.js'] },
      <>
        <Heading title={`A link for ${who}`} />
        <section class="card">
          <p>
            {isMailed
              ? `A mail to ${who} contains it. If the mail does not arrive, pass it on yourself.`
              : 'No one else gets it: pass it on yourself.'}
          </p>
          <p class="lead">
            {`Give it only to ${who}: the first person to open it is signed in as ${user.role}. It works once, within ${LINK_DAYS} days, and is shown only now.`}
          </p>
          <Copyable id="link" text={link} />
          <Copied />
          <ContinueLink href="/settings/account/people" label="Done" kind="primary" />
        </section>
      </>,
    );
  }

  /** @param problems Of the invitation, to be shown in its form; or of something else, to be shown at the top. */
  private async page(context: PageContext, problems: { refused?: Problems; failed?: Problems } = {}): Promise<Reply> {
    const { refused = null, failed = null } = problems;
    const flash = failed && ({ kind: 'failed', text: failed.message } as const);
    const { users, withFactor, identities, customer } = await readPeople(this.ports, customerOf(context));
    const newPeopleBy = providerOfNewPeople(this.ports.identityProviders, customerOf(context));
    const isMailed = this.ports.mailer !== null;
    const self = personOf(context).user;
    const { form } = context;
    const manageable = roles.filter((role) => mayManage(self, role)).reverse();
    const rows = users.map((user) => ({
      key: user.id,
      cells: [
        <>
          <span class="strong">{user.email ?? 'First owner'}</span>
          {user.id === self.id && <Badge tone="good">You</Badge>}
          {identities.some(({ userId }) => userId === user.id) && <Badge tone="good">Single sign-on</Badge>}
          {user.joinedAt === null && <Badge tone="warn">Invited</Badge>}
        </>,
        named(user.role),
        withFactor.has(user.id) ? 'Yes' : 'No',
        <Moment at={user.lastSignInAt} none="Never" />,
        mayManage(self, user.role) ? (
          <PersonActions
            user={user}
            roles={manageable}
            identities={identities.filter(({ userId }) => userId === user.id && userId !== self.id)}
          />
        ) : null,
      ],
    }));
    const columns = ['Person', 'Role', 'Two-step sign-in', 'Last sign-in', ''];
    const count = customer.settingsIpList.length;
    const { factorsRequiredFrom: from, defaultTimeZone } = customer;
    const day = from?.toLocaleDateString('sv-SE', { timeZone: defaultTimeZone }) ?? '';
    const view = (
      <>
        <Heading
          title="People"
          lead={Object.entries(roleMeanings)
            .map(([role, meaning]) => `${named(role)}: ${meaning}.`)
            .join(' ')}
        />
        <Table caption="People with access to this account" columns={columns} rows={rows} />
        <Card
          title="Invite a person"
          lead={`${isMailed ? 'The person gets a link by mail, and you see it, too' : 'You get a link to pass on in any way you trust'}. It works once, within ${LINK_DAYS} days.`}
        >
          <Form action="/settings/account/people" label="Invite a person">
            <ProblemSummary problems={refused} />
            <div class="inline">
              <Field
                label="E-mail address"
                name="email"
                errors={refused}
                input={{
                  type: 'email',
                  value: refused ? form.text('email', FieldLength.line) : '',
                  required: true,
                  maxLength: MAX_EMAIL,
                  autocomplete: 'off',
                }}
              />
              <Field
                label="Role"
                name="role"
                input={{ value: refused ? form.text('role', FieldLength.word) : 'editor' }}
                choices={manageable.map((role) => [role, named(role)])}
              />
            </div>
            <Buttons label={isMailed ? 'Invite' : 'Create link'} />
          </Form>
        </Card>
        <Allowed least="owner">
          {newPeopleBy !== null && <NewPeopleCard customer={customer} provider={newPeopleBy} />}
          <FormCard
            title="Two-step sign-in for everyone"
            lead="From that day on, people who have not set it up see only the page on which they can. Until then a notice says so. API keys are not affected."
            action="/settings/account/people/two-step"
            label="Two-step sign-in for everyone"
            button="Save"
          >
            <Field
              label="Required from"
              name="from"
              hint={`A day in the time zone ${defaultTimeZone}. Empty: everyone decides alone.`}
              input={{ type: 'date', value: day }}
            />
          </FormCard>
          <Card
            title="Allowed addresses"
            lead={
              count === 0
                ? 'The settings area can be used from anywhere.'
                : `The settings area can be used from ${count === 1 ? 'one address or range' : `${count} addresses and ranges`} alone.`
            }
          >
            <ContinueLink href={SETTINGS_ADDRESSES_PATH} label="Change…" />
          </Card>
        </Allowed>
      </>
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

function named(role: string): string {
  return role[0]?.toUpperCase() + role.slice(1);
}

function PersonActions(props: { user: User; roles: readonly Role[]; identities: readonly Identity[] }) {
  const { user, roles, identities } = props;
  const path = `/settings/account/people/${user.id}`;
  const who = <span class="unseen">{` ${user.email ?? 'first owner'}`}</span>;
  return (
    <div class="actions">
      <Form action={`${path}/role`}>
        <select name="role" aria-label={`Role of ${user.email ?? 'first owner'}`}>
          <Options choices={roles.map((role) => [role, named(role)])} chosen={user.role} />
        </select>
        <button class="quiet" type="submit">
          Change role{who}
        </button>
      </Form>
      <Form action={`${path}/link`}>
        <button class="quiet" type="submit">
          Create link{who}
        </button>
      </Form>
      {identities.map(({ id }) => (
        <Unlink key={id} id={id} whose={` of ${user.email ?? 'first owner'}`} />
      ))}
      <a class="dangerous" href={`${path}/remove`}>
        Remove{who}
      </a>
    </div>
  );
}

/** Where the operator has made it possible. */
function NewPeopleCard({ customer, provider }: { customer: Customer; provider: ProviderSettings }) {
  const { admitsNewPeople } = customer;
  const { name, domains, role } = provider;
  const who = `Anyone who signs in at ${name} with an address of ${domains.join(', ')} becomes one of the people of this account without an invitation, as ${withArticle(role)} unless groups say otherwise.`;
  return (
    <Card
      title="New people by single sign-on"
      lead={`${admitsNewPeople ? 'On' : 'Off'}. ${admitsNewPeople ? who : `If you allow it: ${who}`}`}
    >
      <Form action={`${PEOPLE_PATH}/by-provider`} label="New people by single sign-on">
        <div class="buttons">
          <Button name="allowed" value={admitsNewPeople ? 'no' : 'yes'}>
            {admitsNewPeople ? 'Disable' : 'Allow'}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
