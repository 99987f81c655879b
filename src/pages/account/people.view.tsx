import type { KeyAddress } from '../../core/access/api-key.js';
import type { Customer } from '../../core/customers/customer.js';
import type { Id } from '../../core/shared/ids.js';
import type { ProviderSettings } from '../../core/users/identity-provider.js';
import type { Invitation } from '../../core/users/people/one-time-link.js';
import type { Identity } from '../../core/users/provider/identity.js';
import { LINK_DAYS, MAX_EMAIL, mayManage, type Role, roles, type User } from '../../core/users/user.js';
import { roleMeanings, withArticle } from '../../http/fields/meanings.js';
import { Button, Field, Form, Options, ProblemSummary, type Problems, type SentForm } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { IpListField } from '../ip-list-field.js';
import { Allowed } from '../page-context.js';
import { Badge, Buttons, Card, Confirm, ContinueLink, Copied, Copyable, Heading, Moment, Table } from '../parts.js';
import { FormCard, ShownValues } from '../resource-form.js';
import { Unlink } from './account.view.js';

export const PEOPLE_PATH = '/settings/account/people';

export const NEW_PEOPLE_PATH = `${PEOPLE_PATH}/by-provider`;

export const SETTINGS_ADDRESSES_PATH = `${PEOPLE_PATH}/addresses`;

interface ListProps extends SentForm {
  readonly users: readonly User[];
  readonly withFactor: ReadonlySet<Id>;
  /** By which those sign in who do so at a provider. */
  readonly identities: readonly Identity[];
  readonly customer: Customer;
  /** By which new people can come; null: by none. */
  readonly newPeopleBy: ProviderSettings | null;
  /** Links are also sent by mail. */
  readonly isMailed: boolean;
  readonly self: Pick<User, 'id' | 'role'>;
}

export function PeopleList(props: ListProps) {
  const { users, withFactor, identities, customer, newPeopleBy, isMailed, self, problems, form } = props;
  // From the most to the least.
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
  // The Swedish way of writing a day is that of ISO 8601.
  const day = from?.toLocaleDateString('sv-SE', { timeZone: defaultTimeZone }) ?? '';
  return (
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
          <ProblemSummary problems={problems} />
          <div class="inline">
            <Field
              label="E-mail address"
              name="email"
              errors={problems}
              input={{
                type: 'email',
                value: problems ? form.text('email', FieldLength.line) : '',
                required: true,
                maxLength: MAX_EMAIL,
                autocomplete: 'off',
              }}
            />
            <Field
              label="Role"
              name="role"
              input={{ value: problems ? form.text('role', FieldLength.word) : 'editor' }}
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
}

function named(role: string): string {
  return role[0]?.toUpperCase() + role.slice(1);
}

type ActionsProps = Pick<ListProps, 'identities'> & { readonly user: User; readonly roles: readonly Role[] };

function PersonActions({ user, roles, identities }: ActionsProps) {
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

/** The only page that ever shows a link. */
export function InvitationMade({ user, link, isMailed }: Invitation) {
  const who = user.email ?? 'the first owner';
  return (
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
    </>
  );
}

export function RemovePerson({ user, isSelf }: { user: User; isSelf: boolean }) {
  const who = user.email ?? 'the first owner';
  return (
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
      <Form action={NEW_PEOPLE_PATH} label="New people by single sign-on">
        <div class="buttons">
          <Button name="allowed" value={admitsNewPeople ? 'no' : 'yes'}>
            {admitsNewPeople ? 'Disable' : 'Allow'}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

const LEAD =
  'People sign in and use the settings area from these addresses alone. API keys have lists of their own; shares and signed links work from anywhere.';

export interface AddressesForm {
  readonly value: string;
  readonly shown: string;
  readonly problems: Problems | null;
  readonly locksOut: readonly string[];
}

interface AddressesProps extends AddressesForm {
  readonly addresses: readonly Pick<KeyAddress, 'address'>[];
  readonly clientIp: string;
}

export function SettingsAddresses({ problems, shown, ...props }: AddressesProps) {
  const isOwn = props.locksOut.includes(props.clientIp);
  return (
    <>
      <Heading title="Allowed addresses" lead={LEAD} />
      <Form action={SETTINGS_ADDRESSES_PATH} class="card">
        <ShownValues fields={{ ipList: shown }} />
        <ProblemSummary problems={problems} />
        <IpListField
          anywhere="If empty, the settings area can be used from anywhere."
          used="the settings area was used"
          problems={problems}
          warning={
            isOwn ? 'Yours is among them. From there, only the operator of this service can let you in again.' : null
          }
          {...props}
        />
        <Buttons label="Save" cancel={PEOPLE_PATH} />
      </Form>
    </>
  );
}
