import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Old imports are forgotten: first their items, of which the counts stay, then themselves. An import that photos name leaves a row that
 * says its number only, for what they refer to.
 */
export class ForgottenImports1763700000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE forgotten_items (
        customer_id bigint NOT NULL,
        import_id bigint NOT NULL,
        status text COLLATE "C" NOT NULL,
        items bigint NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (customer_id, import_id, status),
        FOREIGN KEY (customer_id, import_id) REFERENCES imports (customer_id, id) ON DELETE CASCADE
      );
      ALTER TABLE imports
        ADD COLUMN items_forgotten boolean NOT NULL DEFAULT false,
        ADD COLUMN forgotten boolean NOT NULL DEFAULT false;
      CREATE INDEX imports_ended ON imports (customer_id, items_forgotten, completed_at) WHERE completed_at IS NOT NULL;
      CREATE INDEX imports_due_forgetting ON imports (items_forgotten, completed_at, customer_id) WHERE completed_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM imports WHERE forgotten;
      DROP INDEX imports_ended, imports_due_forgetting;
      ALTER TABLE imports DROP COLUMN items_forgotten, DROP COLUMN forgotten;
      DROP TABLE forgotten_items;
    `);
  }
}
