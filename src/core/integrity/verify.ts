import type { CustomerDirectory } from '../customers/customer-directory.js';
import { after, SECOND } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { checkBlobs } from './check-blobs.js';
import { checkCounts, checkTotals } from './check-counts.js';
import { checkItems } from './check-items.js';
import { checkOrphans } from './check-orphans.js';
import type { CheckOptions, CheckUses } from './check-photo.js';
import { checkPhotos } from './check-photos.js';
import { type Checked, type Finding, Findings } from './findings.js';

interface VerifyUses extends CheckUses {
  store: Transactional<
    'photos' | 'tags' | 'importPhotos' | 'customer' | 'usage' | 'blobOwners' | 'orphanRows' | 'outbox'
  >;
  customers: CustomerDirectory;
}

export interface Verification extends CheckOptions {
  /** An unowned blob is a violation if it was written at least so many seconds ago. */
  readonly graceSeconds: number;
  readonly onFinding: (problem: Finding) => void;
  readonly onProgress?: (checked: Checked) => void;
}

/**
 * Checks the invariants, for all customers, beside a running service: a possible violation is checked again before it is reported. Changes
 * nothing, unless it is to repair. Errors: `service_unavailable` when the database is unavailable.
 */
export async function verify(uses: VerifyUses, verification: Verification): Promise<Checked> {
  const findings = new Findings(verification.onFinding, verification.onProgress ?? (() => undefined));
  for (const { id } of await uses.customers.list()) {
    findings.count('customers');
    await checkPhotos(uses, id, verification, findings);
    await checkItems(uses, id, verification, findings);
    await checkTotals(uses, id, verification, findings);
    await checkCounts(uses, id, verification, findings);
    await checkOrphans(uses, id, findings);
  }
  await checkBlobs(uses, after(uses.clock.now(), -verification.graceSeconds * SECOND), findings);
  return findings.checked;
}
