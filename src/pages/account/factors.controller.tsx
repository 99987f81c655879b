import { Controller, Get, Post } from '@nestjs/common';
import { requireFound } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { addFactor, addPasskey, startEnrolment } from '../../core/users/factors/add.js';
import {
  type FactorReference,
  readFactors,
  removeFactor,
  renewRecoveryCodes,
} from '../../core/users/factors/own-factors.js';
import type { Passkey } from '../../core/users/factors/passkey.js';
import { type AuthenticatorApp, MAX_FACTOR_NAME, MAX_FACTORS } from '../../core/users/factors/second-factor.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { CodeField, Field, Form, ProblemSummary, type Problems, problemsOf, type SentForm } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { FACTORS_PATH, PageController, redirectTo } from '../page.js';
import { CurrentPageContext, type PageContext, personOf } from '../page-context.js';
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
  PASSKEY_SCRIPT,
  PASSKEYS_PATH,
  PasskeyButton,
  PasskeyNotes,
  passkeyAnswerOf,
  passkeyQuestions,
} from '../passkeys/passkeys.js';
import { onlyProofOf } from './account.controller.js';

const AREA = { section: 'account', styles: ['areas.css'] } as const;

/** A person's own second factors. */
@Controller(FACTORS_PATH.slice(1))
@RequireRole('viewer', { confirmed: true, whileSuspended: true, beforeFactor: true })
export class FactorsController extends PageController {
  @Get()
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { user } = personOf(context);
    const { apps, passkeys, codesLeft } = await readFactors(this.ports, user);
    const offersPasskeys = this.ports.addresses.passkeySite !== null;
    const count = apps.length + passkeys.length;
    const mayAdd = count < MAX_FACTORS;
    const page = (
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
            <Factors caption="Authenticator apps" factors={apps} path={FACTORS_PATH} />
          )}
          {mayAdd && (
            <Form action={`${FACTORS_PATH}/new`}>
              <Buttons label="Add an app" />
            </Form>
          )}
        </Card>
        {count > 0 && (
          <Card title="Recovery codes">
            <p>
              {codesLeft === 0 ? 'None is' : codesLeft === 1 ? 'One is' : `${codesLeft} are`} left. Each lets you in
              once when you have neither passkey nor app.
            </p>
            <Form action={`${FACTORS_PATH}/recovery-codes`}>
              <Buttons label="Create new codes" kind="plain" />
            </Form>
          </Card>
        )}
      </>
    );
    return this.render(context, { title: 'Two-step sign-in', ...AREA }, page);
  }

  /** A form, because its answer is a secret: it is only for people who have confirmed who they are. */
  @Post('new')
  begin(@CurrentPageContext() context: PageContext): Reply {
    return this.enrolment(context, null);
  }

  @Post()
  async add(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form, clientIp } = context;
    const given = {
      name: form.text('name', FieldLength.line),
      code: form.text('code', FieldLength.line),
      sealed: form.text('enrolment', FieldLength.opaque),
    };
    try {
      return this.added(context, given.name, await addFactor(this.ports, personOf(context), given, clientIp));
    } catch (error) {
      return this.enrolment(context, problemsOf(error));
    }
  }

  /** A form like the one for apps: the person who sends it has confirmed who they are before a device is asked. */
  @Post('passkeys/new')
  beginPasskey(@CurrentPageContext() context: PageContext): Reply {
    return this.newPasskey(context, null);
  }

  @Post('passkeys')
  async addPasskey(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form, clientIp } = context;
    const [name, signsInAlone] = [form.text('name', FieldLength.line), form.has('alone')];
    const given = passkeyAnswerOf(this.ports, context, NEW_PASSKEY_FIELD) ?? { answer: '', challenge: '' };
    try {
      const passkey = { name, signsInAlone, given };
      return this.added(context, name, await addPasskey(this.ports, personOf(context), passkey, clientIp));
    } catch (error) {
      return this.newPasskey(context, problemsOf(error));
    }
  }

  @Post('recovery-codes')
  async renew(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const codes = await renewRecoveryCodes(this.ports, personOf(context), context.clientIp);
    return this.recoveryCodes(context, codes, 'The recovery codes that you had before stopped working.');
  }

  private enrolment(context: PageContext, problems: Problems | null): Reply {
    const enrolment = startEnrolment(this.ports, personOf(context), context.form.text('enrolment', FieldLength.opaque));
    const page = (
      <>
        <Heading title="Add an authenticator app" />
        <section class="card">
          {!problems?.isOfFields && <ProblemSummary problems={problems} />}
          <p class="lead">Scan this with the app, or enter the key into it. Then enter the code that it shows.</p>
          <QrCode text={enrolment.uri} label="QR code with the key" />
          <Copyable id="secret" text={enrolment.secret} />
          <Copied />
          <Form action={FACTORS_PATH} label="Add an authenticator app">
            <input type="hidden" name="enrolment" value={enrolment.sealed} />
            <NameField hint="To tell several apps apart." first="Phone" problems={problems} form={context.form} />
            <CodeField errors={problems} input={{ inputMode: 'numeric', autocapitalize: undefined }} />
            <Buttons label="Add" cancel={FACTORS_PATH} />
          </Form>
        </section>
      </>
    );
    return this.render(context, { title: 'Add an authenticator app', ...AREA, scripts: ['copy.js'], problems }, page);
  }

  private newPasskey(context: PageContext, problems: Problems | null): Reply {
    const { form } = context;
    const page = (
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
            {problems?.of('passkey').map((message) => (
              <p key={message} class="error" role="alert">
                {message}
              </p>
            ))}
            <div class="buttons">
              <PasskeyButton
                from={passkeyQuestions.forNew}
                label="Add"
                field={NEW_PASSKEY_FIELD}
                kind="primary"
                isOnly
              />
              <LinkButton href="/settings/account/factors" label="Cancel" />
            </div>
            <PasskeyNotes />
          </Form>
        </section>
      </>
    );
    return this.render(context, { title: 'Add a passkey', ...AREA, scripts: [PASSKEY_SCRIPT], problems }, page);
  }

  private added(context: PageContext, name: string, codes: readonly string[] | null): Reply {
    const text = `“${name.trim()}” was added. Every other browser of yours is signed out.`;
    if (codes !== null) return this.recoveryCodes(context, codes, text);
    return redirectTo(context, FACTORS_PATH, { kind: 'done', text });
  }

  private recoveryCodes(context: PageContext, codes: readonly string[], text: string): Reply {
    const options = { title: 'Recovery codes', ...AREA, scripts: ['copy.js', 'no-resend.js'] };
    // It may have come with this very form: nothing asks for it now.
    const withFactor = { ...context, person: { ...personOf(context), hasFactor: true } };
    return this.render(
      withFactor,
      { ...options, flash: { kind: 'done', text } },
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
          <ContinueLink href={FACTORS_PATH} label="I have stored them" kind="primary" />
        </section>
      </>,
    );
  }
}

/** Removing one's second factors. The forms ask for a code or a passkey themselves, however recently one was given. */
@Controller(FACTORS_PATH.slice(1))
@RequireRole('viewer', { whileSuspended: true, beforeFactor: true })
export class RemoveFactorController extends PageController {
  @Get(':id/remove')
  confirmApp(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.page(context, { kind: 'app', id }, null);
  }

  @Post(':id/remove')
  removeApp(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.remove(context, { kind: 'app', id });
  }

  @Get('passkeys/:id/remove')
  confirmPasskey(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.page(context, { kind: 'passkey', id }, null);
  }

  @Post('passkeys/:id/remove')
  removePasskey(@CurrentPageContext() context: PageContext, @PathId('id') id: Id): Promise<Reply> {
    return this.remove(context, { kind: 'passkey', id });
  }

  private async remove(context: PageContext, which: FactorReference): Promise<Reply> {
    const code = passkeyAnswerOf(this.ports, context) ?? context.form.text('code', FieldLength.line);
    try {
      await removeFactor(this.ports, personOf(context), { ...which, code }, context.clientIp);
      const text = 'The second factor was removed. Every other browser of yours is signed out.';
      return redirectTo(context, FACTORS_PATH, { kind: 'done', text });
    } catch (error) {
      return await this.page(context, which, problemsOf(error));
    }
  }

  private async page(context: PageContext, { kind, id }: FactorReference, problems: Problems | null): Promise<Reply> {
    const { user } = personOf(context);
    const { apps, passkeys } = await readFactors(this.ports, user);
    const factor = requireFound(
      (kind === 'app' ? apps : passkeys).find((each) => each.id === id),
      'second_factor',
    );
    const offersPasskeys = passkeys.length > 0 && this.ports.addresses.passkeySite !== null;
    const isLast = apps.length + passkeys.length === 1;
    const action = `${kind === 'app' ? FACTORS_PATH : PASSKEYS_PATH}/${id}/remove`;
    return this.render(
      context,
      { title: `Remove “${factor.name}”`, ...AREA, scripts: [PASSKEY_SCRIPT], problems },
      <section class="card confirm">
        <h1>{`Remove “${factor.name}”?`}</h1>
        {!problems?.isOfFields && <ProblemSummary problems={problems} />}
        <p>
          {isLast
            ? 'This is your last one: you will sign in without a second step, and the recovery codes stop working.'
            : 'It stops working immediately.'}
        </p>
        <Form action={action} label="Remove">
          <CodeField hint="From any of your apps, or a recovery code." errors={problems} />
          <Buttons label="Remove" kind="danger" cancel={FACTORS_PATH}>
            {offersPasskeys && <PasskeyButton from={passkeyQuestions.again} label="Remove with a passkey" />}
          </Buttons>
          {offersPasskeys && <PasskeyNotes />}
        </Form>
      </section>,
    );
  }
}

function Factors(props: { caption: string; factors: readonly (AuthenticatorApp | Passkey)[]; path: string }) {
  const { caption, factors, path } = props;
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

/** @param first The name that the field has at first. */
function NameField({ hint, first, problems, form }: SentForm & { hint: string; first: string }) {
  const input = { value: form.text('name', FieldLength.line) || first, required: true, maxLength: MAX_FACTOR_NAME };
  return <Field label="Name" name="name" hint={hint} errors={problems} input={input} />;
}
