-- A library of library.photos photos for the customer library.customer, both given by set_config before. What is asked for is
-- spread as in real libraries: common and rare values, and values that stand together far from where a list begins. The tag
-- number n, from 0, has the lowest id of the customer's tags plus n.
SELECT setseed(0.5);

INSERT INTO tags (customer_id, name, name_key, search_key, created_at, updated_at)
SELECT customer, name, name, name, now(), now()
FROM CAST(current_setting('library.customer') AS bigint) AS customer, generate_series(0, 199) AS n, concat('tag ', n) AS name
ORDER BY n;

INSERT INTO imports (customer_id, status, duplicate_policy, restore_trashed, tag_ids, created_at, updated_at, version)
SELECT current_setting('library.customer')::bigint, 'completed', 'skip', true, '{}', now(), now(), 1
FROM generate_series(0, (current_setting('library.photos')::integer - 1) / 1000);

-- Photo n, from 0, is as old as its number says, roughly.
CREATE TEMPORARY TABLE new_photos AS
SELECT n, nextval('photo_id_seq') AS id, n::float8 / current_setting('library.photos')::integer AS age,
  random() AS chance, random() AS other, (random() * 10000)::integer AS word,
  timestamptz '2020-01-01' + interval '5 years' * (n::float8 / current_setting('library.photos')::integer + random() * 0.003) AS published
FROM generate_series(0, current_setting('library.photos')::integer - 1) AS n;

-- The first tag is on half of the photos, the following ever rarer; 198 is on the oldest photos, 199 on the newest.
CREATE TEMPORARY TABLE new_links AS
SELECT floor(random() * current_setting('library.photos')::integer)::integer AS n, tag
FROM generate_series(0, 197) AS tag,
  LATERAL generate_series(1, (0.7 * current_setting('library.photos')::integer / power(tag + 1, 1.5))::integer)
UNION SELECT n, 198 FROM new_photos WHERE age BETWEEN 0.06 AND 0.1
UNION SELECT n, 199 FROM new_photos WHERE age > 0.6;

ANALYZE new_photos, new_links;

INSERT INTO photos (
  customer_id, id, filename, filename_key, content_type, size_bytes, sha256, blob_key, width, height, orientation, rotation, alpha,
  title, latitude, longitude, rating, favorite, creator, creator_key, taken_at, taken_at_source, camera_key, external_id, metadata, import_id, damaged,
  trashed_at, purge_at, created_at, updated_at, version, phash, search
)
SELECT customer, id, filename, filename, content_type, 100000 + (other * 9000000)::bigint, encode(sha256(id::text::bytea), 'hex'),
  concat('originals/', customer, '/', id), width, height, 1, 0, false,
  title, latitude, longitude, rating, chance < 0.02, creator, coalesce(creator, ''), taken_at, 'exif_offset', camera, external_id, '{}', first_import + n / 1000, false,
  trashed_at, trashed_at + interval '30 days', published, updated_at, 1, phash,
  array_to_tsvector(ARRAY(
    SELECT DISTINCT concat(customer, ':', part) FROM regexp_split_to_table(lower(concat_ws(' ', filename, title)), '[^a-z0-9]+') AS part
    UNION SELECT concat(customer, '#', first_tag + tag) FROM unnest(tag_numbers) AS tag
  ))
FROM (
  SELECT p.*, current_setting('library.customer')::bigint AS customer,
    CASE WHEN chance < 0.03 THEN 'image.jpg' ELSE concat('img_', lpad(n::text, 7, '0'), '.jpg') END AS filename,
    CASE WHEN age < 0.2 AND chance BETWEEN 0.5 AND 0.6 THEN 'image/png' WHEN other < 0.1 THEN 'image/heic'
      WHEN other < 0.101 THEN 'image/webp' ELSE 'image/jpeg' END AS content_type,
    CASE WHEN chance < 0.34 THEN 3000 ELSE 4000 END AS width,
    CASE WHEN chance < 0.01 THEN 3000 WHEN chance < 0.34 THEN 4000 ELSE 3000 END AS height,
    CASE WHEN age BETWEEN 0.1 AND 0.2 THEN concat('wedding w', word)
      WHEN other BETWEEN 0.2 AND 0.4 THEN concat('holiday w', word, ' w', word % 100) END AS title,
    CASE WHEN other > 0.6 THEN (chance * 2 - 1) * 80 END AS latitude,
    CASE WHEN other > 0.6 THEN (other - 0.8) * 5 * 180 END AS longitude,
    CASE WHEN chance > 0.9 AND (age < 0.5 OR chance < 0.99) THEN floor((chance - 0.9) * 60)::integer END AS rating,
    CASE WHEN other > 0.05 THEN published - interval '1 day' * (chance * 3000) END AS taken_at,
    CASE WHEN other < 0.1 THEN '' ELSE concat('maker model ', floor(40 * chance * chance)) END AS camera,
    CASE WHEN other > 0.3 THEN concat('person ', floor(40 * chance * chance)) END AS creator,
    CASE WHEN chance > 0.7 THEN CASE WHEN other < 0.05 THEN 'batch' ELSE concat('asset-', n) END END AS external_id,
    CASE WHEN chance BETWEEN 0.4 AND 0.41 OR age < 0.05 THEN now() END AS trashed_at,
    published + CASE WHEN other < 0.2 THEN interval '1 day' * (chance * 1000) ELSE interval '0' END AS updated_at,
    (SELECT min(id) FROM tags WHERE customer_id = current_setting('library.customer')::bigint) AS first_tag,
    (SELECT min(id) FROM imports WHERE customer_id = current_setting('library.customer')::bigint) AS first_import,
    -- Every tenth photo looks nearly like the one before it; the others like none.
    lpad(to_hex(('x' || left(md5((n - (n % 10 = 1)::integer)::text), 16))::bit(64)::bigint # CASE WHEN n % 10 = 1 THEN 1::bigint << n % 63 ELSE 0 END), 16, '0') AS phash,
    coalesce(l.tags, '{}') AS tag_numbers
  FROM new_photos p LEFT JOIN (SELECT n, array_agg(tag) AS tags FROM new_links GROUP BY n) l USING (n)
) made
ORDER BY n;

INSERT INTO photo_hashes (customer_id, photo_id, bits)
SELECT customer_id, id, ('x' || phash)::bit(64)::bigint FROM photos
WHERE customer_id = current_setting('library.customer')::bigint AND phash IS NOT NULL
-- Those that were imported have theirs.
ON CONFLICT DO NOTHING;

INSERT INTO photo_tags (customer_id, photo_id, tag_id, trashed, created_at)
SELECT p.customer_id, p.id, t.first + l.tag, p.trashed, p.created_at
FROM new_links l JOIN new_photos n USING (n) JOIN photos p ON p.customer_id = current_setting('library.customer')::bigint AND p.id = n.id,
  (SELECT min(id) AS first FROM tags WHERE customer_id = current_setting('library.customer')::bigint) t;

INSERT INTO tag_counts (customer_id, tag_id, photos)
SELECT t.customer_id, t.id, coalesce(c.photos, 0)
FROM tags t LEFT JOIN (
  SELECT tag_id, count(*) FILTER (WHERE NOT trashed) AS photos
  FROM photo_tags WHERE customer_id = current_setting('library.customer')::bigint GROUP BY tag_id
) c ON c.tag_id = t.id
WHERE t.customer_id = current_setting('library.customer')::bigint;

DROP TABLE new_photos, new_links;
