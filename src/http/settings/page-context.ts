import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { type Caller, scopes } from '../../core/access/caller.js';
import type { Id } from '../../core/shared/ids.js';
import type { KnownSession, OtherAccount } from '../../core/users/session.js';
import { type PeopleManager, userActor } from '../../core/users/user.js';
import { RequestSlot, requestContextOf } from '../server/request-context.js';
import type { FormFields } from './form-fields.js';
import type { NavigationEntry } from './navigation.js';

/** A request to the settings area, as pages see it. */
export interface PageContext {
  readonly request: Request;
  /** Who is signed in; on public pages there may be nobody. */
  readonly person: KnownSession | null;
  /** Where else this person is signed in with this browser. */
  readonly others: readonly OtherAccount[];
  /** The fields of a form; empty when none was sent. */
  readonly form: FormFields;
  /** The areas that there are. */
  readonly navigation: readonly NavigationEntry[];
  /** Whether the documentation is served. */
  readonly hasDocs: boolean;
  readonly clientIp: string;
  readonly requestId: string;
}

/** Set by the guard of the settings area. */
export const pageContexts = new RequestSlot<PageContext>();

/** The page context of a request. Only after the guards. */
export const CurrentPageContext = createParamDecorator((_: unknown, context: ExecutionContext): PageContext => {
  return pageContextOf(context.switchToHttp().getRequest<Request>());
});

export function pageContextOf(request: Request): PageContext {
  const pageContext = pageContexts.get(requestContextOf(request));
  if (pageContext === undefined) throw new Error('the person is known only after the person guard');
  return pageContext;
}

/** Who is signed in. Only on pages for people. */
export function personOf({ person }: PageContext): KnownSession {
  if (person === null) throw new Error('a public page asked who is signed in');
  return person;
}

/** Whose pages these are. Only on pages for people. */
export function customerOf(context: PageContext): Id {
  return personOf(context).customer.id;
}

/** For use cases that the API has, too: here a person may do whatever a key could. */
export function callerOfPage(context: PageContext): Caller {
  const { customer, user } = personOf(context);
  const actor = userActor(user, context.clientIp);
  return { customerId: customer.id, apiKeyId: null, scopes, ipRestricted: false, actor };
}

/** For use cases about people: what a person may do with others depends on the own role. */
export function peopleManager(context: PageContext): PeopleManager {
  return { ...callerOfPage(context), role: personOf(context).user.role };
}
