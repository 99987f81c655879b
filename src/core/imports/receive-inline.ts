import type { Caller } from '../access/caller.js';
import { DomainError, isOutage, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { requireOpen } from './import.js';
import { type InlineUpload, type InlineUses, type Staging, stageAll, unstage, unusedOf } from './inline-files.js';
import { requireQuota, takeSlot } from './inline-upload-slot.js';
import { registerAll } from './register-all.js';
import { type RegistrationResults } from './registration-results.js';
import { requireDiskSpace } from './require-disk-space.js';

/**
 * Receives files in the request itself: each is streamed to staging while it is hashed, then all are registered in one transaction. Unused
 * bytes are removed. Errors: as for registering, `invalid_request` when the number of values differs from that of files, `rate_limited`,
 * `storage_full`.
 */
export async function receiveInline(
  uses: InlineUses,
  caller: Caller,
  importId: Id,
  upload: InlineUpload,
  /** The store of the one transaction that registers all files. */
  registrationStore: InlineUses['store'] = uses.store,
): Promise<RegistrationResults> {
  const slot = takeSlot(uses, caller, upload);
  try {
    return await receive(uses, caller, importId, { ...upload, files: slot.files }, registrationStore);
  } finally {
    slot.close();
  }
}

async function receive(
  uses: InlineUses,
  caller: Caller,
  importId: Id,
  { inputs, files }: InlineUpload,
  registrationStore: InlineUses['store'],
): Promise<RegistrationResults> {
  await uses.store.query(caller.customerId, async (reader) => {
    requireOpen(requireFound(await reader.imports.find(importId), 'import'));
    await requireQuota(uses, reader, caller.customerId);
  });
  await requireDiskSpace(uses, 0);
  const staging: Staging = { candidates: [], rejected: [] };
  let outcomeKnown = true;
  try {
    await stageAll(uses, caller, importId, inputs, files, staging);
    outcomeKnown = false;
    const { candidates, rejected } = staging;
    const answer = await registerAll({ ...uses, store: registrationStore }, caller, importId, candidates, rejected);
    await unstage(uses, caller, importId, unusedOf(staging, answer));
    return answer;
  } catch (error) {
    // If the database's response was lost, the items may exist, and an unavailable store cannot be queried: then the bytes remain, and the
    // sweep decides.
    const refused = error instanceof DomainError && error.code !== 'service_unavailable';
    if (refused || (outcomeKnown && !isOutage(error))) await unstage(uses, caller, importId, staging.candidates);
    throw error;
  }
}
