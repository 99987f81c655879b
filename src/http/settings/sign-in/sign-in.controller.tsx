import { Controller, Get, Inject, Post, Query } from '@nestjs/common';
import type { Ports } from '../../../core/ports.js';
import { signOut } from '../../../core/users/revoke-session.js';
import { signIn } from '../../../core/users/sign-in.js';
import { For, ForAnyone } from '../../api/access.js';
import { PORTS } from '../../ports-token.js';
import { Reply } from '../../reply.js';
import { beginSession, deviceOf, endSession, newBrowser, rememberDevice } from '../browser-session.js';
import { type Problems, problemsOf } from '../form.js';
import { HOME } from '../navigation.js';
import { goTo, page } from '../page.js';
import { callerOfVisit, type Visit, Visiting } from '../visit.js';
import { SignInForm } from './sign-in.view.js';

/** Not the cookies: the session is over here, and what says that this browser is known keeps guessers from locking its owner out. */
const LEFT_BEHIND = '"cache", "storage"';

/** Coming in, going out. */
@Controller('settings')
export class SignInController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @For('member')
  home(@Visiting() visit: Visit): Reply {
    return goTo(visit, HOME);
  }

  @Get('sign-in')
  @ForAnyone()
  show(@Visiting() visit: Visit, @Query('next') next: unknown): Reply {
    if (visit.person !== null) return goTo(visit, HOME);
    return this.form(visit, { email: '', next: ownPath(next) }, null);
  }

  @Post('sign-in')
  @ForAnyone()
  async signIn(@Visiting() visit: Visit): Promise<Reply> {
    const { form, request } = visit;
    const [email, next] = [form.text('email'), ownPath(form.text('next'))];
    try {
      const browser = newBrowser(request);
      const device = deviceOf(this.ports, request);
      const user = await signIn(this.ports, { email, password: form.text('password'), browser, device });
      await beginSession(request, browser);
      rememberDevice(this.ports, request, user.email ?? '');
      return goTo(visit, next);
    } catch (error) {
      return this.form(visit, { email, next }, problemsOf(error));
    }
  }

  @Post('sign-out')
  @ForAnyone()
  async signOut(@Visiting() visit: Visit): Promise<Reply> {
    if (visit.person !== null) await signOut(this.ports, callerOfVisit(visit).actor, visit.person);
    await endSession(visit.request);
    const { status, body, headers } = goTo(visit, '/settings/sign-in');
    return new Reply(status, body, { ...headers, 'Clear-Site-Data': LEFT_BEHIND });
  }

  private form(visit: Visit, values: { email: string; next: string }, problems: Problems | null): Reply {
    const words = { title: 'Sign in', plain: true, ...(problems && { status: problems.status }) };
    return page(this.ports, visit, words, <SignInForm {...values} problems={problems} />);
  }
}

/** Only into the settings area: a link must not lead through the sign-in to another site. */
function ownPath(next: unknown): string {
  const isOwn = typeof next === 'string' && /^\/settings\/[A-Za-z0-9/_.~?=&%-]*$/.test(next) && !next.includes('//');
  return isOwn ? next : HOME;
}
