import { type Customer, MAX_CUSTOMER_NAME, MAX_RETENTION_DAYS } from '../../core/customers/customer.js';
import { countryName } from '../../core/photos/places.js';
import type { IdentityProviders } from '../../core/users/identity-provider.js';
import { browserName } from '../../core/users/notify-person.js';
import type { Identity } from '../../core/users/provider/identity.js';
import type { KnownSession, ListedSession } from '../../core/users/session.js';
import { MAX_EMAIL, type User } from '../../core/users/user.js';
import { withArticle } from '../../http/fields/meanings.js';
import {
  CodeField,
  Field,
  Form,
  NewPasswordField,
  PASSWORD_INPUT,
  type Problems,
  type SentForm,
  TimeZoneField,
  UserName,
} from '../form.js';
import { FieldLength } from '../form-fields.js';
import { Allowed } from '../page-context.js';
import { Badge, Buttons, Card, ContinueLink, Heading, LinkButton, Moment, Table } from '../parts.js';
import { PasskeyButton, PasskeyNotes, passkeyQuestions } from '../passkeys/passkeys.js';
import { FormCard } from '../resource-form.js';

interface AccountProps extends Pick<SentForm, 'form'>, Omit<PasswordProps, 'problems'> {
  readonly customer: Customer;
  readonly sessions: readonly ListedSession[];
  readonly identities: readonly Identity[];
  readonly providers: IdentityProviders;
  readonly refused: { readonly form: string; readonly problems: Problems } | null;
  /** A new address is confirmed by mail. */
  readonly isMailed: boolean;
}

export function AccountPage(props: AccountProps) {
  const { customer, person, sessions, identities, providers, refused, form } = props;
  const { isMailed, mayOmitCurrent, offersPasskeys } = props;
  const isOwner = person.user.role === 'owner';
  const problemsOf = (name: string) => (refused?.form === name ? refused.problems : null);
  const problems = problemsOf('email');
  const { email, passwordHash } = person.user;
  const use = passwordHash === null ? 'The service sends e-mail to it.' : 'You sign in with it.';
  const title = 'Your e-mail address';
  return (
    <>
      <Heading
        title="Account"
        lead={isOwner ? undefined : `You are ${withArticle(person.user.role)} of ${customer.name}.`}
      >
        <Allowed least="admin">
          <LinkButton href="/settings/account/people" label="People" />
        </Allowed>
      </Heading>
      {isOwner && <CustomerCard customer={customer} problems={problemsOf('account')} form={form} />}
      <FormCard title={title} action="/settings/account/email" label={title} button="Save">
        <Field
          label="E-mail address"
          name="email"
          hint={`${use}${isMailed ? ' A new one counts once you have opened the link that we send there.' : ''}`}
          errors={problems}
          input={{
            type: 'email',
            value: problems ? form.text('email', FieldLength.line) : (email ?? ''),
            required: true,
            maxLength: MAX_EMAIL,
            autocomplete: 'username',
          }}
        />
      </FormCard>
      <PasswordCard {...{ person, mayOmitCurrent, offersPasskeys }} problems={problemsOf('password')} />
      <IdentitiesCard identities={identities} providers={providers} hasPassword={person.user.passwordHash !== null} />
      <FactorsCard person={person} />
      <SessionsCard sessions={sessions} current={person.session.id} />
      {isOwner && (
        <Card title="Download everything">
          <p>
            One ZIP file contains the whole library: all originals byte for byte in folders by month, XMP sidecars, all
            fields and tags, checksums, and pages to look at it without a server. Unpacked, it is brought back by{' '}
            <code>phs import --from photo-service FOLDER</code>. Photos in the trash are not part of it.
          </p>
          <div class="buttons" id="export">
            <a class="button plain" href="/settings/account/export/library.zip" download>
              Download library.zip
            </a>
          </div>
          <p class="hint below">
            It is as large as the library. A download that is interrupted starts again from its beginning; for a large
            library use <code>phs export FOLDER</code> instead, which continues where it stopped.
          </p>
        </Card>
      )}
      <Card title="Export lists">
        <p>
          Two files contain everything about your photos and tags, including the trash: one JSON object per line, as the
          API represents it, with the path of each original.
        </p>
        <div class="buttons">
          <a class="button plain" href="/settings/account/export/photos.jsonl" download>
            Download photos.jsonl
          </a>
          <a class="button plain" href="/settings/account/export/tags.jsonl" download>
            Download tags.jsonl
          </a>
        </div>
        <p class="hint below">
          Download the originals, byte for byte, with the command line and a key that can read: <code>phs login</code>,
          then <code>phs download --all --to FOLDER</code>. After an interruption it continues where it stopped.
        </p>
      </Card>
      {isOwner && (
        <Card title="Erase the account">
          <p>
            This permanently deletes all photos of {customer.name}, and everything else in it. You will be asked to
            confirm.
          </p>
          <div class="buttons">
            <a class="button plain dangerous" href="/settings/account/erase">
              Erase the account…
            </a>
          </div>
        </Card>
      )}
    </>
  );
}

export function accountFields({ name, defaultTimeZone, trashRetentionDays }: Customer) {
  return { name, timeZone: defaultTimeZone, trashRetentionDays: String(trashRetentionDays) };
}

function CustomerCard({ customer, problems, form }: SentForm & { customer: Customer }) {
  const valueFor = (name: string, value: string) => (problems ? form.text(name, FieldLength.line) : value);
  const [title, shown] = ['The account', accountFields(customer)];
  return (
    <FormCard title={title} action="/settings/account" label={title} shown={shown} button="Save">
      <Field
        label="Name"
        name="name"
        errors={problems}
        input={{
          value: valueFor('name', customer.name),
          required: true,
          maxLength: MAX_CUSTOMER_NAME,
          autocomplete: 'organization',
        }}
      />
      <TimeZoneField
        label="Default time zone"
        name="timeZone"
        hint="For photos whose files name no time zone; months and days of the library are those of this zone."
        errors={problems}
        input={{ value: valueFor('timeZone', customer.defaultTimeZone), required: true }}
      />
      <Field
        label="Days in the trash"
        name="trashRetentionDays"
        hint="How long a deleted photo can be restored. Photos already in the trash keep their deletion date."
        errors={problems}
        input={{
          type: 'number',
          value: valueFor('trashRetentionDays', String(customer.trashRetentionDays)),
          min: 1,
          max: MAX_RETENTION_DAYS,
          required: true,
        }}
      />
    </FormCard>
  );
}

function SessionsCard({ sessions, current }: { sessions: readonly ListedSession[]; current: number }) {
  const rows = sessions.map((session) => ({
    key: session.id,
    cells: [
      <>
        {browserName(session.browser)} {session.id === current && <Badge tone="good">This browser</Badge>}
      </>,
      <>
        {session.address}
        {session.country && <p class="hint">{countryName(session.country)}</p>}
      </>,
      <Moment at={session.lastSeenAt} />,
      <Moment at={session.startedAt} />,
      session.id === current ? null : (
        <div class="actions">
          <Form action={`/settings/account/sessions/${session.id}/end`}>
            <button class="quiet" type="submit">
              Sign out<span class="unseen">{` ${browserName(session.browser)} at ${session.address}`}</span>
            </button>
          </Form>
        </div>
      ),
    ],
  }));
  return (
    <Card title="Signed-in browsers">
      <Table caption="Signed-in browsers" columns={['Browser', 'Address', 'Last seen', 'Since', '']} rows={rows} />
      {sessions.some(({ country }) => country !== null) && (
        <p class="hint below">Countries are those in which the addresses are registered. A browser may be elsewhere.</p>
      )}
      {sessions.length > 1 && (
        <Form action="/settings/account/sessions/end-others">
          <Buttons label="Sign out everywhere else" kind="plain" />
        </Form>
      )}
    </Card>
  );
}

interface PasswordProps {
  readonly person: KnownSession;
  /** A person who has just signed in by a link does not need the current password. */
  readonly mayOmitCurrent: boolean;
  readonly offersPasskeys: boolean;
  readonly problems: Problems | null;
}

function PasswordCard({ person, mayOmitCurrent, offersPasskeys, problems }: PasswordProps) {
  const usesPasskey = offersPasskeys && !mayOmitCurrent;
  return (
    <Card title="Your password">
      <Form action="/settings/account/password" label="Your password">
        <UserName email={person.user.email} />
        {!mayOmitCurrent && !person.hasFactor && person.user.passwordHash !== null && (
          <Field label="Current password" name="current" errors={problems} input={PASSWORD_INPUT} />
        )}
        {!mayOmitCurrent && person.hasFactor && (
          <CodeField name="current" hint="From your authenticator app, or a recovery code." errors={problems} />
        )}
        <NewPasswordField label="New password" errors={problems} />
        {problems?.code === 'rate_limited' && <p class="error">{problems.message}</p>}
        <Buttons label={person.user.passwordHash === null ? 'Set password' : 'Change password'}>
          {usesPasskey && <PasskeyButton from={passkeyQuestions.again} label="Change it with a passkey" />}
        </Buttons>
        {usesPasskey && <PasskeyNotes />}
      </Form>
    </Card>
  );
}

/** Returns what a person without a second factor signs in with. */
export function onlyProofOf({ passwordHash }: Pick<User, 'passwordHash'>): string {
  return passwordHash === null ? 'at a provider' : 'with your password';
}

function FactorsCard({ person: { user, hasFactor } }: { person: Pick<KnownSession, 'user' | 'hasFactor'> }) {
  const stolen = user.passwordHash === null ? 'a session there that someone left open' : 'a stolen password';
  return (
    <Card title="Two-step sign-in">
      <p>
        {hasFactor
          ? `You sign in ${onlyProofOf(user)} and with a second factor. A passkey can replace both.`
          : `You sign in ${onlyProofOf(user)} alone. With a passkey or a code of an app in addition, ${stolen} is not enough.`}
      </p>
      <ContinueLink href="/settings/account/factors" label={hasFactor ? 'Manage' : 'Set up…'} />
    </Card>
  );
}

interface IdentitiesProps {
  readonly identities: readonly Identity[];
  readonly providers: IdentityProviders;
  readonly hasPassword: boolean;
}

function IdentitiesCard({ identities, providers, hasPassword }: IdentitiesProps) {
  if (identities.length === 0) return null;
  const rows = identities.map(({ id, issuer, linkedAt, lastUsedAt }) => ({
    key: id,
    cells: [
      <span class="strong">{nameOf(providers, issuer)}</span>,
      <Moment at={linkedAt} />,
      <Moment at={lastUsedAt} />,
      hasPassword ? <Unlink id={id} whose="" /> : null,
    ],
  }));
  return (
    <Card
      title="Sign-in by a provider"
      lead={hasPassword ? undefined : 'You have no password. Set one before you unlink the provider.'}
    >
      <Table caption="Providers at which you sign in" columns={['Provider', 'Linked', 'Last used', '']} rows={rows} />
    </Card>
  );
}

/** One that is no longer configured has no name here. */
function nameOf(providers: IdentityProviders, issuer: string): string {
  return providers.find(({ settings }) => settings.issuer === issuer)?.settings.name ?? new URL(issuer).host;
}

export function Unlink({ id, whose }: { id: number; whose: string }) {
  return (
    <Form action={`/settings/account/identities/${id}/unlink`}>
      <button class="quiet" type="submit">
        Unlink provider<span class="unseen">{whose}</span>
      </button>
    </Form>
  );
}
