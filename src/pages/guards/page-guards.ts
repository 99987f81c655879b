import { type CanActivate, type ExecutionContext, Inject, Injectable, type Type, UseGuards } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { requireChangeBudget } from '../../core/access/rolling-window.js';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { notAdmitted } from '../../core/users/admission.js';
import { mustAddFactor } from '../../core/users/factors/policy.js';
import { touchSession } from '../../core/users/session.js';
import { mayActAs } from '../../core/users/user.js';
import { type Access, accessOf } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import { PORTS } from '../../http/ports-token.js';
import { AnsweredInstead } from '../../http/responses/reply.js';
import { TrafficRecorder } from '../../http/server/recorders.js';
import { requestContextOf, wantsPage } from '../../http/server/request-context.js';
import { accountsBeside } from '../account-switch/account-switch.js';
import { Csrf } from '../browser-session.js';
import { FormFields, readForm, TAKES_FILES } from '../form-fields.js';
import { formatsOf } from '../formats.js';
import { FACTORS_PATH, redirectTo } from '../page.js';
import { Navigation, type PageContext, pageContextOf, pageContexts, personOf } from '../page-context.js';
import { requireConfirmed } from './confirm-identity.js';

/** Who is there? Sets the page context, which the other guards and every page read. It lets everyone through. */
@Injectable()
class VisitorGuard implements CanActivate {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(Navigation) private readonly navigation: Navigation,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {}

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
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(PORTS) protected readonly ports: Ports,
  ) {}

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
    if (isForm(context.request) && confirmed) await requireConfirmed(this.ports, context, personOf(context));
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
