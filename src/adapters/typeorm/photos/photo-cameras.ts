import type { EntityManager } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import { select } from '../database/rows.js';

/** The customer's cameras with this text in their name. They are few, and found by a loose index scan. */
export async function cameraKeys(manager: EntityManager, customerId: Id, camera: string): Promise<string[]> {
  const rows = await select<{ camera: string }>(
    manager,
    `WITH RECURSIVE cameras AS (
       (SELECT trashed, camera_key FROM photos WHERE customer_id = $1 ORDER BY trashed, camera_key LIMIT 1)
       UNION ALL
       SELECT following.* FROM cameras c, LATERAL (
         SELECT p.trashed, p.camera_key FROM photos p
         WHERE p.customer_id = $1 AND (p.trashed, p.camera_key) > (c.trashed, c.camera_key)
         ORDER BY p.trashed, p.camera_key LIMIT 1
       ) following
     )
     SELECT DISTINCT camera_key AS camera FROM cameras WHERE strpos(camera_key, $2) > 0`,
    [customerId, camera],
  );
  return rows.map((row) => row.camera);
}
