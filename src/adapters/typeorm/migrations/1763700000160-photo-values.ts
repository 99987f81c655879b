import { OnlineIndexes } from './online-indexes.js';

/** The countries of a library are offered as a filter: an index is read from one to the next (docs/decisions/0064). */
export class PhotoValues1763700000160 extends OnlineIndexes {
  protected override readonly indexes = {
    photos_country: 'photos (customer_id, trashed, place_country) WHERE place_country IS NOT NULL',
  };
}
