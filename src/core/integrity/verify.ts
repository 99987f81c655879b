import { allKinds, originalKey, stagingKey, storedKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { PhotoTotals } from '../customers/customer.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import type { ImportPhoto } from '../imports/import-photo.js';
import { defaultFormat } from '../media/media-reader.js';
import { markLost, markRecovered, type PhotoWithTags } from '../photos/photo.js';
import { fixedRendition, type RenditionMaker } from '../photos/renditions/rendition.js';
import { after, type Clock, SECOND } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { everyRow, windowAfter } from '../shared/pagination.js';
import { counted } from '../shared/text.js';
import type { Readable, Transactional } from '../shared/transactional.js';
import type { TagCount } from '../tags/tag-repository.js';
import { faultOf, isUnchanged, markOriginal, underlyingReason } from './check-bytes.js';
import { unownedAmong, unownedBlobs } from './collect-garbage.js';
import { about, type Checked, type Finding, Findings, type OrphanRow, type OrphanRows } from './findings.js';

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

const BATCH = 200;

/** I1: every photo of the customer has its original, and a thumb or what is needed to generate one. */
async function checkPhotos(uses: CheckUses, customerId: Id, options: CheckOptions, findings: Findings): Promise<void> {
  const read = (last: PhotoWithTags | null) => {
    const window = windowAfter(last?.id ?? null, BATCH);
    return uses.store.query(customerId, (reader) =>
      reader.photos.list({ filters: { trashed: 'any' }, sort: 'id', window }),
    );
  };
  for await (const photo of everyRow(BATCH, read)) {
    findings.count('photos');
    const fault = await faultOf(uses, storedKey(photo.blobKey), photo, options);
    if (fault === null) {
      if (photo.originalLostAt !== null && !options.fast) {
        if (options.repair) await markOriginal(uses, photo, (held) => markRecovered(held));
        const advice = options.repair ? 'The mark was removed.' : 'phs verify --repair removes the mark.';
        const message = `This photo is marked as lost, but its original is intact. ${advice}`;
        findings.report('I1', message, { ...about(photo), repaired: options.repair });
      }
      await checkThumb(uses, photo, options.repair, findings);
      continue;
    }
    // What cannot be read now may be readable in an hour: it is not lost.
    if (options.repair && fault.kind !== 'unreadable') await markOriginal(uses, photo, markLost);
    if (!(await isUnchanged(uses, photo))) continue;
    const advice = 'Restore the file from a backup, or import the same file again.';
    findings.report('I1', `The original of this photo ${fault.message} ${advice}`, about(photo));
  }
}

type CheckUses = {
  store: Transactional<'photos' | 'importPhotos' | 'outbox'>;
  blobs: BlobStore;
  renditionMaker: RenditionMaker;
  clock: Clock;
};

interface CheckOptions {
  readonly repair: boolean;
  readonly fast: boolean;
}

/** Reports a thumb that is missing, or not whole, and cannot be made again. Without `repair`, missing ones are only counted. */
async function checkThumb(
  uses: { store: Transactional<'photos' | 'outbox'>; blobs: BlobStore; renditionMaker: RenditionMaker },
  photo: PhotoWithTags,
  repair: boolean,
  findings: Findings,
): Promise<void> {
  const thumb = fixedRendition(photo, 'thumb', defaultFormat(photo));
  const stored = await uses.blobs.head(thumb.key);
  if (stored !== null && stored.sizeBytes === (thumb.expected ?? stored).sizeBytes) return;
  findings.count('missingThumbs');
  if (!repair) return;
  try {
    await uses.renditionMaker.make(photo, thumb);
    findings.count('remadeThumbs');
  } catch (error) {
    if (!(await isUnchanged(uses, photo))) return;
    const message = `The thumbnail of this photo is missing and cannot be created: ${underlyingReason(error)}`;
    findings.report('I1', message, about(photo));
  }
}

/** I1 for items that are not photos yet: the uploaded bytes exist until the item is published. */
async function checkItems(uses: CheckUses, customerId: Id, options: CheckOptions, findings: Findings): Promise<void> {
  const read = (last: ImportPhoto | null) =>
    uses.store.query(customerId, (reader) => reader.importPhotos.withBytes(last?.id ?? null, BATCH));
  for await (const item of everyRow(BATCH, read)) {
    findings.count('items');
    const { importId, id, status } = item;
    const isReady = status === 'ready';
    // Before, inspection has not compared the bytes with the declaration yet: differences fail there, with a message for the client.
    const expected = isReady ? item : { sizeBytes: null, sha256: null };
    const fault = await faultOf(uses, isReady ? originalKey(item) : stagingKey(item), expected, options);
    if (fault === null) continue;
    const now = await uses.store.query(customerId, (reader) => reader.importPhotos.get(importId, id));
    if (now?.status !== status || now.uploadId !== item.uploadId) continue;
    const message = `The file of item ${id} of import ${importId}, which is ${status}, ${fault.message}`;
    findings.report('I1', message, { customerId, photoId: id, importId });
  }
}

/**
 * I2, and I8 for bytes that were written before `until`. Removing them is left to the garbage collection, which every service runs by
 * itself.
 */
async function checkBlobs(
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

/** Few, because the photos of each are counted. */
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
  return `${counted(photos, 'photo')} with ${counted(storageBytes, 'byte')}, and ${trashedPhotos} with ${counted(trashedBytes, 'byte')} in the trash`;
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
  const read = (last: TagCount | null) =>
    store.query(customerId, (reader) => reader.tags.photoCounts(last?.id ?? null, TAG_BATCH));
  for await (const { id, stored, counted } of everyRow(TAG_BATCH, read)) {
    findings.count('tags');
    if (stored === counted) continue;
    if (repair) await store.transaction(customerId, (transaction) => transaction.tags.recount(id));
    const message = `The stored photo count of tag ${id} is ${stored ?? 'missing'}, but the actual count is ${counted}.`;
    findings.report('I12', message, { customerId, tagId: id, repaired: repair });
  }
}

/** Rows per statement. */
const ORPHAN_BATCH = 500;

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
    const { last, rows }: OrphanRows = await store.query(customerId, (reader) =>
      reader.orphanRows.list(after, ORPHAN_BATCH),
    );
    for (const { kind, id } of rows) {
      findings.report(kind === 'residue' ? 'I8' : 'I9', orphanMessages[kind], { customerId, photoId: id });
    }
    if (last === null) return;
    after = last;
  }
}
