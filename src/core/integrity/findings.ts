import type { Photo } from '../photos/photo.js';
import type { Id } from '../shared/ids.js';

export const invariants = {
  I1: 'every photo, including those in the trash, has its original, byte for byte, and every import item has its bytes',
  I2: 'unowned data is removed',
  I8: 'nothing remains of what was permanently deleted',
  I9: 'no row refers to data of another customer',
  I12: 'stored totals equal the counted ones',
} as const;
export type Invariant = keyof typeof invariants;

/** One violation. Ids say what it is about; those that do not apply are null. */
export interface Finding {
  readonly invariant: Invariant;
  readonly customerId: Id | null;
  /** Also of an item that will become this photo. */
  readonly photoId: Id | null;
  readonly importId: Id | null;
  readonly tagId: Id | null;
  /** For the operator, with what to do. */
  readonly message: string;
  /** It was repaired, and no longer counts. */
  readonly repaired: boolean;
}

/** Says that a finding is about this photo. */
export function about({ customerId, id, importId }: Photo): Pick<Finding, 'customerId' | 'photoId' | 'importId'> {
  return { customerId, photoId: id, importId };
}

/** The numbers of rows and blobs that were checked. */
export interface Checked {
  customers: number;
  photos: number;
  /** Items of imports that rely on bytes. */
  items: number;
  blobs: number;
  tags: number;
  /** Photos without their thumb, which is generated at its next use; not a violation. */
  missingThumbs: number;
  /** The missing thumbs that this run generated. */
  remadeThumbs: number;
}

/** Where a check reports its findings. */
export class Findings {
  readonly checked: Checked = {
    customers: 0,
    photos: 0,
    items: 0,
    blobs: 0,
    tags: 0,
    missingThumbs: 0,
    remadeThumbs: 0,
  };

  constructor(
    private readonly onFinding: (problem: Finding) => void,
    private readonly progress: (checked: Checked) => void,
  ) {}

  count(what: keyof Checked): void {
    this.checked[what] += 1;
    this.progress(this.checked);
  }

  report(invariant: Invariant, message: string, about: Partial<Omit<Finding, 'invariant' | 'message'>>): void {
    const nothing = { customerId: null, photoId: null, importId: null, tagId: null, repaired: false };
    this.onFinding({ invariant, ...nothing, ...about, message });
  }
}

/** A row that refers to something that its customer does not have. The database's own constraints prevent it. */
export interface OrphanRow {
  /** A photo or item of an import, a photo with another's original, a photo with a tag; or rows of a deleted photo. */
  readonly kind: 'photo' | 'item' | 'original' | 'tag' | 'residue';
  /** The id of the photo or item. */
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
