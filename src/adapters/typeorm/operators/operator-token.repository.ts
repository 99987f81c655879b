import { type DataSource, type EntityManager, IsNull } from 'typeorm';
import { type Actor, changedFields } from '../../../core/audit/audit-entry.js';
import {
  MAX_OPERATOR_TOKENS,
  type NewOperatorToken,
  type OperatorToken,
  type OperatorTokenSettings,
  type OperatorTokenStore,
  operatorTokenSettings,
} from '../../../core/operators/operator-token.js';
import { DomainError, requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { addOperatorEntry } from '../audit/audit.repository.js';
import { generatedKey, insert, instant, optionalInstant, tableOf, text } from '../database/sql.js';
import { inTransaction, withoutTransaction } from '../database/transaction.js';

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

  create(token: NewOperatorToken, actor: Actor): Promise<OperatorToken> {
    return inTransaction(this.dataSource, async (manager) => {
      // Tokens are created one at a time, so that their number stays within its limit. Readers are not blocked.
      await manager.query('LOCK TABLE operator_tokens IN SHARE ROW EXCLUSIVE MODE');
      if ((await manager.countBy(operatorTokenTable, { deletedAt: IsNull() })) >= MAX_OPERATOR_TOKENS) {
        const message = `There can be at most ${MAX_OPERATOR_TOKENS} operator tokens. Delete one first.`;
        throw new DomainError('limit_reached', message, { limit: MAX_OPERATOR_TOKENS, name: 'operatorTokens' });
      }
      const created = requireFound((await insert(manager, operatorTokenTable, [token]))[0], 'operator_token');
      await addOperatorEntry(manager, actor, {
        action: 'operator_token.created',
        at: token.createdAt,
        subject: created,
      });
      return created;
    });
  }

  update(
    id: Id,
    { ipList, ...others }: Partial<OperatorTokenSettings>,
    at: Date,
    actor: Actor,
  ): Promise<OperatorToken | null> {
    return inTransaction(this.dataSource, async (manager) => {
      const before = await lockLive(manager, id);
      if (before === null) return null;
      const after: OperatorToken = { ...before, ...others, ...(ipList && { ipList: [...ipList] }) };
      const changes = changedFields(before, after, operatorTokenSettings);
      if (changes.length === 0) return before;
      const { name, expiresAt } = after;
      await manager.update(operatorTokenTable, { id }, { name, ipList: [...after.ipList], expiresAt });
      await addOperatorEntry(manager, actor, { action: 'operator_token.edited', at, subject: after, changes });
      return after;
    });
  }

  delete(id: Id, at: Date, actor: Actor): Promise<boolean> {
    return inTransaction(this.dataSource, async (manager) => {
      const subject = await lockLive(manager, id);
      if (subject === null) return false;
      await manager.update(operatorTokenTable, { id }, { deletedAt: at });
      await addOperatorEntry(manager, actor, { action: 'operator_token.deleted', at, subject });
      return true;
    });
  }
}

/** Changes of one token are made one after the other. */
function lockLive(manager: EntityManager, id: Id): Promise<OperatorToken | null> {
  return manager.findOne(operatorTokenTable, {
    where: { id, deletedAt: IsNull() },
    lock: { mode: 'pessimistic_write' },
  });
}
