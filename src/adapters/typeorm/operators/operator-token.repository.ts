import { type DataSource, IsNull } from 'typeorm';
import {
  MAX_OPERATOR_TOKENS,
  type NewOperatorToken,
  type OperatorToken,
  type OperatorTokenSettings,
} from '../../../core/operators/operator-token.js';
import type { OperatorTokenStore } from '../../../core/operators/operator-token-store.js';
import { DomainError, requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { insert } from '../database/rows.js';
import { inTransaction, withoutTransaction } from '../database/transaction.js';
import { operatorTokenTable } from './operator-token.table.js';

export class TypeormOperatorTokenStore implements OperatorTokenStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Nothing is cached: once a token is deleted, no later request finds it. */
  findByHash(tokenHash: string): Promise<OperatorToken | null> {
    return withoutTransaction(this.dataSource, (manager) =>
      manager.findOneBy(operatorTokenTable, { tokenHash, deletedAt: IsNull() }),
    );
  }

  list(): Promise<readonly OperatorToken[]> {
    return withoutTransaction(this.dataSource, (manager) => manager.find(operatorTokenTable, { order: { id: 'ASC' } }));
  }

  create(token: NewOperatorToken): Promise<OperatorToken> {
    return inTransaction(this.dataSource, async (manager) => {
      // Tokens are created one at a time, so that their number stays within its limit. Readers are not blocked.
      await manager.query('LOCK TABLE operator_tokens IN SHARE ROW EXCLUSIVE MODE');
      if ((await manager.countBy(operatorTokenTable, { deletedAt: IsNull() })) >= MAX_OPERATOR_TOKENS) {
        const message = `There can be at most ${MAX_OPERATOR_TOKENS} operator tokens. Delete one first.`;
        throw new DomainError('limit_reached', message, { limit: MAX_OPERATOR_TOKENS, name: 'operatorTokens' });
      }
      return requireFound((await insert(manager, operatorTokenTable, [token]))[0], 'operator_token');
    });
  }

  update(id: Id, { ipList, ...others }: Partial<OperatorTokenSettings>): Promise<OperatorToken | null> {
    return inTransaction(this.dataSource, async (manager) => {
      const live = { id, deletedAt: IsNull() };
      const changes = { ...others, ...(ipList && { ipList: [...ipList] }) };
      if (Object.keys(changes).length > 0) await manager.update(operatorTokenTable, live, changes);
      return manager.findOneBy(operatorTokenTable, live);
    });
  }

  async delete(id: Id, at: Date): Promise<boolean> {
    const { affected } = await withoutTransaction(this.dataSource, (manager) =>
      manager.update(operatorTokenTable, { id, deletedAt: IsNull() }, { deletedAt: at }),
    );
    return affected === 1;
  }
}
