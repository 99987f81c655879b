import type { Budget } from '../access/rolling-window.js';
import type { OperatorToken } from './operator-token.js';

/** Requests per minute of one token: a person who signs up costs several writes. */
export const operatorBudgets = { read: 300, write: 300 } as const;

export function operatorBudget({ id }: Pick<OperatorToken, 'id'>, group: 'read' | 'write'): Budget {
  return { name: `operator-${group}:${id}`, limit: operatorBudgets[group] };
}
