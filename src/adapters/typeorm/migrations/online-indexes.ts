import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes of a table that may be large: others write to it while they are built, except in a transaction. What an interrupted build has left behind
 * is built anew.
 */
export abstract class OnlineIndexes implements MigrationInterface {
  static readonly online = true;
  /** By name, what follows `CREATE INDEX name ON`. */
  protected abstract readonly indexes: Readonly<Record<string, string>>;

  async up(runner: QueryRunner): Promise<void> {
    const concurrently = runner.isTransactionActive ? '' : 'CONCURRENTLY';
    for (const [name, definition] of Object.entries(this.indexes)) {
      const broken = await runner.query('SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid', [
        name,
      ]);
      if (broken.length > 0) await runner.query(`DROP INDEX ${concurrently} ${name}`);
      await runner.query(`CREATE INDEX ${concurrently} IF NOT EXISTS ${name} ON ${definition}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${Object.keys(this.indexes).join(', ')}`);
  }
}
