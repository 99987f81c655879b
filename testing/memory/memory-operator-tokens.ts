import type {
  OperatorToken,
  OperatorTokenRepository,
  OperatorTokenStore,
} from '../../src/core/operators/operator-token.js';
import { addOperatorEntry } from './memory-audit.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';

export class MemoryOperatorTokenStore implements OperatorTokenStore {
  constructor(private readonly database: MemoryDatabase) {}

  findByHash(tokenHash: string): Promise<OperatorToken | null> {
    return this.database.transaction(async () => {
      const [token] = this.all().filter((each) => each.tokenHash === tokenHash && each.deletedAt === null);
      return token ?? null;
    });
  }

  list(): Promise<readonly OperatorToken[]> {
    return this.database.transaction(async () => this.all());
  }

  transaction<T>(work: (tokens: OperatorTokenRepository) => Promise<T>): Promise<T> {
    const { operatorTokens } = this.database;
    return this.database.transaction(() =>
      work({
        list: async () => this.all(),
        insert: async (token) => {
          const row: OperatorToken = { ...token, id: this.database.next('operator token'), deletedAt: null };
          operatorTokens.set(row.id, row);
          return copyOf(row);
        },
        update: async (token) => operatorTokens.set(token.id, token),
        addOperatorEntry: async (actor, made) => addOperatorEntry(this.database, actor, made),
      }),
    );
  }

  private all(): OperatorToken[] {
    return this.database.operatorTokens.all().map(copyOf);
  }
}
