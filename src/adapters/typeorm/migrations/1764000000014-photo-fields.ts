import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OnlineIndexes } from './online-indexes.js';

/** The digit of `facets` that says whether a photo is a favourite: the outermost, so that the numbers of photos that are none stay. */
const FAVORITE = 84;

/** The number that they are without favourites. */
const FACETS = `(((coalesce(NEW.rating + 1, 0) * 3 + sign(NEW.width - NEW.height)::integer + 1) * 2 + (NEW.latitude IS NOT NULL)::integer) * 2
  + (NEW.search @@ ('''' || NEW.customer_id::text || '#'':*')::tsquery)::integer)`;

/**
 * Favourites, creators, copyrights and keywords of photos, and what imports do with the tags and dates of files. `facets` is computed by a
 * trigger from here on: the expression of a generated column cannot change without all rows being written anew.
 */
export class PhotoFields1764000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE photos
        ADD COLUMN favorite boolean NOT NULL DEFAULT false,
        ADD COLUMN creator text,
        ADD COLUMN creator_key text COLLATE "C" NOT NULL DEFAULT '',
        ADD COLUMN copyright text,
        ADD COLUMN keywords text[] NOT NULL DEFAULT '{}',
        ALTER COLUMN facets DROP EXPRESSION;
      CREATE FUNCTION photo_facets() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.facets := NEW.favorite::integer * ${FAVORITE} + ${FACETS}; RETURN NEW; END $$;
      CREATE TRIGGER photo_facets BEFORE INSERT OR UPDATE OF rating, width, height, latitude, search, favorite ON photos
        FOR EACH ROW EXECUTE FUNCTION photo_facets();
      ALTER TABLE import_photos ADD COLUMN favorite boolean, ADD COLUMN creator text, ADD COLUMN copyright text;
      ALTER TABLE imports
        ADD COLUMN tag_duplicates boolean NOT NULL DEFAULT false,
        ADD COLUMN keywords_as_tags boolean NOT NULL DEFAULT false,
        ADD COLUMN date_from_filename boolean NOT NULL DEFAULT false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE imports DROP COLUMN tag_duplicates, DROP COLUMN keywords_as_tags, DROP COLUMN date_from_filename;
      ALTER TABLE import_photos DROP COLUMN favorite, DROP COLUMN creator, DROP COLUMN copyright;
      DROP TRIGGER photo_facets ON photos;
      DROP FUNCTION photo_facets;
      ALTER TABLE photos DROP COLUMN favorite, DROP COLUMN creator, DROP COLUMN creator_key, DROP COLUMN copyright, DROP COLUMN keywords,
        DROP COLUMN facets, ADD COLUMN facets smallint NOT NULL GENERATED ALWAYS AS (${FACETS.replaceAll('NEW.', '')}::smallint) STORED;
      CREATE INDEX photos_facets_created_at ON photos (customer_id, trashed, facets, content_type, created_at, id);
      CREATE INDEX photos_facets_id ON photos (customer_id, trashed, facets, content_type, id);
    `);
  }
}

/** The bytes of the thumbs that inspections made. Photos from before have thumbs that were synced. */
export class PhotoThumbs1764000000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE photos ADD COLUMN thumb json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE photos DROP COLUMN thumb');
  }
}

/**
 * Photos are stored with their place, their hash and the words that they are found by, so nothing looks for those without. `current` stays for
 * processes of the release before.
 */
export class PhotosStoredWhole1764000000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX photos_outdated, photos_not_in_pairs;
      ALTER TABLE photos ALTER COLUMN current SET DEFAULT true;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    const isFoundAnywhere = (column: string) => `${column} ~ '[\\u0e00-\\u1dff\\u20d0-\\U0010ffff]'`;
    await runner.query(`
      ALTER TABLE photos ALTER COLUMN current SET DEFAULT false;
      CREATE INDEX photos_outdated ON photos (customer_id, id) WHERE NOT current;
      CREATE INDEX photos_not_in_pairs ON photos (customer_id, id)
        WHERE (${['filename', 'title', 'description'].map(isFoundAnywhere).join(' OR ')}) AND NOT search @@ 'pairs'::tsquery;
    `);
  }
}

/** Photos by their creators. Most photos have none, and are in no index. */
export class PhotoCreators1764000000015 extends OnlineIndexes {
  protected readonly indexes = {
    photos_creator_created_at: `photos (customer_id, trashed, creator_key, created_at, id) WHERE creator_key > ''`,
    photos_creator_id: `photos (customer_id, trashed, creator_key, id) WHERE creator_key > ''`,
  };
}
