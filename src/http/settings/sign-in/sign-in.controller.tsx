import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { signOut } from '../../../core/users/revoke-session.js';
import { signIn } from '../../../core/users/sign-in.js';
import { Public, RequireRole } from '../../access.js';
import { PORTS } from '../../ports-token.js';
import { Reply } from '../../responses/reply.js';
import { beginSession, deviceOf, endSession, newBrowser, rememberDevice } from '../browser-session.js';
import { type Problems, problemsOf } from '../form.js';
import { HOME } from '../navigation.js';
import { redirectTo, renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { SignInForm } from './sign-in.view.js';

/** Not the cookies: the session ends here, but the cookie that marks this browser as known keeps guessers from locking its owner out. */
const LEFT_BEHIND = '"cache", "storage"';

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
  show(@CurrentPageContext() context: PageContext, @Query('next') next: unknown): Reply {
    if (context.person !== null) return redirectTo(context, HOME);
    return this.form(context, { email: '', next: ownPath(next) }, null);
  }

  @Post('sign-in')
  @Public()
  async signIn(@CurrentPageContext() context: PageContext): Promise<Reply> {
    const { form, request } = context;
    const [email, next] = [form.text('email'), ownPath(form.text('next'))];
    try {
      const browser = newBrowser(request);
      const device = deviceOf(this.ports, request);
      const user = await signIn(this.ports, { email, password: form.text('password'), browser, device });
      await beginSession(request, browser);
      rememberDevice(this.ports, request, user.email ?? '');
      return redirectTo(context, next);
    } catch (error) {
      return this.form(context, { email, next }, problemsOf(error));
    }
  }

  @Post('sign-out')
  @Public()
  async signOut(@CurrentPageContext() context: PageContext): Promise<Reply> {
    if (context.person !== null) await signOut(this.ports, callerOfPage(context).actor, context.person);
    await endSession(context.request);
    const { status, body, headers } = redirectTo(context, '/settings/sign-in');
    return new Reply(status, body, { ...headers, 'Clear-Site-Data': LEFT_BEHIND });
  }

  private form(context: PageContext, values: { email: string; next: string }, problems: Problems | null): Reply {
    const words = { title: 'Sign in', plain: true, ...(problems && { status: problems.status }) };
    return renderPage(this.ports, context, words, <SignInForm {...values} problems={problems} />);
  }
}

/** Only into the settings area: a link must not lead to another site after the sign-in. */
function ownPath(next: unknown): string {
  const isOwn = typeof next === 'string' && /^\/settings\/[A-Za-z0-9/_.~?=&%-]*$/.test(next) && !next.includes('//');
  return isOwn ? next : HOME;
}
