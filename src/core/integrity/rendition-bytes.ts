import type { BlobName } from '../blobs/blob-key.js';
import type { Id } from '../shared/ids.js';

/** Adds up what the renditions of each customer take, while all blobs are looked at. */
export class RenditionBytes {
  readonly byCustomer = new Map<Id, number>();

  /** Blobs that are no renditions are ignored. @param bytes Negative: the blob was removed. */
  readonly add = (name: BlobName | null, bytes: number): void => {
    if (name?.kind !== 'renditions') return;
    this.byCustomer.set(name.customerId, (this.byCustomer.get(name.customerId) ?? 0) + bytes);
  };
}
