import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { passkeysOfPending } from '../../../core/users/factors/ask-for-passkey.js';
import { finishSignIn } from '../../../core/users/sign-in/second-step.js';
import { Public } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { newBrowser } from '../browser-session.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { HOME } from '../navigation.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, type PageContext } from '../page-context.js';
import { PASSKEY_FIELD, PASSKEY_SCRIPT, passkeyAnswerOf } from '../passkeys/passkey-form.js';
import { CODE_PATH, continueSignIn, endPending, ownPath, pendingOf } from './pending-sign-in.js';
import { CodeForm, offersOf, SignInForm } from './sign-in.view.js';

/** The second step of signing in, for people with a second factor. */
@Controller(CODE_PATH.slice(1))
@Public()
export class CodeController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  async show(@CurrentPageContext() context: PageContext, @Query('next') next: unknown): Promise<Reply> {
    if (pendingOf(this.ports, context.request) === null) {
      return redirectTo(context, context.person === null ? '/settings/sign-in' : HOME);
    }
    return this.form(context, ownPath(next), null);
  }

  @Post()
  async signIn(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form, request } = context;
    const next = ownPath(form.text('next', FieldLength.line));
    try {
      const browser = newBrowser(request);
      const cookie = pendingOf(this.ports, request) ?? '';
      const code = passkeyAnswerOf(this.ports, context, PASSKEY_FIELD) ?? form.text('code', FieldLength.line);
      const result = await finishSignIn(this.ports, { cookie, code, browser });
      return await continueSignIn(this.ports, context, result, browser, next);
    } catch (error) {
      const problems = problemsOf(error);
      return problems.code === 'unauthorized'
        ? this.again(context, next, problems)
        : await this.form(context, next, problems);
    }
  }

  private async form(context: PageContext, next: string, problems: Problems | null): Promise<Reply> {
    const passkeys = await passkeysOfPending(this.ports, pendingOf(this.ports, context.request) ?? '');
    const offersPasskeys = passkeys.length > 0 && this.ports.addresses.passkeySite !== null;
    const title = offersPasskeys ? 'One more step' : 'Enter a code';
    const options = { title, plain: true, scripts: [PASSKEY_SCRIPT], ...(problems && { status: problems.status }) };
    const page = <CodeForm next={next} problems={problems} offersPasskeys={offersPasskeys} />;
    return renderPage(this.ports, context, options, page);
  }

  /** From the beginning. */
  private again(context: PageContext, next: string, problems: Problems): Reply {
    endPending(this.ports, context.request);
    const options = { title: 'Sign in', plain: true, scripts: [PASSKEY_SCRIPT], status: problems.status };
    const form = <SignInForm {...offersOf(this.ports)} email="" next={next} problems={problems} />;
    return renderPage(this.ports, context, options, form);
  }
}
