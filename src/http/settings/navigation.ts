import type { Role } from '../../core/users/user.js';

export interface NavigationEntry {
  /** What a page names as its section. */
  readonly section: string;
  readonly label: string;
  readonly path: string;
  /** Who sees it. */
  readonly role: Role;
}

/** The areas that there are, in their order. The first is where people land. */
export const navigation: readonly NavigationEntry[] = [
  { section: 'library', label: 'Library', path: '/settings/library', role: 'member' },
  { section: 'imports', label: 'Imports', path: '/settings/imports', role: 'member' },
  { section: 'tags', label: 'Tags', path: '/settings/tags', role: 'member' },
  { section: 'keys', label: 'API keys', path: '/settings/keys', role: 'owner' },
  { section: 'webhooks', label: 'Webhooks', path: '/settings/webhooks', role: 'owner' },
  { section: 'usage', label: 'Usage', path: '/settings/usage', role: 'member' },
  { section: 'account', label: 'Account', path: '/settings/account', role: 'member' },
];

/** Where people land after signing in: the first area that everyone may see. */
export const HOME = navigation.find(({ role }) => role === 'member')?.path ?? '/settings/account';
