import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From which addresses people may use the settings area of a customer. */
export class SettingsAddresses1763700000240 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE customers ADD settings_ip_list text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE customers DROP settings_ip_list');
  }
}
