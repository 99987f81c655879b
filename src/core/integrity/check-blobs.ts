import { allKinds } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Readable } from '../shared/transactional.js';
import type { Findings } from './findings.js';
import { unownedAmong, unownedBlobs } from './unowned.js';

/**
 * I2, and I8 for bytes that were written before `until`. Removing them is left to the garbage collection, which every service runs by
 * itself.
 */
export async function checkBlobs(
  uses: { store: Readable<'blobOwners'>; blobs: BlobStore },
  until: Date,
  findings: Findings,
): Promise<void> {
  const seen = () => findings.count('blobs');
  for await (const batch of unownedBlobs(uses, allKinds, until, seen)) {
    // Those that a sender has just claimed have an owner by now.
    for (const { key, name } of await unownedAmong(uses, batch)) {
      if ((await uses.blobs.head(key)) === null) continue;
      const { customerId } = name;
      const photoId = name.kind === 'staging' ? name.itemId : name.kind === 'renditions' ? name.photoId : null;
      const importId = name.kind === 'staging' ? name.importId : null;
      const message = `${key} is not owned by anything. phs gc removes it, as the service does automatically.`;
      findings.report('I2', message, { customerId, photoId, importId });
    }
  }
}
