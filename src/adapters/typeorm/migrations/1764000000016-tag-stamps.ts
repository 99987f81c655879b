import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A stamp of the names of each customer's tags: photos that were read under another one may have other tags now (photos/photo-cache.ts). It follows
 * every statement that changes or deletes a tag, at the end of its transaction: no transaction waits for another's stamp and then locks more. As
 * the owner of the tables, so that it also works for a process of the earlier version, whose role knows nothing of the table.
 */
export class TagStamps1764000000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE tag_stamps (
        customer_id bigint PRIMARY KEY REFERENCES customers (id) ON DELETE CASCADE,
        stamp uuid NOT NULL
      ) WITH (fillfactor = 50);
      CREATE FUNCTION stamp_tags() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
      BEGIN
        INSERT INTO tag_stamps AS known (customer_id, stamp) VALUES (OLD.customer_id, gen_random_uuid())
        ON CONFLICT (customer_id) DO UPDATE SET stamp = excluded.stamp WHERE known.xmin <> pg_current_xact_id()::xid;
        RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER stamp_tags AFTER UPDATE OR DELETE ON tags
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stamp_tags();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER stamp_tags ON tags;
      DROP FUNCTION stamp_tags;
      DROP TABLE tag_stamps;
    `);
  }
}
