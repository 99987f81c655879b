import type { Id } from '../shared/ids.js';

/** A row that refers to something that its customer does not have. The database's own constraints prevent it. */
export interface OrphanRow {
  /** A photo or item of an import, a photo with another's original, a photo with a tag; or rows of a deleted photo. */
  readonly kind: 'photo' | 'item' | 'original' | 'tag' | 'residue';
  /** Of the photo or item. */
  readonly id: Id;
}

export interface OrphanRows {
  /** The last id of this range; null at the end. */
  readonly last: Id | null;
  readonly rows: readonly OrphanRow[];
}

/** Checks the rows that belong to photos and items of the bound customer. */
export interface OrphanReads {
  /** A range of about `limit` photos and items with ids after `after`, in one snapshot. */
  list(after: Id | null, limit: number): Promise<OrphanRows>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly orphanRows: OrphanReads;
  }
  interface Repositories {
    readonly orphanRows: OrphanReads;
  }
}
