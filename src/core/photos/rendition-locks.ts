import type { BlobKey } from '../blobs/blob-key.js';
import type { Id } from '../shared/ids.js';

/** So long a process that died while it made a rendition prevents others from making it, by the clock of the store of locks. */
export const RENDITION_LOCK_SECONDS = 10;

/** How one rendition is found, and made. */
export interface Making<T> {
  /** Null when it does not exist. */
  find(): Promise<T | null>;
  make(): Promise<T>;
}

/** Ensures that of all processes of an installation one at a time makes a rendition, while the others wait for it. */
export interface RenditionLocks {
  /**
   * What `find` returns as soon as it is not null; otherwise the result of `make`, which runs only while no other process runs one for this
   * key. Who waits looks for the result periodically, and holds no connection in between. When `make` fails, its error is thrown here, and
   * another process tries. The lock of a process that died is free after `RENDITION_LOCK_SECONDS`; a process that cannot extend its lock may
   * end up making a rendition beside another, which is harmless. Errors: `service_unavailable`; those of `find` and `make`.
   */
  findOrMake<T>(owner: { readonly customerId: Id; readonly key: BlobKey }, making: Making<T>): Promise<T>;
}
