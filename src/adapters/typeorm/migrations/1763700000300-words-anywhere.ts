import { OnlineIndexes } from './online-indexes.js';

/** For the worker that has words of scripts without spaces, and emoji, found in photos that an earlier version stored. */
export class WordsAnywhere1763700000300 extends OnlineIndexes {
  protected override readonly indexes = {
    photos_not_in_pairs: `photos (customer_id, id)
      WHERE (filename ~ '[\\u0e00-\\u1dff\\u20d0-\\U0010ffff]' OR title ~ '[\\u0e00-\\u1dff\\u20d0-\\U0010ffff]'
        OR description ~ '[\\u0e00-\\u1dff\\u20d0-\\U0010ffff]') AND NOT search @@ 'pairs'::tsquery`,
  };
}
