import { Controller, Inject, Post } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { signInByPasskey } from '../../../core/users/sign-in/by-passkey.js';
import { Public } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { deviceOf, newBrowser } from '../browser-session.js';
import { problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { renderPage } from '../page.js';
import { CurrentPageContext, type PageContext } from '../page-context.js';
import { PASSKEY_FIELD, PASSKEY_SCRIPT, passkeyAnswerOf } from '../passkeys/passkey-form.js';
import { PASSKEY_SIGN_IN_PATH } from '../passkeys/passkey-paths.js';
import { continueSignIn, ownPath } from './pending-sign-in.js';
import { offersOf, SignInForm } from './sign-in.view.js';

/** Signing in by a passkey alone. */
@Controller(PASSKEY_SIGN_IN_PATH.slice(1))
export class PasskeySignInController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post()
  @Public()
  async signIn(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const next = ownPath(context.form.text('next', FieldLength.line));
    try {
      const browser = newBrowser(context.request);
      const given = passkeyAnswerOf(this.ports, context, PASSKEY_FIELD) ?? { answer: '', challenge: '' };
      const result = await signInByPasskey(this.ports, given, browser, deviceOf(this.ports, context.request));
      return await continueSignIn(this.ports, context, result, browser, next);
    } catch (error) {
      const problems = problemsOf(error);
      const options = { title: 'Sign in', plain: true, scripts: [PASSKEY_SCRIPT], status: problems.status };
      const form = <SignInForm {...offersOf(this.ports)} email="" next={next} problems={problems} />;
      return renderPage(this.ports, context, options, form);
    }
  }
}
