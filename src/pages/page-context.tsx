import { createParamDecorator, type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { DiscoveryService, Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Caller, scopes } from '../core/access/caller.js';
import type { Id } from '../core/shared/ids.js';
import type { KnownSession, OtherAccount } from '../core/users/session.js';
import { mayActAs, type PeopleManager, type Role, userActor } from '../core/users/user.js';
import { type Controller, routesOf } from '../http/route-table.js';
import { RequestSlot, requestContextOf } from '../http/server/request-context.js';
import type { FormFields } from './form-fields.js';
import type { Formats } from './formats.js';
import type { IconName } from './icon-shapes.js';

/** A request to the settings area, as pages see it. */
export interface PageContext {
  readonly request: Request;
  /** Who is signed in; on public pages there may be no one. */
  readonly person: KnownSession | null;
  /** Where else this person is signed in with this browser. */
  readonly others: readonly OtherAccount[];
  /** The fields of a form; empty when none was sent. */
  readonly form: FormFields;
  readonly navigation: readonly NavigationEntry[];
  /** The pages that photos which are selected in the library can be taken to. */
  readonly forSelection: readonly SelectionPage[];
  readonly hasDocs: boolean;
  /** Numbers and dates as this browser writes them. */
  readonly formats: Formats;
  readonly clientIp: string;
  readonly requestId: string;
}

/** Set by the first guard of pages. */
export const pageContexts = new RequestSlot<PageContext>();

/** The page context of a request. Only after the guards. */
export const CurrentPageContext = createParamDecorator((_: unknown, context: ExecutionContext): PageContext => {
  return pageContextOf(context.switchToHttp().getRequest<Request>());
});

export function pageContextOf(request: Request): PageContext {
  const pageContext = pageContexts.get(requestContextOf(request));
  if (pageContext === undefined) throw new Error('the person is known only after the guards of pages');
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

interface NavigationEntry {
  /** The name by which pages give their section: the path below /settings. */
  readonly section: string;
  readonly label: string;
  readonly path: string;
  readonly role: Role;
}

type DeclaredEntry = Pick<NavigationEntry, 'label'> & { readonly position: number };

const NAVIGATION = Symbol('Navigation');

/** The page is an entry of the navigation. Entries are sorted by position; leave gaps. */
export const InNavigation = (label: string, position: number) =>
  SetMetadata<symbol, DeclaredEntry>(NAVIGATION, { label, position });

/** A page for photos that are selected in the library: `?photos=7.9` names them. */
interface SelectionPage {
  /** The button that leads there: its name in the form, and what it shows. */
  readonly name: string;
  readonly label: string;
  readonly icon: IconName;
  readonly path: string;
  readonly role: Role;
}

/** The page takes photos that are selected in the library. */
export const ForSelection = Reflector.createDecorator<Omit<SelectionPage, 'path' | 'role'>>();

/** Where people land after signing in: an area that everyone may see. */
export const HOME = '/settings/library';

/** The areas that there are, as their pages declare them. */
@Injectable()
export class Navigation {
  @Inject(DiscoveryService) private readonly discovery: DiscoveryService;
  @Inject(Reflector) private readonly reflector: Reflector;
  private known: Pick<PageContext, 'navigation' | 'forSelection'> | undefined;

  get areas(): Pick<PageContext, 'navigation' | 'forSelection'> {
    if (this.known !== undefined) return this.known;
    const routes = this.discovery
      .getControllers()
      .flatMap(({ metatype }) => routesOf(metatype as Controller, this.reflector));
    const entries = routes.flatMap(({ path, access, handler }) => {
      const declared = this.reflector.get<DeclaredEntry | undefined>(NAVIGATION, handler);
      if (declared === undefined || access?.needs !== 'person') return [];
      return [{ ...declared, path, role: access.role, section: path.replace('/settings/', '') }];
    });
    const forSelection = routes.flatMap(({ path, access, handler }) => {
      const button = this.reflector.get(ForSelection, handler);
      return button === undefined || access?.needs !== 'person' ? [] : [{ ...button, path, role: access.role }];
    });
    this.known = { navigation: entries.sort((a, b) => a.position - b.position), forSelection };
    return this.known;
  }
}

/** The request whose page is being rendered. */
export const RenderedFor = createContext<PageContext | null>(null);

export function usePageContext(): PageContext {
  const context = useContext(RenderedFor);
  if (context === null) throw new Error('A part of a page is rendered inside RenderedFor.');
  return context;
}

/** Whether there is this area: what another page says of it is left out otherwise. */
export function useHasArea(section: string): boolean {
  return usePageContext().navigation.some((entry) => entry.section === section);
}

/** Whether the person who sees the page may do what needs this role. What may not be done is not offered either. */
export function useMayActAs(needed: Role): boolean {
  const { person } = usePageContext();
  return person !== null && mayActAs(person.user.role, needed);
}

/** A part of a page for those who have at least this role. */
export function Allowed({ least, children }: { least: Role; children: ComponentChildren }) {
  return useMayActAs(least) ? children : null;
}
