import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { requireChangeBudget } from '../../core/access/rolling-window.js';
import type { Ports } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import { notAdmitted } from '../../core/users/admission.js';
import { mustAddFactor } from '../../core/users/factors/policy.js';
import { type KnownSession, touchSession } from '../../core/users/session.js';
import { mayActAs, type Role } from '../../core/users/user.js';
import { accessOf } from '../access.js';
import { TrafficRecorder } from '../guards/traffic-recorder.js';
import { HTTP_OPTIONS, type HttpOptions } from '../http-options.js';
import { PORTS } from '../ports-token.js';
import { AnsweredInstead } from '../responses/reply.js';
import { wantsPage } from '../server/for-programs.js';
import { requestContextOf } from '../server/request-context.js';
import { accountsBeside } from './accounts/accounts-cookie.js';
import { requireConfirmed } from './confirm-identity.js';
import { Csrf } from './csrf.js';
import { FACTORS_PATH } from './factor-notice.js';
import { FormFields, readForm, TAKES_FILES } from './form-fields.js';
import { Navigation } from './navigation.js';
import { redirectTo } from './page.js';
import { pageContextOf, pageContexts } from './page-context.js';

/** Who may see a page of the settings area, and send its forms. Beside the guards of keys, which let these routes through. */
@Injectable()
export class PersonGuard implements CanActivate {
  private readonly csrf: Csrf;

  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(Navigation) private readonly navigation: Navigation,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
    @Inject(HTTP_OPTIONS) private readonly options: HttpOptions,
  ) {
    this.csrf = new Csrf(ports);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(this.reflector, context);
    if (access?.needs !== 'person' && access?.needs !== 'visitor') return true;
    const request = context.switchToHttp().getRequest<Request>();
    const requestContext = requestContextOf(request);
    const known = request.session?.known ?? null;
    const { clientIp, namedIp, requestId } = requestContext;
    const isAdmitted = known === null || this.ports.ipLists.admits(known.customer.settingsIpList, namedIp);
    // Elsewhere they are nobody: they may sign out, or sign in to another account.
    const person = isAdmitted ? known : null;
    const form = new FormFields(new URLSearchParams());
    const others = known === null ? [] : await accountsBeside(this.ports, request, known);
    const service = { navigation: this.navigation.entries, hasDocs: this.options.docs !== false };
    const pageContext = { request, person, others, clientIp, requestId, form, ...service };
    pageContexts.set(requestContext, pageContext);
    requestContext.userId = person?.user.id ?? null;
    if (person !== null) {
      const response = context.switchToHttp().getResponse<Response>();
      this.traffic.followBytes(request, response, person.customer.id, 'settings');
      await touchSession(this.ports, person, clientIp);
    }
    if (access.needs === 'person') {
      if (!isAdmitted) throw notAdmitted(namedIp);
      this.requirePerson(request, access.role);
      if (person !== null && access.beforeFactor !== true) this.requireFactor(request, person);
    }
    if (request.method === 'GET' || request.method === 'HEAD') return true;
    const takesFiles = this.reflector.get<boolean | undefined>(TAKES_FILES, context.getHandler()) ?? false;
    const sent = await readForm(request, takesFiles ? this.ports.limits.inlineMaxBytes : null);
    pageContexts.set(requestContext, { ...pageContext, form: sent });
    try {
      this.csrf.requireToken(request);
      if (access.needs !== 'person' || person === null) return true;
      if (!access.uncounted) await requireChangeBudget(this.ports, person.user.id);
      if (person.customer.status === 'suspended' && !access.whileSuspended) {
        throw new DomainError('account_suspended', 'This account is suspended: it is read-only.');
      }
      if (access.confirmed) await requireConfirmed(this.ports, { ...pageContext, form: sent }, person);
    } catch (error) {
      await sent.leave();
      throw error;
    }
    return true;
  }

  /** Where everyone needs a second factor, pages lead to the one that adds it. */
  private requireFactor(request: Request, person: KnownSession): void {
    if (!mustAddFactor(person, this.ports.clock.now())) return;
    if (wantsPage(requestContextOf(request), request)) {
      throw new AnsweredInstead(redirectTo(pageContextOf(request), FACTORS_PATH));
    }
    throw new DomainError('scope_required', 'This account requires two-step sign-in. Set it up under Account first.');
  }

  private requirePerson(request: Request, role: Role): void {
    const person = request.session?.known;
    if (person === undefined) {
      if (!wantsPage(requestContextOf(request), request)) throw new DomainError('unauthorized', 'Sign in first.');
      const next = request.method === 'GET' ? `?next=${encodeURIComponent(request.url)}` : '';
      throw new AnsweredInstead(redirectTo(pageContextOf(request), `/settings/sign-in${next}`));
    }
    if (!mayActAs(person.user.role, role)) {
      throw new DomainError(
        'scope_required',
        `This needs the role ${role}, and you have ${person.user.role}. An owner of this account can change that.`,
      );
    }
  }
}
