import type { Invitation } from '../../../core/users/invite-user.js';
import { mayManage, type Role, roles } from '../../../core/users/role.js';
import { LINK_DAYS, MAX_EMAIL, type User } from '../../../core/users/user.js';
import { roleMeanings } from '../../fields/role-meanings.js';
import { Button, Field, Form, ProblemSummary, type Problems } from '../form.js';
import type { FormFields } from '../form-fields.js';
import { Badge, Card, Confirm, Heading, Moment, Table } from '../parts.js';

interface ListProps {
  readonly users: readonly User[];
  /** Who sees the page. */
  readonly self: Pick<User, 'id' | 'role'>;
  readonly problems: Problems | null;
  /** The values of the refused form. */
  readonly form: FormFields;
}

export function PeopleList({ users, self, problems, form }: ListProps) {
  const manageable = rolesFor(self);
  const rows = users.map((user) => ({
    key: user.id,
    cells: [
      <>
        <span class="strong">{user.email ?? 'First owner'}</span>
        {user.id === self.id && <Badge tone="good">You</Badge>}
        {user.joinedAt === null && <Badge tone="warn">Invited</Badge>}
      </>,
      named(user.role),
      <Moment at={user.lastSignInAt} none="Never" />,
      mayManage(self, user.role) ? <PersonActions user={user} roles={manageable} /> : null,
    ],
  }));
  const columns = ['Person', 'Role', 'Last sign-in', ''];
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
        lead={`You get a link to pass on in any way you trust. It works once, within ${LINK_DAYS} days.`}
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
                value: problems ? form.text('email') : '',
                required: true,
                maxLength: MAX_EMAIL,
                autocomplete: 'off',
              }}
            />
            <Field
              label="Role"
              name="role"
              input={{ value: problems ? form.text('role') : 'editor' }}
              choices={manageable.map((role) => [role, named(role)])}
            />
          </div>
          <div class="buttons">
            <Button>Create a link</Button>
          </div>
        </Form>
      </Card>
    </>
  );
}

/** Those that a person may give, from the most to the least. */
function rolesFor(self: Pick<User, 'role'>): readonly Role[] {
  return roles.filter((role) => mayManage(self, role)).reverse();
}

function named(role: string): string {
  return role[0]?.toUpperCase() + role.slice(1);
}

function PersonActions({ user, roles }: { user: User; roles: readonly Role[] }) {
  const path = `/settings/account/people/${user.id}`;
  const who = <span class="unseen">{` ${user.email ?? 'first owner'}`}</span>;
  return (
    <div class="actions">
      <Form action={`${path}/role`}>
        <select name="role" aria-label={`Role of ${user.email ?? 'first owner'}`}>
          {roles.map((role) => (
            <option key={role} value={role} selected={role === user.role}>
              {named(role)}
            </option>
          ))}
        </select>
        <button class="quiet" type="submit">
          Change role{who}
        </button>
      </Form>
      <Form action={`${path}/link`}>
        <button class="quiet" type="submit">
          New link{who}
        </button>
      </Form>
      <a class="dangerous" href={`${path}/remove`}>
        Remove{who}
      </a>
    </div>
  );
}

/** The only page that ever shows a link. */
export function InvitationMade({ user, link }: Invitation) {
  const who = user.email ?? 'the first owner';
  return (
    <>
      <Heading title={`A link for ${who}`} />
      <section class="card">
        <p class="lead">
          {`Give it only to ${who}: the first person to open it is signed in as ${user.role}. It works once, within ${LINK_DAYS} days, and is shown only now.`}
        </p>
        <div class="secret">
          <code id="link">{link}</code>
          <button class="button plain" type="button" data-copy="link" hidden>
            Copy
          </button>
        </div>
        <p class="unseen" id="copied" role="status" />
        <div class="buttons">
          <a class="button primary" href="/settings/account/people">
            Done
          </a>
        </div>
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
