import { type Actor, changedFields } from '../../src/core/audit/audit-entry.js';
import {
  MAX_OPERATOR_TOKENS,
  type NewOperatorToken,
  type OperatorToken,
  type OperatorTokenSettings,
  type OperatorTokenStore,
} from '../../src/core/operators/operator-token.js';
import { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { addOperatorEntry } from './memory-audit.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';

export class MemoryOperatorTokenStore implements OperatorTokenStore {
  constructor(private readonly database: MemoryDatabase) {}

  findByHash(tokenHash: string): Promise<OperatorToken | null> {
    return this.database.transaction(async () => {
      const [token] = this.live().filter((each) => each.tokenHash === tokenHash);
      return token === undefined ? null : copyOf(token);
    });
  }

  list(): Promise<readonly OperatorToken[]> {
    return this.database.transaction(async () => this.database.operatorTokens.all().map(copyOf));
  }

  create(token: NewOperatorToken, actor: Actor): Promise<OperatorToken> {
    return this.database.transaction(async () => {
      if (this.live().length >= MAX_OPERATOR_TOKENS) {
        const message = `There can be at most ${MAX_OPERATOR_TOKENS} operator tokens. Delete one first.`;
        throw new DomainError('limit_reached', message, { limit: MAX_OPERATOR_TOKENS, name: 'operatorTokens' });
      }
      const row: OperatorToken = { ...token, id: this.database.next('operator token'), deletedAt: null };
      this.database.operatorTokens.set(row.id, row);
      addOperatorEntry(this.database, actor, { action: 'operator_token.created', at: row.createdAt, subject: row });
      return copyOf(row);
    });
  }

  update(id: Id, given: Partial<OperatorTokenSettings>, at: Date, actor: Actor): Promise<OperatorToken | null> {
    return this.database.transaction(async () => {
      const [token] = this.live().filter((each) => each.id === id);
      if (token === undefined) return null;
      const changed = { ...token, ...given };
      const changes = changedFields(token, changed, ['name', 'ipList', 'expiresAt']);
      if (changes.length === 0) return copyOf(token);
      this.database.operatorTokens.set(id, changed);
      addOperatorEntry(this.database, actor, { action: 'operator_token.edited', at, subject: changed, changes });
      return copyOf(changed);
    });
  }

  delete(id: Id, at: Date, actor: Actor): Promise<boolean> {
    return this.database.transaction(async () => {
      const [token] = this.live().filter((each) => each.id === id);
      if (token === undefined) return false;
      this.database.operatorTokens.set(id, { ...token, deletedAt: at });
      addOperatorEntry(this.database, actor, { action: 'operator_token.deleted', at, subject: token });
      return true;
    });
  }

  private live(): OperatorToken[] {
    return this.database.operatorTokens.where(({ deletedAt }) => deletedAt === null);
  }
}
