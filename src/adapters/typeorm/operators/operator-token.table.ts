import type { OperatorToken } from '../../../core/operators/operator-token.js';
import { generatedKey, instant, optionalInstant, tableOf, text } from '../database/columns.js';

export const operatorTokenTable = tableOf<OperatorToken>('operatorToken', 'operator_tokens', {
  id: generatedKey,
  name: text,
  tokenHash: text,
  lastFour: text,
  scopes: { type: 'text', array: true },
  ipList: { type: 'text', array: true },
  expiresAt: optionalInstant,
  createdAt: instant,
  deletedAt: optionalInstant,
});
