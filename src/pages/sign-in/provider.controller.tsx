import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { DomainError } from '../../core/shared/errors.js';
import { providerOf } from '../../core/users/identity-provider.js';
import { FLOW_MS, finishProviderSignIn, type Outcome, startProviderSignIn } from '../../core/users/provider/flow.js';
import type { Browser } from '../../core/users/session.js';
import { Public, RequireRole } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import type { Reply } from '../../http/responses/reply.js';
import { cookieName, cookieOf, cookieRules, deviceOf, newBrowser } from '../browser-session.js';
import { Problems } from '../form.js';
import { PageController, redirectTo } from '../page.js';
import { CurrentPageContext, HOME, type PageContext, personOf } from '../page-context.js';
import { ContinueLink, LinkButton } from '../parts.js';
import { continueSignIn, ownPath } from './pending-sign-in.js';
import { offersOf, PROVIDER_PATH, SignInForm } from './sign-in.view.js';

/** Errors that the sign-in page shows, beside the other ways to sign in. */
const EXPLAINED = ['unauthorized', 'ip_not_whitelisted', 'service_unavailable', 'rate_limited'];

/** Signing in at a provider (OpenID Connect). Links lead there, not forms: a form must not end at another site (`form-action`). */
@Controller(PROVIDER_PATH.slice(1))
export class ProviderController extends PageController {
  @Inject(HTTP_OPTIONS) private readonly options: HttpOptions;

  @Get(':provider')
  @Public()
  start(@CurrentPageContext() context: PageContext, @Param('provider') id: string, @Query('next') next: unknown) {
    return this.leave(context, id, { next: ownPath(next), person: null });
  }

  /** A person who is signed in proves it again there, in a window beside the form that asks for it. */
  @Get(':provider/confirm')
  @RequireRole('viewer', { beforeFactor: true })
  confirm(@CurrentPageContext() context: PageContext, @Param('provider') id: string) {
    return this.leave(context, id, { next: '', person: personOf(context) });
  }

  @Get(':provider/answer')
  @Public()
  async answer(@CurrentPageContext() context: PageContext, @Param('provider') id: string): Promise<Reply> {
    const { request, person } = context;
    const name = cookieName(this.ports, COOKIE);
    const cookie = cookieOf(request, name) ?? '';
    // Once: a second answer finds none.
    if (cookie !== '') request.res?.clearCookie(name, cookieRules(this.ports));
    const [browser, device, returnTo] = [newBrowser(request), deviceOf(this.ports, request), this.returnTo(id)];
    const answer = `${returnTo}${new URL(request.originalUrl, returnTo).search}`;
    try {
      const given = { provider: id, cookie, answer, returnTo, browser, device, person };
      return await this.goOn(context, id, browser, await finishProviderSignIn(this.ports, given));
    } catch (error) {
      return this.refusal(context, id, error);
    }
  }

  /** The session here has ended: offers to end the one there, too. */
  @Get(':provider/sign-out')
  @Public()
  signedOut(@CurrentPageContext() context: PageContext, @Param('provider') id: string): Reply {
    const { name } = providerOf(this.ports.identityProviders, id).settings;
    return this.render(
      context,
      { title: 'Signed out', plain: true },
      <section class="card narrow">
        <h1>Signed out</h1>
        <p>
          You are signed out here. {name} may still know this browser, and sign you in again without asking: on a
          computer that others use, sign out there, too.
        </p>
        <div class="buttons">
          <LinkButton href={`${PROVIDER_PATH}/${id}/sign-out/there`} label={`Sign out of ${name}`} kind="primary" />
          <LinkButton href="/settings/sign-in" label="Back to sign-in" />
        </div>
      </section>,
    );
  }

  @Get(':provider/sign-out/there')
  @Public()
  async signOutThere(@CurrentPageContext() context: PageContext, @Param('provider') id: string): Promise<Reply> {
    try {
      const home = `${this.ports.addresses.publicUrl}/settings/sign-in`;
      const address = await providerOf(this.ports.identityProviders, id).signOutAddress(home);
      return redirectTo(context, address ?? '/settings/sign-in');
    } catch (error) {
      return this.refusal(context, id, error);
    }
  }

  private async leave(context: PageContext, provider: string, flow: Pick<Start, 'next' | 'person'>): Promise<Reply> {
    try {
      const start: Start = { ...flow, provider, returnTo: this.returnTo(provider), address: context.clientIp };
      const { address, cookie } = await startProviderSignIn(this.ports, start);
      const rules = { ...cookieRules(this.ports), maxAge: FLOW_MS };
      context.request.res?.cookie(cookieName(this.ports, COOKIE), cookie, rules);
      return redirectTo(context, address);
    } catch (error) {
      return this.refusal(context, provider, error);
    }
  }

  private async goOn(context: PageContext, provider: string, browser: Browser, outcome: Outcome): Promise<Reply> {
    if (outcome.kind === 'confirmed') {
      return this.render(
        context,
        { title: 'Confirmed', plain: true },
        <section class="card narrow">
          <h1>Confirmed</h1>
          <p>You are confirmed. Close this window, and continue in the previous one.</p>
          <ContinueLink href={HOME} label="Back to the start page" />
        </section>,
      );
    }
    const reply = await continueSignIn(this.ports, context, outcome.result, browser, outcome.next);
    if (outcome.lostPassword && !outcome.result.isPending) {
      const { name } = providerOf(this.ports.identityProviders, provider).settings;
      const text = `You sign in by ${name} from now on. Your password no longer works; you can set a new one under Account.`;
      context.request.session.flash = { kind: 'done', text };
    }
    return reply;
  }

  /** The sign-in page with the reason, so that other ways remain open. Log lines name the reason, and no person. */
  private refusal(context: PageContext, provider: string, error: unknown): Reply {
    if (!(error instanceof DomainError) || !EXPLAINED.includes(error.code)) throw error;
    const reason = String(error.details?.['reason'] ?? error.code);
    const cause = error.cause instanceof Error ? error.cause.message : undefined;
    const { requestId } = context;
    this.options.logger.warn({ provider, reason, cause, requestId }, 'a sign-in by a provider was refused');
    this.options.onProviderSignInRefused?.(provider, reason);
    const problems = new Problems(error.code, error.message, []);
    const form = <SignInForm {...offersOf(this.ports)} email="" next="" problems={problems} />;
    return this.render(context, { title: 'Sign in', plain: true, problems }, form);
  }

  private returnTo(provider: string): string {
    return `${this.ports.addresses.publicUrl}${PROVIDER_PATH}/${encodeURIComponent(provider)}/answer`;
  }
}

type Start = Parameters<typeof startProviderSignIn>[1];

/** Binds a sign-in at a provider to the browser that began it. */
const COOKIE = 'phs_provider';
