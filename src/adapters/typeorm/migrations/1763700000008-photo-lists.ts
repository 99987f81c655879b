import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What GET /photos reads of a library is bounded by the page, not by the library (docs/decisions/0011). `facets` holds everything
 * that has few values in one number, so that one index in the order of the list answers each of those filters and all of them
 * together. Links carry what a tag's list is sorted and divided by; the foreign key makes them follow the photo.
 */
export class PhotoLists1763700000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX photos_taken_at, photos_updated_at, photos_camera, photos_external_id, photos_import, photos_location;
      DROP STATISTICS photos_aspect;
      ALTER TABLE photos
        ALTER COLUMN content_type TYPE text COLLATE "C",
        ADD COLUMN facets smallint NOT NULL GENERATED ALWAYS AS (
          (((coalesce(rating + 1, 0) * 3 + sign(width - height)::integer + 1) * 2 + (latitude IS NOT NULL)::integer) * 2
            + (search @@ ('''' || customer_id::text || '#'':*')::tsquery)::integer)::smallint
        ) STORED;

      CREATE INDEX photos_taken_at ON photos (customer_id, trashed, taken_at, id) INCLUDE (created_at);
      CREATE INDEX photos_updated_at ON photos (customer_id, trashed, updated_at, id) INCLUDE (created_at);
      CREATE UNIQUE INDEX photos_id ON photos (customer_id, trashed, id, created_at);
      CREATE INDEX photos_facets_created_at ON photos (customer_id, trashed, facets, content_type, created_at, id);
      CREATE INDEX photos_facets_id ON photos (customer_id, trashed, facets, content_type, id);
      CREATE INDEX photos_camera_created_at ON photos (customer_id, trashed, camera_key, created_at, id);
      CREATE INDEX photos_camera_id ON photos (customer_id, trashed, camera_key, id);
      CREATE INDEX photos_filename_created_at ON photos (customer_id, trashed, filename_key, created_at, id);
      CREATE INDEX photos_external_id ON photos (customer_id, external_id, trashed, created_at, id) WHERE external_id IS NOT NULL;
      CREATE INDEX photos_import ON photos (customer_id, import_id, trashed, created_at, id) WHERE import_id IS NOT NULL;
      CREATE INDEX photos_location ON photos (customer_id, latitude, longitude) INCLUDE (trashed, created_at, id)
        WHERE latitude IS NOT NULL;

      CREATE TABLE links (
        customer_id bigint NOT NULL,
        photo_id bigint NOT NULL,
        tag_id bigint NOT NULL,
        trashed boolean NOT NULL,
        created_at timestamptz(3) NOT NULL
      );
      INSERT INTO links SELECT l.customer_id, l.photo_id, l.tag_id, p.trashed, p.created_at
        FROM photo_tags l JOIN photos p ON p.customer_id = l.customer_id AND p.id = l.photo_id;
      DROP TABLE photo_tags;
      ALTER TABLE links RENAME TO photo_tags;
      ALTER TABLE photo_tags
        ADD PRIMARY KEY (customer_id, photo_id, tag_id),
        ADD FOREIGN KEY (customer_id, tag_id) REFERENCES tags (customer_id, id),
        ADD CONSTRAINT photo_tags_photo FOREIGN KEY (customer_id, trashed, photo_id, created_at)
          REFERENCES photos (customer_id, trashed, id, created_at) ON UPDATE CASCADE ON DELETE CASCADE;
      CREATE INDEX photo_tags_tag ON photo_tags (customer_id, tag_id, photo_id, trashed);
      CREATE INDEX photo_tags_created_at ON photo_tags (customer_id, tag_id, trashed, created_at, photo_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX photo_tags_created_at, photo_tags_tag;
      CREATE INDEX photo_tags_tag ON photo_tags (customer_id, tag_id, photo_id);
      ALTER TABLE photo_tags
        DROP CONSTRAINT photo_tags_photo,
        DROP COLUMN trashed,
        DROP COLUMN created_at,
        ADD FOREIGN KEY (customer_id, photo_id) REFERENCES photos (customer_id, id) ON DELETE CASCADE;

      DROP INDEX photos_taken_at, photos_updated_at, photos_id, photos_facets_created_at, photos_facets_id,
        photos_camera_created_at, photos_camera_id, photos_filename_created_at, photos_external_id, photos_import, photos_location;
      ALTER TABLE photos DROP COLUMN facets, ALTER COLUMN content_type TYPE text COLLATE "default";
      CREATE INDEX photos_taken_at ON photos (customer_id, trashed, taken_at, id);
      CREATE INDEX photos_updated_at ON photos (customer_id, trashed, updated_at, id);
      CREATE INDEX photos_import ON photos (customer_id, import_id, id) WHERE import_id IS NOT NULL;
      CREATE INDEX photos_external_id ON photos (customer_id, external_id, id) WHERE external_id IS NOT NULL;
      CREATE INDEX photos_camera ON photos (customer_id, camera_key);
      CREATE INDEX photos_location ON photos (customer_id, latitude, longitude) WHERE latitude IS NOT NULL;
      CREATE STATISTICS photos_aspect ON sign(width - height) FROM photos;
    `);
  }
}
