import type { Id } from '../shared/ids.js';

/** A row that refers to something that its customer does not have. The database's own constraints keep it from coming into being. */
export interface OrphanRow {
  /** A photo or item of an import, a photo with another's original, a photo with a tag; or what a photo has left that is gone. */
  readonly kind: 'photo' | 'item' | 'original' | 'tag' | 'residue';
  /** Of the photo or item. */
  readonly id: Id;
}

export interface OrphanRows {
  /** The last id of this piece; null when it went to the end. */
  readonly last: Id | null;
  readonly rows: readonly OrphanRow[];
}

/** Looks at what belongs to photos and items of the bound customer. */
export interface OrphanReads {
  /** A piece of about `limit` photos and items with ids over `after`; of one moment. */
  orphanRows(after: Id | null, limit: number): Promise<OrphanRows>;
}
