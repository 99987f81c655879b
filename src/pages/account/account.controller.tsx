import { Controller, Get, Post } from '@nestjs/common';
import { type Customer, MAX_CUSTOMER_NAME, MAX_RETENTION_DAYS } from '../../core/customers/customer.js';
import { editCustomer, readCustomer } from '../../core/customers/edit-customer.js';
import { countryName } from '../../core/photos/places.js';
import type { Id } from '../../core/shared/ids.js';
import { browserName } from '../../core/users/notify-person.js';
import { requestEmailChange } from '../../core/users/people/email.js';
import { changePassword } from '../../core/users/people/new-password.js';
import { listIdentities } from '../../core/users/provider/identity.js';
import {
  type ListedSession,
  listSessions,
  maySetPassword,
  revokeOtherSessions,
  revokeSession,
} from '../../core/users/session.js';
import { MAX_EMAIL, type User } from '../../core/users/user.js';
import { RequireRole } from '../../http/access.js';
import { withArticle } from '../../http/fields/meanings.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import {
  CodeField,
  Field,
  Form,
  NewPasswordField,
  PASSWORD_INPUT,
  type Problems,
  problemsOf,
  type SentForm,
  TimeZoneField,
  UserName,
} from '../form.js';
import { FieldLength } from '../form-fields.js';
import { requireConfirmed } from '../guards/page-guards.js';
import { PageController, redirectTo } from '../page.js';
import {
  Allowed,
  CurrentPageContext,
  callerOfPage,
  InNavigation,
  type PageContext,
  personOf,
} from '../page-context.js';
import { Badge, Buttons, Card, ContinueLink, Heading, LinkButton, Moment, Table } from '../parts.js';
import {
  canUsePasskey,
  PASSKEY_SCRIPT,
  PasskeyButton,
  PasskeyNotes,
  passkeyAnswerOf,
  passkeyQuestions,
} from '../passkeys/passkeys.js';
import { editsOf, FormCard } from '../resource-form.js';
import { IdentitiesCard } from './identities.controller.js';

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
    if (trashRetentionDays !== customer.trashRetentionDays) await requireConfirmed(this.ports, context);
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
    if (person.user.passwordHash === null && !person.hasFactor) await requireConfirmed(this.ports, context);
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
    const { form } = context;
    // A person who has just signed in by a link does not need the current password.
    const mayOmitCurrent = maySetPassword(person, this.ports.clock.now());
    const isMailed = this.ports.mailer !== null;
    const providers = this.ports.identityProviders;
    const isOwner = person.user.role === 'owner';
    const problemsIn = (name: string) => (refused?.form === name ? refused.problems : null);
    const { email, passwordHash } = person.user;
    const emailProblems = problemsIn('email');
    const use = passwordHash === null ? 'The service sends e-mail to it.' : 'You sign in with it.';
    const title = 'Your e-mail address';
    const problems = problemsIn('password');
    const stolen = passwordHash === null ? 'a session there that someone left open' : 'a stolen password';
    const usesPasskey = (await canUsePasskey(this.ports, person)) && !mayOmitCurrent;
    return this.render(
      context,
      { title: 'Account', section: 'account', scripts, problems: refused?.problems },
      <>
        <Heading
          title="Account"
          lead={isOwner ? undefined : `You are ${withArticle(person.user.role)} of ${customer.name}.`}
        >
          <Allowed least="admin">
            <LinkButton href="/settings/account/people" label="People" />
          </Allowed>
        </Heading>
        {isOwner && <CustomerCard customer={customer} problems={problemsIn('account')} form={form} />}
        <FormCard title={title} action="/settings/account/email" label={title} button="Save">
          <Field
            label="E-mail address"
            name="email"
            hint={`${use}${isMailed ? ' A new one counts once you have opened the link that we send there.' : ''}`}
            errors={emailProblems}
            input={{
              type: 'email',
              value: emailProblems ? form.text('email', FieldLength.line) : (email ?? ''),
              required: true,
              maxLength: MAX_EMAIL,
              autocomplete: 'username',
            }}
          />
        </FormCard>
        <Card title="Your password">
          <Form action="/settings/account/password" label="Your password">
            <UserName email={person.user.email} />
            {!mayOmitCurrent && !person.hasFactor && passwordHash !== null && (
              <Field label="Current password" name="current" errors={problems} input={PASSWORD_INPUT} />
            )}
            {!mayOmitCurrent && person.hasFactor && (
              <CodeField name="current" hint="From your authenticator app, or a recovery code." errors={problems} />
            )}
            <NewPasswordField label="New password" errors={problems} />
            {problems?.code === 'rate_limited' && <p class="error">{problems.message}</p>}
            <Buttons label={passwordHash === null ? 'Set password' : 'Change password'}>
              {usesPasskey && <PasskeyButton from={passkeyQuestions.again} label="Change it with a passkey" />}
            </Buttons>
            {usesPasskey && <PasskeyNotes />}
          </Form>
        </Card>
        <IdentitiesCard identities={identities} providers={providers} hasPassword={passwordHash !== null} />
        <Card title="Two-step sign-in">
          <p>
            {person.hasFactor
              ? `You sign in ${onlyProofOf(person.user)} and with a second factor. A passkey can replace both.`
              : `You sign in ${onlyProofOf(person.user)} alone. With a passkey or a code of an app in addition, ${stolen} is not enough.`}
          </p>
          <ContinueLink href="/settings/account/factors" label={person.hasFactor ? 'Manage' : 'Set up…'} />
        </Card>
        <SessionsCard sessions={sessions} current={person.session.id} />
        {isOwner && (
          <Card title="Download everything">
            <p>
              One ZIP file contains the whole library: all originals byte for byte in folders by month, XMP sidecars,
              all fields and tags, checksums, and pages to look at it without a server. Unpacked, it is brought back by{' '}
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
            Two files contain everything about your photos and tags, including the trash: one JSON object per line, as
            the API represents it, with the path of each original.
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
            Download the originals, byte for byte, with the command line and a key that can read: <code>phs login</code>
            , then <code>phs download --all --to FOLDER</code>. After an interruption it continues where it stopped.
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
      </>,
    );
  }
}

function accountFields({ name, defaultTimeZone, trashRetentionDays }: Customer) {
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

/** Returns what a person without a second factor signs in with. */
export function onlyProofOf({ passwordHash }: Pick<User, 'passwordHash'>): string {
  return passwordHash === null ? 'at a provider' : 'with your password';
}
