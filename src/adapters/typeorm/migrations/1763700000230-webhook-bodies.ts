import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the last attempt at a delivery exchanged. The index finds the few that still have it. */
export class WebhookBodies1763700000230 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_deliveries ADD COLUMN request_body text, ADD COLUMN response_body text;
      CREATE INDEX webhook_deliveries_bodies ON webhook_deliveries (created_at) WHERE request_body IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX webhook_deliveries_bodies;
      ALTER TABLE webhook_deliveries DROP COLUMN request_body, DROP COLUMN response_body;
    `);
  }
}
