import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Photos by place, for maps. A cell of any grid whose lines divide those of a coarser one is one range of `map_cell`: the bits of column and row
 * at the finest grid, in turn (docs/decisions/0066).
 */
export class MapCells1763700000162 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION map_cell(latitude float8, longitude float8) RETURNS bigint
        LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      DECLARE
        x bigint := least(floor((greatest(-180, least(180, longitude)) + 180) / 360 * 1048576), 1048575)::bigint;
        y bigint := least(floor((greatest(-90, least(90, latitude)) + 90) / 360 * 1048576), 524287)::bigint;
      BEGIN
        x := (x | (x << 16)) & 281470681808895;
        x := (x | (x << 8)) & 71777214294589695;
        x := (x | (x << 4)) & 1085102592571150095;
        x := (x | (x << 2)) & 3689348814741910323;
        x := (x | (x << 1)) & 6148914691236517205;
        y := (y | (y << 16)) & 281470681808895;
        y := (y | (y << 8)) & 71777214294589695;
        y := (y | (y << 4)) & 1085102592571150095;
        y := (y | (y << 2)) & 3689348814741910323;
        y := (y | (y << 1)) & 6148914691236517205;
        RETURN x | (y << 1);
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION map_cell');
  }
}
