import { scopeMeanings, scopes } from '../../core/access/caller.js';
import { Text, withMeanings } from './fields.js';
import { Texts } from './lists.js';

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
