import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Set for an endpoint whose events a program claims by itself; see core's `WebhookEndpoint`. */
export class WebhookListeners1763700000231 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_endpoints ADD COLUMN listening_until timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_endpoints DROP COLUMN listening_until');
  }
}
