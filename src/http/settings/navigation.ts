import { Inject, Injectable, SetMetadata } from '@nestjs/common';
import { DiscoveryService, Reflector } from '@nestjs/core';
import type { Role } from '../../core/users/user.js';
import { type Controller, routesOf } from '../route-table.js';

export interface NavigationEntry {
  /** What a page names as its section: the path below /settings. */
  readonly section: string;
  readonly label: string;
  readonly path: string;
  /** Who sees it. */
  readonly role: Role;
}

interface DeclaredEntry {
  readonly label: string;
  readonly position: number;
}

const NAVIGATION = Symbol('Navigation');

/** The page is an entry of the navigation. Entries are sorted by position; leave gaps. */
export const InNavigation = (label: string, position: number) =>
  SetMetadata<symbol, DeclaredEntry>(NAVIGATION, { label, position });

/** Where people land after signing in: an area that everyone may see. */
export const HOME = '/settings/library';

/** The areas that there are, as their pages declare them. */
@Injectable()
export class Navigation {
  private known: readonly NavigationEntry[] | undefined;

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  get entries(): readonly NavigationEntry[] {
    this.known ??= this.discovery
      .getControllers()
      .flatMap(({ metatype }) => routesOf(metatype as Controller, this.reflector))
      .flatMap(({ path, access, handler }) => {
        const declared = this.reflector.get<DeclaredEntry | undefined>(NAVIGATION, handler);
        if (declared === undefined || access?.needs !== 'person') return [];
        return [{ ...declared, path, role: access.role, section: path.replace('/settings/', '') }];
      })
      .sort((a, b) => a.position - b.position);
    return this.known;
  }
}
