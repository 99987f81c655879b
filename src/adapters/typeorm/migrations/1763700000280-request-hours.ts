import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The requests of each key by hour, kept for a day. */
export class RequestHours1763700000280 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE request_hours (
        customer_id bigint NOT NULL,
        api_key_id bigint NOT NULL,
        day date NOT NULL,
        hour integer NOT NULL,
        requests integer NOT NULL,
        limited integer NOT NULL,
        failed integer NOT NULL,
        PRIMARY KEY (customer_id, api_key_id, day, hour),
        FOREIGN KEY (customer_id, api_key_id) REFERENCES api_keys (customer_id, id) ON DELETE CASCADE
      ) WITH (fillfactor = 70);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE request_hours');
  }
}
