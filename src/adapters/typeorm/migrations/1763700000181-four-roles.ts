import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Members become editors. The release before writes `member` for as long as it still runs, so that is stored as `editor`, too; when it reads
 * a role that it does not know, it takes the person for a member.
 */
export class FourRoles1763700000181 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE users SET role = 'editor' WHERE role = 'member';
      CREATE FUNCTION member_is_editor() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.role := 'editor'; RETURN NEW; END $$;
      CREATE TRIGGER member_is_editor BEFORE INSERT OR UPDATE ON users
        FOR EACH ROW WHEN (NEW.role = 'member') EXECUTE FUNCTION member_is_editor();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER member_is_editor ON users;
      DROP FUNCTION member_is_editor();
      UPDATE users SET role = 'member' WHERE role <> 'owner';
    `);
  }
}
