import type { Role } from '../../core/users/user.js';

/** What each role is for, as documents and pages say it after its name. From the most to the least. */
export const roleMeanings: Readonly<Record<Role, string>> = {
  owner: 'may do everything',
  admin: 'may do everything but erase the account, edit its settings, and manage owners',
  editor: 'works with photos, imports, tags and shares',
  viewer: 'looks at photos and downloads them',
};

/** `an editor` */
export function withArticle(role: Role): string {
  return `${role === 'viewer' ? 'a' : 'an'} ${role}`;
}
