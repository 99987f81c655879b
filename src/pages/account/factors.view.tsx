import type { Enrolment } from '../../core/users/factors/add.js';
import type { Passkey } from '../../core/users/factors/passkey.js';
import { type AuthenticatorApp, MAX_FACTOR_NAME, MAX_FACTORS } from '../../core/users/factors/second-factor.js';
import type { User } from '../../core/users/user.js';
import { CodeField, Field, Form, ProblemSummary, type Problems, type SentForm } from '../form.js';
import { FieldLength } from '../form-fields.js';
import {
  Buttons,
  Card,
  ContinueLink,
  Copied,
  Copyable,
  Empty,
  Heading,
  LinkButton,
  Moment,
  QrCode,
  Table,
} from '../parts.js';
import {
  NEW_PASSKEY_FIELD,
  PASSKEYS_PATH,
  PasskeyButton,
  PasskeyNotes,
  passkeyQuestions,
} from '../passkeys/passkeys.js';
import { onlyProofOf } from './password.view.js';

const HERE = '/settings/account/factors';

interface FactorsProps {
  readonly apps: readonly AuthenticatorApp[];
  readonly passkeys: readonly Passkey[];
  readonly codesLeft: number;
  readonly user: User;
  /** They work at the address of this service. */
  readonly offersPasskeys: boolean;
}

export function FactorsPage({ apps, passkeys, codesLeft, offersPasskeys, user }: FactorsProps) {
  const count = apps.length + passkeys.length;
  const mayAdd = count < MAX_FACTORS;
  return (
    <>
      <Heading
        title="Two-step sign-in"
        lead="After your password, or after a provider, you use a passkey or enter a code that an app on your phone or computer shows. A stolen password is not enough then."
      />
      <Card
        title="Passkeys"
        lead="Your device, password manager or security key keeps a passkey, and uses it on this site only: no other site can trick you into revealing it."
      >
        {passkeys.length > 0 && <Factors caption="Passkeys" factors={passkeys} path={PASSKEYS_PATH} />}
        {!offersPasskeys && (
          <p>
            They do not work at the address of this service: browsers require a name, not an IP address, and TLS, or{' '}
            <code>localhost</code>. The operator chooses the address with <code>PUBLIC_URL</code>.
          </p>
        )}
        {offersPasskeys && mayAdd && (
          <Form action={`${PASSKEYS_PATH}/new`}>
            <Buttons label="Add a passkey" />
          </Form>
        )}
      </Card>
      <Card title="Authenticator apps">
        {apps.length === 0 ? (
          <Empty title={count === 0 ? `You sign in ${onlyProofOf(user)} alone` : 'You have no authenticator app'}>
            <p>Any app for one-time codes will do; many password managers are one, too.</p>
          </Empty>
        ) : (
          <Factors caption="Authenticator apps" factors={apps} path={HERE} />
        )}
        {mayAdd && (
          <Form action={`${HERE}/new`}>
            <Buttons label="Add an app" />
          </Form>
        )}
      </Card>
      {count > 0 && (
        <Card title="Recovery codes">
          <p>
            {codesLeft === 0 ? 'None is' : codesLeft === 1 ? 'One is' : `${codesLeft} are`} left. Each lets you in once
            when you have neither passkey nor app.
          </p>
          <Form action={`${HERE}/recovery-codes`}>
            <Buttons label="Create new codes" kind="plain" />
          </Form>
        </Card>
      )}
    </>
  );
}

interface TableProps {
  readonly caption: string;
  readonly factors: readonly (AuthenticatorApp | Passkey)[];
  readonly path: string;
}

function Factors({ caption, factors, path }: TableProps) {
  const rows = factors.map((factor) => ({
    key: factor.id,
    cells: [
      <>
        <span class="strong">{factor.name}</span>
        {'signsInAlone' in factor && factor.signsInAlone && <span class="hint"> Also without the password</span>}
      </>,
      <Moment at={factor.lastUsedAt} />,
      <Moment at={factor.createdAt} />,
      <div class="actions">
        <a class="dangerous" href={`${path}/${factor.id}/remove`}>
          Remove<span class="unseen">{` ${factor.name}`}</span>
        </a>
      </div>,
    ],
  }));
  return <Table caption={caption} columns={['Name', 'Last used', 'Added', '']} rows={rows} />;
}

export function NewFactor({ enrolment, problems, form }: SentForm & { enrolment: Enrolment }) {
  return (
    <>
      <Heading title="Add an authenticator app" />
      <section class="card">
        {!problems?.isOfFields && <ProblemSummary problems={problems} />}
        <p class="lead">Scan this with the app, or enter the key into it. Then enter the code that it shows.</p>
        <QrCode text={enrolment.uri} label="QR code with the key" />
        <Copyable id="secret" text={enrolment.secret} />
        <Copied />
        <Form action={HERE} label="Add an authenticator app">
          <input type="hidden" name="enrolment" value={enrolment.sealed} />
          <NameField hint="To tell several apps apart." first="Phone" problems={problems} form={form} />
          <CodeField errors={problems} input={{ inputMode: 'numeric', autocapitalize: undefined }} />
          <Buttons label="Add" cancel={HERE} />
        </Form>
      </section>
    </>
  );
}

/** @param first The name that the field has at first. */
function NameField({ hint, first, problems, form }: SentForm & { hint: string; first: string }) {
  const input = { value: form.text('name', FieldLength.line) || first, required: true, maxLength: MAX_FACTOR_NAME };
  return <Field label="Name" name="name" hint={hint} errors={problems} input={input} />;
}

/** The only page that ever shows them. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <Heading title="Recovery codes" />
      <section class="card" aria-labelledby="your-codes">
        <h2 id="your-codes">Your recovery codes (shown only once)</h2>
        <p class="lead">
          Each lets you in once when you have neither passkey nor app. Print them, or store them apart from your
          password.
        </p>
        <Copyable id="codes" text={codes.join('\n')} codes />
        <Copied />
        <ContinueLink href={HERE} label="I have stored them" kind="primary" />
      </section>
    </>
  );
}

interface RemoveProps {
  readonly name: string;
  readonly action: string;
  readonly isLast: boolean;
  readonly problems: Problems | null;
  readonly offersPasskeys: boolean;
}

export function RemoveFactor({ name, action, isLast, problems, offersPasskeys }: RemoveProps) {
  return (
    <section class="card confirm">
      <h1>{`Remove “${name}”?`}</h1>
      {!problems?.isOfFields && <ProblemSummary problems={problems} />}
      <p>
        {isLast
          ? 'This is your last one: you will sign in without a second step, and the recovery codes stop working.'
          : 'It stops working immediately.'}
      </p>
      <Form action={action} label="Remove">
        <CodeField hint="From any of your apps, or a recovery code." errors={problems} />
        <Buttons label="Remove" kind="danger" cancel={HERE}>
          {offersPasskeys && <PasskeyButton from={passkeyQuestions.again} label="Remove with a passkey" />}
        </Buttons>
        {offersPasskeys && <PasskeyNotes />}
      </Form>
    </section>
  );
}

export function NewPasskey({ problems, form }: SentForm) {
  const refusals = problems?.of('passkey') ?? [];
  return (
    <>
      <Heading title="Add a passkey" />
      <section class="card">
        {!problems?.isOfFields && <ProblemSummary problems={problems} />}
        <Form action={PASSKEYS_PATH} label="Add a passkey">
          <NameField hint="To tell several passkeys apart." first="Passkey" problems={problems} form={form} />
          <div class="choice">
            <input type="checkbox" id="alone" name="alone" value="yes" checked={form.has('alone')} />
            <label for="alone">Sign in with it without the password</label>
          </div>
          <p class="hint">The device then checks each time that it is you: by fingerprint, face or PIN.</p>
          {refusals.map((message) => (
            <p key={message} class="error" role="alert">
              {message}
            </p>
          ))}
          <div class="buttons">
            <PasskeyButton from={passkeyQuestions.forNew} label="Add" field={NEW_PASSKEY_FIELD} kind="primary" isOnly />
            <LinkButton href="/settings/account/factors" label="Cancel" />
          </div>
          <PasskeyNotes />
        </Form>
      </section>
    </>
  );
}
