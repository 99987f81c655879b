import { type EntityManager, IsNull } from 'typeorm';
import type {
  OperatorToken,
  OperatorTokenRepository,
  OperatorTokenStore,
} from '../../../core/operators/operator-token.js';
import { requireFound } from '../../../core/shared/errors.js';
import { addOperatorEntry } from '../audit/audit.repository.js';
import { TypeormStore } from '../database/repository.js';
import { column, insert, tableOf, update } from '../database/sql.js';
import { inTransaction } from '../database/transaction.js';

export const operatorTokenTable = tableOf<OperatorToken>('operatorToken', 'operator_tokens', {
  id: column.generatedKey,
  name: column.text,
  tokenHash: column.text,
  lastFour: column.text,
  scopes: { type: 'text', array: true },
  ipList: { type: 'text', array: true },
  expiresAt: column.optionalInstant,
  createdAt: column.instant,
  deletedAt: column.optionalInstant,
});

export class TypeormOperatorTokenStore extends TypeormStore implements OperatorTokenStore {
  /** Nothing is cached: once a token is deleted, no later request finds it. */
  findByHash(tokenHash: string): Promise<OperatorToken | null> {
    return this.query((manager) => manager.findOneBy(operatorTokenTable, { tokenHash, deletedAt: IsNull() }));
  }

  list(): Promise<readonly OperatorToken[]> {
    return this.query(listTokens);
  }

  transaction<T>(work: (tokens: OperatorTokenRepository) => Promise<T>): Promise<T> {
    return inTransaction(this.dataSource, async (manager) => {
      // Blocks others that change tokens, but not readers.
      await manager.query('LOCK TABLE operator_tokens IN SHARE ROW EXCLUSIVE MODE');
      return work({
        list: () => listTokens(manager),
        insert: async (token) =>
          requireFound((await insert(manager, operatorTokenTable, [token]))[0], 'operator_token'),
        update: (token) => update(manager, operatorTokenTable, token),
        addOperatorEntry: (actor, made) => addOperatorEntry(manager, actor, made),
      });
    });
  }
}

function listTokens(manager: EntityManager): Promise<readonly OperatorToken[]> {
  return manager.find(operatorTokenTable, { order: { id: 'ASC' } });
}
