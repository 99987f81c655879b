import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { providerFor } from '../../../core/users/provider/flow.js';
import { signOut } from '../../../core/users/session.js';
import { signInByPassword } from '../../../core/users/sign-in/by-password.js';
import { Public, RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { Reply } from '../../responses/reply.js';
import { signOutOfOthers } from '../accounts/accounts-cookie.js';
import { deviceOf, endSession, newBrowser } from '../browser-session.js';
import { type Problems, problemsOf } from '../form.js';
import { FieldLength } from '../form-fields.js';
import { HOME } from '../navigation.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { PASSKEY_SCRIPT } from '../passkeys/passkey-form.js';
import { continueSignIn, ownPath } from './pending-sign-in.js';
import { PROVIDER_PATH } from './provider.view.js';
import { offersOf, SignInForm } from './sign-in.view.js';

/**
 * Not the cookies: the session ends here, but the cookie that marks this browser as known keeps guessers from locking its owner out. Below a
 * path of PUBLIC_URL not the storage either, which belongs to all that the host serves.
 */
function leftBehind(basePath: string): string {
  return basePath === '' ? '"cache", "storage"' : '"cache"';
}

/** Signing in and out. */
@Controller('settings')
export class SignInController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @RequireRole('viewer')
  home(@CurrentPageContext() context: PageContext): Reply {
    return redirectTo(context, HOME);
  }

  @Get('sign-in')
  @Public()
  show(
    @CurrentPageContext() context: PageContext,
    @Query('next') next: unknown,
    @Query('another') another: unknown,
  ): Reply {
    if (context.person !== null && another === undefined) return redirectTo(context, HOME);
    return this.form(context, { email: context.person?.user.email ?? '', next: ownPath(next) }, null);
  }

  @Post('sign-in')
  @Public()
  async signIn(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form, request } = context;
    const [email, next] = [form.text('email', FieldLength.line), ownPath(form.text('next', FieldLength.line))];
    try {
      const browser = newBrowser(request);
      const device = deviceOf(this.ports, request);
      const openAccounts = [context.person, ...context.others.map(({ known }) => known)].flatMap(
        (known) => known?.customer.id ?? [],
      );
      const given = { email, password: form.text('password', FieldLength.line), browser, device, openAccounts };
      const result = await signInByPassword(this.ports, given);
      return await continueSignIn(this.ports, context, result, browser, next);
    } catch (error) {
      return this.form(context, { email, next }, problemsOf(error));
    }
  }

  @Post('sign-out')
  @Public()
  async signOut(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const provider = context.person && (await providerFor(this.ports, context.person));
    if (context.person !== null) await signOut(this.ports, callerOfPage(context).actor, context.person);
    await signOutOfOthers(this.ports, context);
    await endSession(context.request);
    const { status, body, headers } = redirectTo(
      context,
      provider === null ? '/settings/sign-in' : `${PROVIDER_PATH}/${provider.id}/sign-out`,
    );
    return new Reply(status, body, { ...headers, 'Clear-Site-Data': leftBehind(this.ports.addresses.basePath) });
  }

  private form(context: PageContext, values: { email: string; next: string }, problems: Problems | null): Reply {
    const options = {
      ...{ title: 'Sign in', plain: true, scripts: [PASSKEY_SCRIPT] },
      ...(problems && { status: problems.status }),
    };
    const form = <SignInForm {...offersOf(this.ports)} {...values} problems={problems} others={context.others} />;
    return renderPage(this.ports, context, options, form);
  }
}
