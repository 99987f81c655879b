import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Photos, what is counted of them, and what similar ones and the map are found by. */
export class Photos1764000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createMapCell(runner);
    await createPhotos(runner);
    await createTotals(runner);
    await createHashes(runner);
    // Which renditions are being made, so that no two processes make the same one. Backed up like everything else, and expired when restored.
    await runner.query(`
      CREATE TABLE rendition_leases (
        customer_id bigint NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
        key text COLLATE "C" NOT NULL,
        token uuid NOT NULL,
        lease_until timestamptz NOT NULL,
        PRIMARY KEY (customer_id, key)
      ) WITH (fillfactor = 70);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE rendition_leases, separated_photos, photo_hashes, photo_totals, photo_exif, photos;
      DROP SEQUENCE photo_dup_seq;
      DROP FUNCTION photos_came, photos_went, photos_changed, add_up_photo_totals, map_cell;
    `);
  }
}

/**
 * A cell of any grid whose lines divide those of a coarser one is one range of `map_cell`: the bits of column and row at the finest grid, in turn
 * (docs/decisions/0011).
 */
async function createMapCell(runner: QueryRunner): Promise<void> {
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

/**
 * `trashed` leads in the indexes of the sorts, so that neither a full trash slows the library nor a full library the trash. Text that is indexed
 * is `COLLATE "C"`: the same order on every server, and no index that a new version of the system's locales makes wrong.
 *
 * What GET /photos reads of a library is bounded by the page, not by the library (docs/decisions/0011). `facets` holds everything that has few
 * values in one number, so that one index in the order of the list answers each of those filters and all of them together. Values that are
 * offered as a filter are read from an index, from one to the next (docs/decisions/0011).
 *
 * No two photos share an original: with one of them its bytes would go. `current` is false until a worker has looked up the place of a photo,
 * and until then it is not found by it.
 */
async function createPhotos(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE photos (
      customer_id bigint NOT NULL REFERENCES customers (id),
      id bigint NOT NULL DEFAULT nextval('photo_id_seq'),
      filename text NOT NULL,
      filename_key text COLLATE "C" NOT NULL,
      content_type text COLLATE "C" NOT NULL,
      size_bytes bigint NOT NULL,
      sha256 text COLLATE "C" NOT NULL,
      dup_seq bigint NOT NULL DEFAULT 0,
      blob_key text NOT NULL,
      width integer NOT NULL,
      height integer NOT NULL,
      orientation integer NOT NULL,
      rotation integer NOT NULL,
      alpha boolean NOT NULL,
      title text,
      description text,
      latitude double precision,
      longitude double precision,
      altitude double precision,
      rating integer,
      taken_at timestamptz(3),
      taken_at_local text,
      time_zone text,
      taken_at_source text NOT NULL,
      camera json,
      camera_key text COLLATE "C" NOT NULL,
      exposure json,
      external_id text COLLATE "C",
      metadata json NOT NULL,
      import_id bigint,
      damaged boolean NOT NULL,
      thumbhash text,
      dominant_color text,
      trashed_at timestamptz(3),
      purge_at timestamptz(3),
      trashed boolean NOT NULL GENERATED ALWAYS AS (trashed_at IS NOT NULL) STORED,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      version integer NOT NULL,
      search tsvector NOT NULL,
      facets smallint NOT NULL GENERATED ALWAYS AS (
        (((coalesce(rating + 1, 0) * 3 + sign(width - height)::integer + 1) * 2 + (latitude IS NOT NULL)::integer) * 2
          + (search @@ ('''' || customer_id::text || '#'':*')::tsquery)::integer)::smallint
      ) STORED,
      original_lost_at timestamptz(3),
      focus_x double precision,
      focus_y double precision,
      place_country text,
      place_region text,
      place_city text,
      current boolean NOT NULL DEFAULT false,
      phash text COLLATE "C",
      companion json,
      PRIMARY KEY (customer_id, id),
      UNIQUE (customer_id, sha256, dup_seq),
      FOREIGN KEY (customer_id, import_id) REFERENCES imports (customer_id, id) ON DELETE SET NULL (import_id),
      CHECK ((latitude IS NULL) = (longitude IS NULL))
    );
    CREATE SEQUENCE photo_dup_seq AS bigint;
    CREATE UNIQUE INDEX photos_id ON photos (customer_id, trashed, id, created_at);
    CREATE UNIQUE INDEX photos_blob_key ON photos (customer_id, blob_key);
    CREATE INDEX photos_created_at ON photos (customer_id, trashed, created_at, id);
    CREATE INDEX photos_taken_at ON photos (customer_id, trashed, taken_at, id) INCLUDE (created_at);
    CREATE INDEX photos_filename ON photos (customer_id, trashed, filename_key, id);
    CREATE INDEX photos_filename_created_at ON photos (customer_id, trashed, filename_key, created_at, id);
    CREATE INDEX photos_size_bytes ON photos (customer_id, trashed, size_bytes, id);
    CREATE INDEX photos_updated_at ON photos (customer_id, trashed, updated_at, id) INCLUDE (created_at);
    CREATE INDEX photos_facets_created_at ON photos (customer_id, trashed, facets, content_type, created_at, id);
    CREATE INDEX photos_facets_id ON photos (customer_id, trashed, facets, content_type, id);
    CREATE INDEX photos_camera_created_at ON photos (customer_id, trashed, camera_key, created_at, id);
    CREATE INDEX photos_camera_id ON photos (customer_id, trashed, camera_key, id);
    CREATE INDEX photos_lens ON photos (customer_id, trashed, ((camera ->> 'lens') COLLATE "C"))
      WHERE ((camera ->> 'lens') COLLATE "C") > '';
    CREATE INDEX photos_iso ON photos (customer_id, ((exposure ->> 'iso')::float8)) WHERE exposure ->> 'iso' IS NOT NULL;
    CREATE INDEX photos_focal_length ON photos (customer_id, ((exposure ->> 'focalLength35mm')::float8))
      WHERE exposure ->> 'focalLength35mm' IS NOT NULL;
    CREATE INDEX photos_country ON photos (customer_id, trashed, place_country) WHERE place_country IS NOT NULL;
    CREATE INDEX photos_external_id ON photos (customer_id, external_id, trashed, created_at, id) WHERE external_id IS NOT NULL;
    CREATE INDEX photos_import ON photos (customer_id, import_id, trashed, created_at, id) WHERE import_id IS NOT NULL;
    CREATE INDEX photos_location ON photos (customer_id, latitude, longitude) INCLUDE (trashed, created_at, id)
      WHERE latitude IS NOT NULL;
    CREATE INDEX photos_map_cell ON photos (customer_id, map_cell(latitude, longitude)) INCLUDE (latitude, longitude, id, trashed)
      WHERE latitude IS NOT NULL AND NOT trashed;
    CREATE INDEX photos_search ON photos USING gin (search);
    CREATE INDEX photos_purge_at ON photos (customer_id, purge_at) WHERE purge_at IS NOT NULL;
    CREATE INDEX photos_due_purge ON photos (purge_at, customer_id) WHERE purge_at IS NOT NULL;
    CREATE INDEX photos_outdated ON photos (customer_id, id) WHERE NOT current;
    CREATE INDEX photos_not_in_pairs ON photos (customer_id, id)
      WHERE (filename ~ '[\\u0e00-\\u1dff\\u20d0-\\U0010ffff]' OR title ~ '[\\u0e00-\\u1dff\\u20d0-\\U0010ffff]'
        OR description ~ '[\\u0e00-\\u1dff\\u20d0-\\U0010ffff]') AND NOT search @@ 'pairs'::tsquery;
    CREATE TABLE photo_exif (
      customer_id bigint NOT NULL,
      photo_id bigint NOT NULL,
      exif json NOT NULL,
      PRIMARY KEY (customer_id, photo_id),
      FOREIGN KEY (customer_id, photo_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE
    );
  `);
}

const TOTALS = 'customer_id, photos, storage_bytes, trashed_photos, trashed_bytes';

/** Rows of photos, each with `sign` 1 when it came and -1 when it went, as what they change. */
const changes = (signed: string) => `
  INSERT INTO photo_totals (${TOTALS})
  SELECT * FROM (
    SELECT customer_id,
      sum(sign) FILTER (WHERE NOT trashed) AS photos, sum(sign * size_bytes) FILTER (WHERE NOT trashed) AS storage_bytes,
      sum(sign) FILTER (WHERE trashed) AS trashed_photos, sum(sign * size_bytes) FILTER (WHERE trashed) AS trashed_bytes
    FROM (${signed}) signed GROUP BY customer_id
  ) changed
  WHERE coalesce(photos, 0) <> 0 OR coalesce(storage_bytes, 0) <> 0
    OR coalesce(trashed_photos, 0) <> 0 OR coalesce(trashed_bytes, 0) <> 0`;

const came = 'SELECT customer_id, trashed, size_bytes, 1 AS sign FROM came';
const went = 'SELECT customer_id, trashed, size_bytes, -1 AS sign FROM went';

/** The photos and bytes that each customer has: the sum of its rows (docs/decisions/0008). */
async function createTotals(runner: QueryRunner): Promise<void> {
  await runner.query(`
      CREATE TABLE photo_totals (
        customer_id bigint NOT NULL REFERENCES customers (id),
        id bigint GENERATED BY DEFAULT AS IDENTITY,
        photos bigint,
        storage_bytes bigint,
        trashed_photos bigint,
        trashed_bytes bigint,
        PRIMARY KEY (customer_id, id)
      );
      CREATE FUNCTION photos_came() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN ${changes(came)}; RETURN NULL; END $$;
      CREATE FUNCTION photos_went() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN ${changes(went)}; RETURN NULL; END $$;
      CREATE FUNCTION photos_changed() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN ${changes(`${came} UNION ALL ${went}`)}; RETURN NULL; END $$;
      CREATE TRIGGER photos_came AFTER INSERT ON photos
        REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION photos_came();
      CREATE TRIGGER photos_went AFTER DELETE ON photos
        REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION photos_went();
      CREATE TRIGGER photos_changed AFTER UPDATE ON photos
        REFERENCING NEW TABLE AS came OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION photos_changed();
  `);
  // Rows that another transaction is adding up are passed over, so that nobody waits for anybody.
  await runner.query(`
      CREATE FUNCTION add_up_photo_totals() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT count(*) FROM photo_totals WHERE customer_id = NEW.customer_id) > 64 THEN
          WITH held AS MATERIALIZED (
            SELECT id FROM photo_totals WHERE customer_id = NEW.customer_id FOR UPDATE SKIP LOCKED
          ), gone AS (
            DELETE FROM photo_totals WHERE customer_id = NEW.customer_id AND id IN (SELECT id FROM held) RETURNING *
          )
          INSERT INTO photo_totals (${TOTALS})
          SELECT NEW.customer_id, sum(photos), sum(storage_bytes), sum(trashed_photos), sum(trashed_bytes) FROM gone
          HAVING count(*) > 0;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER photo_totals_are_few AFTER INSERT ON photo_totals
        FOR EACH ROW WHEN (pg_trigger_depth() = 1) EXECUTE FUNCTION add_up_photo_totals();
  `);
}

/**
 * Perceptual hashes by their quarters, and pairs of photos that somebody has said to be different, although they look alike. The hashes have a
 * table of their own: photos are updated often, hashes never. Its columns are all in each of its indexes, so that a search reads nothing else.
 */
async function createHashes(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE photo_hashes (
      customer_id bigint NOT NULL,
      photo_id bigint NOT NULL,
      bits bigint NOT NULL,
      quarter_0 integer NOT NULL GENERATED ALWAYS AS (((bits >> 48) & 65535)::integer) STORED,
      quarter_1 integer NOT NULL GENERATED ALWAYS AS (((bits >> 32) & 65535)::integer) STORED,
      quarter_2 integer NOT NULL GENERATED ALWAYS AS (((bits >> 16) & 65535)::integer) STORED,
      quarter_3 integer NOT NULL GENERATED ALWAYS AS ((bits & 65535)::integer) STORED,
      PRIMARY KEY (customer_id, photo_id),
      FOREIGN KEY (customer_id, photo_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE
    );
    CREATE INDEX photo_hashes_0 ON photo_hashes (customer_id, quarter_0, bits, photo_id);
    CREATE INDEX photo_hashes_1 ON photo_hashes (customer_id, quarter_1, bits, photo_id);
    CREATE INDEX photo_hashes_2 ON photo_hashes (customer_id, quarter_2, bits, photo_id);
    CREATE INDEX photo_hashes_3 ON photo_hashes (customer_id, quarter_3, bits, photo_id);
    CREATE TABLE separated_photos (
      customer_id bigint NOT NULL,
      photo_id bigint NOT NULL,
      other_id bigint NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (customer_id, photo_id, other_id),
      CHECK (photo_id < other_id),
      FOREIGN KEY (customer_id, photo_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE,
      FOREIGN KEY (customer_id, other_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE
    );
    CREATE INDEX separated_photos_other ON separated_photos (customer_id, other_id);
  `);
}
