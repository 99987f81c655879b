import { allKinds } from '../blobs/blob-key.js';
import type { PhotoTotals } from '../customers/customer.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import { after, SECOND } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable, Transactional } from '../shared/transactional.js';
import { type CheckOptions, type CheckUses, checkItems, checkPhotos } from './check-photos.js';
import { type Checked, type Finding, Findings } from './findings.js';
import type { OrphanRow, OrphanRows } from './orphan-rows.js';
import { unownedAmong, unownedBlobs } from './unowned.js';

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
  await checkBlobs(uses, verification, findings);
  return findings.checked;
}

/** Rows per statement; fewer for tags, because each is counted. */
const BATCH = 500;
const TAG_BATCH = 50;

/** I12: the totals of all photos, in the usage and for quotas. */
async function checkTotals(
  { store }: { store: Transactional<'customer' | 'usage'> },
  customerId: Id,
  { repair }: CheckOptions,
  findings: Findings,
) {
  const { stored, counted } = await store.query(customerId, (reader) => reader.usage.photoTotals());
  if (totalsText(stored) === totalsText(counted)) return;
  if (repair)
    await store.transaction(customerId, async ({ customer, usage }) => {
      await customer.lock();
      await usage.recountPhotos();
    });
  const message = `The stored usage of this customer is ${totalsText(stored)}, but the actual usage is ${totalsText(counted)}.`;
  findings.report('I12', message, { customerId, repaired: repair });
}

function totalsText({ photos, storageBytes, trashedPhotos, trashedBytes }: PhotoTotals): string {
  return `${photos} photos with ${storageBytes} bytes, and ${trashedPhotos} with ${trashedBytes} bytes in the trash`;
}

/**
 * I12: the `photoCount` of tags. The counts of imports are counted on read, and cannot be wrong; those of deleted items cannot be compared
 * with anything.
 */
async function checkCounts(
  { store }: { store: Transactional<'tags'> },
  customerId: Id,
  { repair }: CheckOptions,
  findings: Findings,
) {
  for (let last: Id | null = null; ; ) {
    const page = await store.query(customerId, (reader) => reader.tags.photoCounts(last, TAG_BATCH));
    for (const { id, stored, counted } of page) {
      findings.count('tags');
      if (stored === counted) continue;
      if (repair) await store.transaction(customerId, (transaction) => transaction.tags.recount(id));
      const message = `The stored photo count of tag ${id} is ${stored ?? 'missing'}, but the actual count is ${counted}.`;
      findings.report('I12', message, { customerId, tagId: id, repaired: repair });
    }
    last = page.at(-1)?.id ?? null;
    if (page.length < TAG_BATCH) return;
  }
}

const orphanMessages: Readonly<Record<OrphanRow['kind'], string>> = {
  photo: 'This photo refers to an import that its customer does not have.',
  item: 'This item refers to an import that its customer does not have.',
  original: 'This photo refers to an original of another customer.',
  tag: 'This photo refers to a tag that its customer does not have.',
  residue: 'Tags or EXIF data remain of this photo, which was permanently deleted.',
};

/** I8 and I9. The database refuses such rows: one that exists was restored or changed by other means than this program. */
async function checkOrphans(
  { store }: { store: Readable<'orphanRows'> },
  customerId: Id,
  findings: Findings,
): Promise<void> {
  for (let after: Id | null = null; ; ) {
    const { last, rows }: OrphanRows = await store.query(customerId, (reader) => reader.orphanRows.list(after, BATCH));
    for (const { kind, id } of rows) {
      findings.report(kind === 'residue' ? 'I8' : 'I9', orphanMessages[kind], { customerId, photoId: id });
    }
    if (last === null) return;
    after = last;
  }
}

/** I2, and I8 for bytes. Removing them is left to the garbage collection, which every service runs by itself. */
async function checkBlobs(uses: VerifyUses, { graceSeconds }: Verification, findings: Findings): Promise<void> {
  const until = after(uses.clock.now(), -graceSeconds * SECOND);
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
