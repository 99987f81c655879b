import type { DataSource, EntityManager } from 'typeorm';
import type { Photo, PhotoWithTags } from '../../../core/photos/photo.js';
import type { Batcher } from '../../../core/shared/batcher.js';
import type { Id } from '../../../core/shared/ids.js';
import type { JsonRow } from '../database/json-rows.js';
import { prepared } from '../database/prepared.js';
import { readBatcher } from '../database/read-batcher.js';
import { select } from '../database/rows.js';
import { withoutTransaction } from '../database/transaction.js';
import { photoJson, photoOf, taggedPhotoJson, taggedPhotoOf, tagsByName } from './photo.table.js';

const selectPhotosWithTags = prepared(
  `SELECT ${taggedPhotoJson(`(
     SELECT ${tagsByName} FROM photo_tags l JOIN tags t ON t.customer_id = l.customer_id AND t.id = l.tag_id
     WHERE l.customer_id = p.customer_id AND l.photo_id = p.id
   )`)} AS photo FROM photos p WHERE p.customer_id = $1 AND p.id = ANY($2::bigint[]) ORDER BY p.id`,
);

const selectVisiblePhotos = prepared(
  `SELECT ${photoJson} AS photo FROM photos p JOIN customers c ON c.id = p.customer_id AND c.status <> 'closing'
   WHERE p.customer_id = $1 AND p.id = ANY($2::bigint[]) AND NOT p.trashed`,
);

/** Those that exist, with their tags, by id ascending. */
export async function photosWithTags(
  manager: EntityManager,
  customerId: Id,
  ids: readonly Id[],
): Promise<readonly PhotoWithTags[]> {
  if (ids.length === 0) return [];
  const found = await select<{ photo: JsonRow }>(manager, selectPhotosWithTags, [customerId, ids]);
  return found.map(({ photo }) => taggedPhotoOf(photo));
}

/** Those that are not in the trash, unless their customer is `closing`; without their tags. */
export async function visiblePhotos(
  manager: EntityManager,
  customerId: Id,
  ids: readonly Id[],
): Promise<readonly Photo[]> {
  const found = await select<{ photo: JsonRow }>(manager, selectVisiblePhotos, [customerId, ids]);
  return found.map(({ photo }) => photoOf(photo));
}

/** Each time is one range of photos_taken_at. */
const selectTaken = prepared(
  `SELECT (SELECT count(*)::integer FROM (
     SELECT FROM photos p WHERE p.customer_id = $1 AND NOT p.trashed AND p.taken_at >= t.from_at AND p.taken_at < t.to_at
     LIMIT $4
   ) counted) AS photos
   FROM unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS t(from_at, to_at, place) ORDER BY t.place`,
);

/** For each two instants that follow each other, how many photos outside the trash were taken in between. */
export async function countTakenBetween(
  manager: EntityManager,
  customerId: Id,
  instants: readonly Date[],
  most: number,
): Promise<readonly number[]> {
  if (instants.length < 2) return [];
  const parameters = [customerId, instants.slice(0, -1), instants.slice(1), most];
  return (await select<{ photos: number }>(manager, selectTaken, parameters)).map(({ photos }) => photos);
}

/** Reads of single photos outside transactions: concurrent reads of one customer share one statement. */
export class PhotosReadTogether {
  private readonly tagged: Batcher<Id, Id, PhotoWithTags | null>;
  private readonly visible: Batcher<Id, Id, Photo | null>;

  constructor(dataSource: DataSource) {
    this.tagged = readBatcher((customerId, ids) =>
      withoutTransaction(dataSource, async (manager) => byId(await photosWithTags(manager, customerId, ids))),
    );
    this.visible = readBatcher((customerId, ids) =>
      withoutTransaction(dataSource, async (manager) => byId(await visiblePhotos(manager, customerId, ids))),
    );
  }

  get(customerId: Id, id: Id): Promise<PhotoWithTags | null> {
    return this.tagged.enqueue(customerId, id);
  }

  getVisible(customerId: Id, id: Id): Promise<Photo | null> {
    return this.visible.enqueue(customerId, id);
  }
}

function byId<T extends Photo>(photos: readonly T[]): ReadonlyMap<Id, T> {
  return new Map(photos.map((photo) => [photo.id, photo]));
}
