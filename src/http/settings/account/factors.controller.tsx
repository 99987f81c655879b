import { Controller, Get, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { addFactor, addPasskey, startEnrolment } from '../../../core/users/factors/add.js';
import { renewRecoveryCodes } from '../../../core/users/factors/remove.js';
import { RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { FACTORS_PATH } from '../factor-notice.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, type PageContext, personOf } from '../page-context.js';
import { NEW_PASSKEY_FIELD, PASSKEY_SCRIPT, passkeyAnswerOf } from '../passkeys/passkey-form.js';
import { FactorsPage, NewFactor, RecoveryCodes } from './factors.view.js';
import { NewPasskey } from './new-passkey.view.js';

const HERE = FACTORS_PATH;
const AREA = { section: 'account', styles: ['areas.css'] } as const;

/** A person's own second factors. */
@Controller(HERE.slice(1))
@RequireRole('viewer', { confirmed: true, whileSuspended: true, beforeFactor: true })
export class FactorsController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { user } = personOf(context);
    const { apps, passkeys, codesLeft } = await this.ports.store.query(user.customerId, async ({ factors }) => ({
      apps: await factors.appsOf(user.id),
      passkeys: await factors.passkeysOf(user.id),
      codesLeft: await factors.countRecoveryCodes(user.id),
    }));
    const offersPasskeys = this.ports.addresses.passkeySite !== null;
    const page = <FactorsPage {...{ apps, passkeys, codesLeft, offersPasskeys, user }} />;
    return renderPage(this.ports, context, { title: 'Two-step sign-in', ...AREA }, page);
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

  /** A form like the one for apps: whoever sends it has confirmed who they are before a device is asked. */
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
    const options = { title: 'Add an authenticator app', ...AREA, scripts: ['copy.js'] };
    const page = <NewFactor enrolment={enrolment} problems={problems} form={context.form} />;
    return renderPage(this.ports, context, { ...options, status: problems?.status ?? 200 }, page);
  }

  private newPasskey(context: PageContext, problems: Problems | null): Reply {
    const options = { title: 'Add a passkey', ...AREA, scripts: [PASSKEY_SCRIPT], status: problems?.status ?? 200 };
    return renderPage(this.ports, context, options, <NewPasskey problems={problems} form={context.form} />);
  }

  private added(context: PageContext, name: string, codes: readonly string[] | null): Reply {
    const text = `“${name.trim()}” was added. Every other browser of yours is signed out.`;
    if (codes !== null) return this.recoveryCodes(context, codes, text);
    return redirectTo(context, HERE, { kind: 'done', text });
  }

  private recoveryCodes(context: PageContext, codes: readonly string[], text: string): Reply {
    const options = { title: 'Recovery codes', ...AREA, scripts: ['copy.js', 'no-resend.js'] };
    const flash = { kind: 'done', text } as const;
    // It may have come with this very form: nothing asks for it any more.
    const withFactor = { ...context, person: { ...personOf(context), hasFactor: true } };
    return renderPage(this.ports, withFactor, { ...options, flash }, <RecoveryCodes codes={codes} />);
  }
}
