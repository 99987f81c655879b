import { OnlineIndexes } from './online-indexes.js';

/** For the worker that looks up places, and for what the exposure of a photo is searched by. */
export class PlaceIndexes1763700000076 extends OnlineIndexes {
  protected override readonly indexes = {
    photos_outdated: 'photos (customer_id, id) WHERE NOT current',
    photos_iso: `photos (customer_id, ((exposure ->> 'iso')::float8)) WHERE exposure ->> 'iso' IS NOT NULL`,
    photos_focal_length: `photos (customer_id, ((exposure ->> 'focalLength35mm')::float8))
      WHERE exposure ->> 'focalLength35mm' IS NOT NULL`,
  };
}
