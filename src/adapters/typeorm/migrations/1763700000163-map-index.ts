import { OnlineIndexes } from './online-indexes.js';

/** Photos by the cells of the map. */
export class MapIndex1763700000163 extends OnlineIndexes {
  protected override readonly indexes = {
    photos_map_cell: `photos (customer_id, map_cell(latitude, longitude)) INCLUDE (latitude, longitude, id, trashed)
      WHERE latitude IS NOT NULL AND NOT trashed`,
  };
}
