import type { PhotoFilters } from '../../src/core/photos/photo-query.js';
import type { Id } from '../../src/core/shared/ids.js';

/** The documented meaning of each filter, as a condition on the photo `p` that no index could serve by accident. */
export function plainCondition(customerId: Id, filters: PhotoFilters): { sql: string; values: unknown[] } {
  const values: unknown[] = [customerId];
  const conditions = ['p.customer_id = $1'];
  const add = (value: unknown, condition: (place: string) => string) => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  const link = (tags: string) =>
    `(SELECT count(*) FROM photo_tags l WHERE l.customer_id = p.customer_id AND l.photo_id = p.id AND ${tags})`;

  if (filters.trashed !== 'any') conditions.push(`(p.trashed_at IS NOT NULL) = ${filters.trashed}`);
  add(filters.ids, (ids) => `p.id + 0 = ANY(${ids}::bigint[])`);
  add(filters.sha256, (hashes) => `lower(p.sha256) = ANY(${hashes}::text[])`);
  add(filters.filenameKey, (name) => `lower(p.filename) = ${name}`);
  add(filters.importId, (id) => `p.import_id + 0 = ${id}::bigint`);
  add(filters.externalId, (id) => `concat(p.external_id) = ${id}`);
  for (const word of filters.words ?? []) {
    const name = `EXISTS (SELECT FROM photo_tags l JOIN tags t ON t.customer_id = l.customer_id AND t.id = l.tag_id
      WHERE l.customer_id = p.customer_id AND l.photo_id = p.id AND t.name ~ `;
    add(`(^|[^a-z0-9])${word}`, (word) => `(concat_ws(' ', p.filename, p.title) ~ ${word} OR ${name} ${word}))`);
  }
  add(filters.tagIds, (ids) => `${link(`l.tag_id = ANY(${ids}::bigint[])`)} = cardinality(${ids})`);
  add(filters.anyTagIds, (ids) => `${link(`l.tag_id = ANY(${ids}::bigint[])`)} > 0`);
  add(filters.excludeTagIds, (ids) => `${link(`l.tag_id = ANY(${ids}::bigint[])`)} = 0`);
  add(filters.untagged, (untagged) => `(${link('true')} = 0) = ${untagged}::boolean`);
  if (!filters.contentType?.includes('image/*')) {
    add(filters.contentType, (types) => `lower(p.content_type) = ANY(${types}::text[])`);
  }
  for (const name of ['taken', 'created', 'updated'] as const) {
    add(filters[`${name}After`], (at) => `p.${name}_at >= ${at}::timestamptz`);
    add(filters[`${name}Before`], (at) => `p.${name}_at < ${at}::timestamptz`);
  }
  add(filters.hasLocation, (located) => `(p.latitude IS NOT NULL) = ${located}::boolean`);
  if (filters.bbox !== undefined) {
    const [west, south, east, north] = filters.bbox;
    const turns =
      west > east ? `p.longitude >= ${west} OR p.longitude <= ${east}` : `p.longitude BETWEEN ${west} AND ${east}`;
    conditions.push(`p.latitude BETWEEN ${south} AND ${north} AND (${turns})`);
  }
  add(filters.country, (country) => `concat(p.place_country) = ${country}`);
  for (const word of filters.placeWords ?? []) {
    add(`(^|[^a-z0-9])${word}`, (word) => `lower(concat_ws(' ', p.place_city, p.place_region)) ~ ${word}`);
  }
  for (const word of filters.lensWords ?? []) {
    add(`(^|[^a-z0-9])${word}`, (word) => `lower(p.camera ->> 'lens') ~ ${word}`);
  }
  add(filters.minIso, (iso) => `(p.exposure ->> 'iso')::numeric >= ${iso}::numeric`);
  add(filters.maxIso, (iso) => `(p.exposure ->> 'iso')::numeric <= ${iso}::numeric`);
  add(filters.minFocalLength35mm, (length) => `(p.exposure ->> 'focalLength35mm')::numeric >= ${length}::numeric`);
  add(filters.maxFocalLength35mm, (length) => `(p.exposure ->> 'focalLength35mm')::numeric <= ${length}::numeric`);
  add(filters.camera, (camera) => `position(${camera} IN p.camera_key) > 0`);
  add(filters.creator, (creator) => `position(${creator} IN lower(p.creator)) > 0`);
  add(filters.favorite, (favorite) => `p.favorite = ${favorite}::boolean`);
  add(filters.minRating, (rating) => `p.rating >= ${rating}::integer`);
  if (filters.similar !== undefined) {
    const { photoId, phash, maxDistance } = filters.similar;
    conditions.push(`p.id <> ${photoId} AND bit_count(('x' || p.phash)::bit(64) # X'${phash}') <= ${maxDistance}`);
  }
  if (filters.aspect !== undefined) {
    const than = { landscape: '>', portrait: '<', square: '=' }[filters.aspect];
    conditions.push(`p.width ${than} p.height`);
  }
  return { sql: conditions.join(' AND '), values };
}
