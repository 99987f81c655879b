import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What requests of visitors have reserved stands for itself; until now it was added to what they had uploaded. */
export class UploadReservations1763700000250 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE shares ADD upload_reservations json NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE shares DROP upload_reservations');
  }
}
