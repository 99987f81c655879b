import { prepared } from '../database/sql.js';
import type { Statement } from '../database/transaction.js';

/**
 * Finds the distinct values with which an index begins, after the customer and the trash; of each, photos are counted up to a limit. The index is
 * read from one value to the next, so that it does not matter how many photos there are.
 * @param sources Each value's name, and what it is of a photo `p`.
 */
function countedValues(sources: Readonly<Record<string, string>>, { isGiven = 'true', more = '' } = {}): Statement {
  const names = Object.keys(sources);
  const [values, previous] = [Object.values(sources).join(), names.map((name) => `v.${name}`).join()];
  const of = Object.entries(sources)
    .map(([name, source]) => `${source} AS ${name}`)
    .join();
  const own = `p.customer_id = $1 AND p.trashed = $2 AND ${isGiven}`;
  const same = Object.entries(sources)
    .map(([name, source]) => `${source} = v.${name}`)
    .join(' AND ');
  return prepared(
    `WITH RECURSIVE found AS (
       (SELECT ${of} FROM photos p WHERE ${own} ORDER BY ${values} LIMIT 1)
       UNION ALL
       SELECT following.* FROM found v, LATERAL (
         SELECT ${of} FROM photos p WHERE ${own} AND (${values}) > (${previous}) ORDER BY ${values} LIMIT 1
       ) following
     )
     SELECT v.*, (
       SELECT count(*) FROM (SELECT FROM photos p WHERE ${own} AND ${same} LIMIT $3) counted
     )::integer AS photos${more} FROM (SELECT * FROM found LIMIT $4) v`,
  );
}

export const selectKinds = countedValues({ facets: 'p.facets', content_type: 'p.content_type' });

export const selectCountries = countedValues({ value: 'p.place_country' }, { isGiven: 'p.place_country IS NOT NULL' });

/** Keys are folded: any photo of a camera has its name as it is written. */
export const selectCameras = countedValues(
  { camera_key: 'p.camera_key' },
  {
    isGiven: `p.camera_key > ''`,
    more: `, (SELECT concat_ws(' ', p.camera ->> 'make', p.camera ->> 'model') FROM photos p
    WHERE p.customer_id = $1 AND p.trashed = $2 AND p.camera_key = v.camera_key LIMIT 1) AS value`,
  },
);

/** The expression in the index `photos_lens`. */
const LENS = `(p.camera ->> 'lens') COLLATE "C"`;
export const selectLenses = countedValues({ value: LENS }, { isGiven: `(${LENS}) > ''` });
