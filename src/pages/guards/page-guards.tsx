import { type CanActivate, type ExecutionContext, Inject, Injectable, type Type, UseGuards } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { requireChangeBudget } from '../../core/access/rolling-window.js';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { notAdmitted } from '../../core/users/admission.js';
import { CONFIRMATION_FIELD, confirmIdentity } from '../../core/users/factors/confirm-identity.js';
import { mustAddFactor } from '../../core/users/factors/policy.js';
import { providerFor } from '../../core/users/provider/flow.js';
import { isConfirmed, type KnownSession, touchSession } from '../../core/users/session.js';
import { mayActAs } from '../../core/users/user.js';
import { type Access, accessOf } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { AnsweredInstead } from '../../http/responses/reply.js';
import { withoutBasePath } from '../../http/server/base-path.js';
import { TrafficRecorder } from '../../http/server/recorders.js';
import { headerOf } from '../../http/server/request.js';
import { requestContextOf, wantsPage } from '../../http/server/request-context.js';
import { accountsBeside } from '../account-switch/account-switch.js';
import { CSRF_FIELD, Csrf } from '../csrf.js';
import {
  CodeField,
  Field,
  Form,
  PASSWORD_INPUT,
  ProblemSummary,
  type Problems,
  problemsOf,
  USER_NAME_FIELD,
  UserName,
} from '../form.js';
import { FieldLength, FormFields, readForm, TAKES_FILES } from '../form-fields.js';
import { formatsOf } from '../formats.js';
import { FACTORS_PATH, redirectTo, renderPage } from '../page.js';
import { HOME, Navigation, type PageContext, pageContextOf, pageContexts, personOf } from '../page-context.js';
import { Buttons } from '../parts.js';
import {
  canUsePasskey,
  PASSKEY_FIELD,
  PASSKEY_SCRIPT,
  PasskeyButton,
  PasskeyNotes,
  passkeyAnswerOf,
  passkeyQuestions,
} from '../passkeys/passkeys.js';
import { PROVIDER_PATH } from '../sign-in/sign-in.view.js';

/** Who is there? Sets the page context, which the other guards and every page read. It lets everyone through. */
@Injectable()
class VisitorGuard implements CanActivate {
  @Inject(PORTS) private readonly ports: Ports;
  @Inject(Navigation) private readonly navigation: Navigation;
  @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder;
  @Inject(HTTP_OPTIONS) private readonly options: HttpOptions;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const requestContext = requestContextOf(request);
    const known = request.session?.known ?? null;
    const { clientIp, namedIp, requestId } = requestContext;
    // From an address that the account does not admit they are not signed in: they may sign out, or sign in to another account.
    const isAdmitted = known !== null && this.ports.ipLists.admits(known.customer.settingsIpList, namedIp);
    const person = isAdmitted ? known : null;
    const others = known === null ? [] : await accountsBeside(this.ports, request, known);
    const own = { form: new FormFields(new URLSearchParams()), formats: formatsOf(request) };
    const service = { ...this.navigation.areas, hasDocs: this.options.docs !== false };
    pageContexts.set(requestContext, { request, person, others, clientIp, requestId, ...own, ...service });
    requestContext.userId = person?.user.id ?? null;
    if (person === null) return true;
    const response = context.switchToHttp().getResponse<Response>();
    this.traffic.followBytes(request, response, person.customer.id, 'settings');
    await touchSession(this.ports, person, clientIp);
    return true;
  }
}

/** A question about requests for pages that need a person; public pages are not asked. */
abstract class PersonQuestion implements CanActivate {
  @Inject(Reflector) private readonly reflector: Reflector;
  @Inject(PORTS) protected readonly ports: Ports;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(this.reflector, context);
    if (access?.needs !== 'person') return true;
    await this.require(pageContextOf(context.switchToHttp().getRequest<Request>()), access);
    return true;
  }

  /** Throws when the answer is no. */
  protected abstract require(context: PageContext, access: PersonAccess): Promise<void> | void;
}

type PersonAccess = Extract<Access, { needs: 'person' }>;

/** Does the account admit the address that they come from? */
@Injectable()
class AdmissionGuard extends PersonQuestion {
  protected require({ request, person }: PageContext): void {
    if (request.session?.known !== undefined && person === null) throw notAdmitted(requestContextOf(request).namedIp);
  }
}

/** Is a person signed in, in the role that the page needs? Otherwise people are led to the sign-in. */
@Injectable()
class RoleGuard extends PersonQuestion {
  protected require(context: PageContext, { role }: PersonAccess): void {
    if (context.person === null) {
      const { request } = context;
      if (!wantsPage(requestContextOf(request), request)) throw new DomainError('unauthorized', 'Sign in first.');
      const next = request.method === 'GET' ? `?next=${encodeURIComponent(request.url)}` : '';
      throw new AnsweredInstead(redirectTo(context, `/settings/sign-in${next}`));
    }
    const { user } = context.person;
    if (mayActAs(user.role, role)) return;
    throw new DomainError(
      'scope_required',
      `This needs the role ${role}, and you have ${user.role}. An owner of this account can change that.`,
    );
  }
}

/** Have they the second factor that the account asks everyone for? Otherwise pages lead to the one that adds it. */
@Injectable()
class FactorGuard extends PersonQuestion {
  protected require(context: PageContext, { beforeFactor }: PersonAccess): void {
    if (beforeFactor === true || !mustAddFactor(personOf(context), this.ports.clock.now())) return;
    const { request } = context;
    if (wantsPage(requestContextOf(request), request)) throw new AnsweredInstead(redirectTo(context, FACTORS_PATH));
    throw new DomainError('scope_required', 'This account requires two-step sign-in. Set it up under Account first.');
  }
}

/** Does a form come from one of our own pages? Reads it; the guards after this one, and pages, find its fields in the page context. */
@Injectable()
class FormGuard implements CanActivate {
  private readonly csrf: Csrf;

  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(PORTS) private readonly ports: Ports,
  ) {
    this.csrf = new Csrf(ports);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (!isForm(request)) return true;
    const takesFiles = this.reflector.get<boolean | undefined>(TAKES_FILES, context.getHandler()) ?? false;
    const form = await readForm(request, takesFiles ? this.ports.limits.inlineMaxBytes : null);
    // The one who refuses it need not know that its files are still being received.
    if (form.files !== null) context.switchToHttp().getResponse<Response>().once('close', form.leave);
    pageContexts.set(requestContextOf(request), { ...pageContextOf(request), form });
    this.csrf.requireToken(request);
    return true;
  }
}

function isForm({ method }: Request): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** May they change something at this moment: is their budget not used up, and the account not suspended? */
@Injectable()
class ChangeGuard extends PersonQuestion {
  protected async require(context: PageContext, access: PersonAccess): Promise<void> {
    if (!isForm(context.request)) return;
    const { user, customer } = personOf(context);
    if (!access.uncounted) await requireChangeBudget(this.ports, user.id);
    if (customer.status === 'suspended' && !access.whileSuspended) {
      throw new DomainError('account_suspended', 'This account is suspended: it is read-only.');
    }
  }
}

/** Was the password given a moment ago, where the form decides who has access? */
@Injectable()
class ConfirmationGuard extends PersonQuestion {
  protected async require(context: PageContext, { confirmed }: PersonAccess): Promise<void> {
    if (isForm(context.request) && confirmed) await requireConfirmed(this.ports, context);
  }
}

/** The order of the questions: the first no is the answer. The guards of keys, which come before, let pages through. */
export function guarded(controllers: Type[]): Type[] {
  const guard = UseGuards(
    VisitorGuard,
    AdmissionGuard,
    RoleGuard,
    FactorGuard,
    FormGuard,
    ChangeGuard,
    ConfirmationGuard,
  );
  for (const controller of controllers) guard(controller);
  return controllers;
}

/**
 * Lets a form through whose sender gave the password, or with a second factor a code or a passkey, a moment ago or with this form. Otherwise the answer is a page that asks for
 * it and sends the same form again. Errors: `unauthorized` for scripts of pages.
 */
export async function requireConfirmed(ports: Ports, context: PageContext): Promise<void> {
  const person = personOf(context);
  if (isConfirmed(person.session, ports.clock.now())) return;
  if (!wantsPage(requestContextOf(context.request), context.request)) {
    throw new DomainError('unauthorized', 'You have to confirm that it is you again. Reload the page and try again.');
  }
  const given = passkeyAnswerOf(ports, context) ?? context.form.text(CONFIRMATION_FIELD, FieldLength.line);
  let problems: Problems | null = null;
  try {
    if (given !== '') return await confirmIdentity(ports, person, given);
  } catch (error) {
    problems = problemsOf(error);
  }
  const options = { title: 'Confirm that it is you', plain: true, status: problems?.status ?? 403 };
  const offersPasskeys = await canUsePasskey(ports, person);
  const provider = isKnownHere(person) ? null : await providerFor(ports, person);
  const sent = context.form.entriesBut(CSRF_FIELD, CONFIRMATION_FIELD, USER_NAME_FIELD, PASSKEY_FIELD);
  // The page with the form, of this site in any case.
  const referer = headerOf(context.request, 'referer');
  const hasReferer = referer !== undefined && URL.canParse(referer);
  const back = hasReferer ? withoutBasePath(new URL(referer).pathname, context.request.baseUrl) : HOME;
  const form = (
    <section class="card narrow">
      <h1>Confirm that it is you</h1>
      <p>
        This decides who has access to the account.{' '}
        {!isKnownHere(person)
          ? 'Confirm that it is you'
          : `${offersPasskeys ? 'Use a passkey, or enter' : 'Enter'} ${person.hasFactor ? 'a code' : 'your password'}`}{' '}
        to go on: what you entered before is not lost.
      </p>
      {!problems?.isOfFields && <ProblemSummary problems={problems} />}
      <Form action={context.request.url}>
        {sent.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {isKnownHere(person) ? (
          <>
            {person.hasFactor ? (
              <CodeField
                name={CONFIRMATION_FIELD}
                hint="From your authenticator app, or a recovery code."
                errors={problems}
              />
            ) : (
              <>
                <UserName email={person.user.email} />
                <Field label="Password" name={CONFIRMATION_FIELD} errors={problems} input={PASSWORD_INPUT} />
              </>
            )}
            <Buttons label="Confirm" cancel={back}>
              {offersPasskeys && <PasskeyButton from={passkeyQuestions.again} label="Use a passkey" />}
            </Buttons>
            {offersPasskeys && <PasskeyNotes />}
          </>
        ) : provider === null ? (
          <p class="flash failed">You have no password, and no provider knows you. An admin can send you a link.</p>
        ) : (
          <>
            {/* In a window of its own, so that the form here keeps what it contains. */}
            <p>
              <a class="button plain" href={`${PROVIDER_PATH}/${provider.id}/confirm`} target="_blank" rel="noopener">
                Confirm with {provider.name} (opens a new window)
              </a>
            </p>
            <Buttons label="Continue" />
          </>
        )}
      </Form>
    </section>
  );
  throw new AnsweredInstead(renderPage(ports, context, { ...options, scripts: [PASSKEY_SCRIPT] }, form));
}

/** By a password or a second factor. Others are known by a provider alone. */
function isKnownHere({ user, hasFactor }: KnownSession): boolean {
  return hasFactor || user.passwordHash !== null;
}
