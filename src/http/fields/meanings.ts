import { scopeMeanings, scopes } from '../../core/access/caller.js';
import type { Role } from '../../core/users/user.js';
import { withMeanings } from './declared.js';
import { Text, Texts } from './fields.js';

/** Fields of an API key, as its holder and the operator see it. */

export const KeyPrefix = () =>
  Text({ description: 'The beginning and the last four characters of the token.', example: 'phs_live_…x7Qa' });

export const KeyScopes = () =>
  Texts(undefined, {
    description: 'What the key may do. Never changes.',
    item: {
      type: 'string',
      enum: scopes,
      description: withMeanings('A scope.', scopeMeanings),
      examples: scopes.slice(0, 1),
    },
  });

/** The purpose of each role, as documents and pages say it after its name. From the most to the least. */
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
