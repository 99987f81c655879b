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
import { requireFactors } from '../../core/users/factors/policy.js';
import { RequireRole } from '../../http/access.js';
import { PathId } from '../../http/requests/parameters.js';
import type { Reply } from '../../http/responses/reply.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { FACTORS_PATH, PageController, redirectAfter, redirectTo } from '../page.js';
import { CurrentPageContext, type PageContext, personOf } from '../page-context.js';
import { NEW_PASSKEY_FIELD, PASSKEY_SCRIPT, PASSKEYS_PATH, passkeyAnswerOf } from '../passkeys/passkeys.js';
import { FactorsPage, NewFactor, NewPasskey, RecoveryCodes, RemoveFactor } from './factors.view.js';

const HERE = FACTORS_PATH;
const AREA = { section: 'account', styles: ['areas.css'] } as const;

/** A person's own second factors. */
@Controller(HERE.slice(1))
@RequireRole('viewer', { confirmed: true, whileSuspended: true, beforeFactor: true })
export class FactorsController extends PageController {
  @Get()
  async list(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { user } = personOf(context);
    const own = await readFactors(this.ports, user);
    const page = <FactorsPage {...own} offersPasskeys={this.ports.addresses.passkeySite !== null} user={user} />;
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
    const options = { title: 'Add an authenticator app', ...AREA, scripts: ['copy.js'], problems };
    const page = <NewFactor enrolment={enrolment} problems={problems} form={context.form} />;
    return this.render(context, options, page);
  }

  private newPasskey(context: PageContext, problems: Problems | null): Reply {
    const options = { title: 'Add a passkey', ...AREA, scripts: [PASSKEY_SCRIPT], problems };
    return this.render(context, options, <NewPasskey problems={problems} form={context.form} />);
  }

  private added(context: PageContext, name: string, codes: readonly string[] | null): Reply {
    const text = `“${name.trim()}” was added. Every other browser of yours is signed out.`;
    if (codes !== null) return this.recoveryCodes(context, codes, text);
    return redirectTo(context, HERE, { kind: 'done', text });
  }

  private recoveryCodes(context: PageContext, codes: readonly string[], text: string): Reply {
    const options = { title: 'Recovery codes', ...AREA, scripts: ['copy.js', 'no-resend.js'] };
    const flash = { kind: 'done', text } as const;
    // It may have come with this very form: nothing asks for it now.
    const withFactor = { ...context, person: { ...personOf(context), hasFactor: true } };
    return this.render(withFactor, { ...options, flash }, <RecoveryCodes codes={codes} />);
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
    const props = { name: factor.name, action, isLast, problems, offersPasskeys };
    const options = { title: `Remove “${factor.name}”`, ...AREA, scripts: [PASSKEY_SCRIPT], problems };
    return this.render(context, options, <RemoveFactor {...props} />);
  }
}

const PEOPLE = '/settings/account/people';

/** Whether everyone needs a second factor: for owners. The form is on the page of people. */
@Controller('settings/account/people/two-step')
@RequireRole('owner', { confirmed: true })
export class FactorPolicyController extends PageController {
  @Post()
  require(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const day = context.form.text('from', FieldLength.word).trim();
    return redirectAfter(context, PEOPLE, async () => {
      const changed = await requireFactors(this.ports, personOf(context), day, context.clientIp);
      const isOptional = changed.factorsRequiredFrom === null;
      return { text: isOptional ? 'Two-step sign-in is optional.' : `Everyone needs two-step sign-in from ${day} on.` };
    });
  }
}
