import {
  allKinds,
  type BlobKey,
  type BlobKind,
  type BlobName,
  blobPrefixes,
  readBlobKey,
  type StagingName,
} from '../blobs/blob-key.js';
import type { BlobStore, ListedBlob } from '../blobs/blob-store.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import { after, type Clock, SECOND } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Readable, Reader, Transactional } from '../shared/transactional.js';

/** Period for which an unowned blob is left alone: its owner may be about to be stored. */
export const GRACE_SECONDS = 24 * 60 * 60;

/** Number of removed blobs, and their bytes. */
export type Collected = Readonly<Record<BlobKind | 'bytes', number>>;

export interface GarbageUses {
  readonly store: Transactional<'imports' | 'importPhotos' | 'blobOwners'>;
  readonly customers: Pick<CustomerDirectory, 'setRenditionBytes'>;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/**
 * Removes blobs that no row relies on, and none that a row does, even if that row appears while this runs (docs/decisions/0012). May run in
 * several processes at once, beside everything else, and be stopped at any time. Since it looks at every rendition, it also counts what they
 * take: nothing else would without listing them all.
 *
 * Staged bytes that never became a photo go here, a day after they were written, unless something deleted them before: inspection, which moves
 * or refuses them (imports/inspect.ts); an upload that is refused (imports/receive/upload.ts, imports/register/inline.ts); for parts, what joins
 * them, begins anew or gives up (imports/receive/resumable.ts, imports/fetch/fetch.ts, imports/expire.ts); the erasure of their customer.
 * @param options.graceSeconds Only blobs written at least so many seconds ago. 0 is safe too: a removed blob is sent or generated again.
 * @param options.kinds Default: all, including what unfinished puts have left.
 */
export async function collectGarbage(
  uses: GarbageUses,
  { graceSeconds, kinds }: { readonly graceSeconds: number; readonly kinds?: readonly BlobKind[] | undefined },
  stopping?: AbortSignal,
): Promise<Collected> {
  const collected = { staging: 0, originals: 0, renditions: 0, bytes: 0 };
  const renditionBytes = new Map<Id, number>();
  const addRendition = (name: BlobName | null, bytes: number) => {
    if (name?.kind !== 'renditions') return;
    renditionBytes.set(name.customerId, (renditionBytes.get(name.customerId) ?? 0) + bytes);
  };
  for (const kind of kinds ?? allKinds) {
    // Read again: in a store that links files, removing a staged file may make the original that shares its bytes look newer.
    const until = after(uses.clock.now(), -graceSeconds * SECOND);
    for await (const batch of unownedBlobs(uses, [kind], until, addRendition)) {
      if (stopping?.aborted) return collected;
      const removable = batch.filter(({ forGood }) => forGood);
      for (const blob of batch) {
        if (!blob.forGood && blob.name.kind === 'staging' && (await giveUp(uses, blob.name))) removable.push(blob);
      }
      await uses.blobs.delete(removable.map(({ key }): BlobKey => key));
      collected[kind] += removable.length;
      for (const { name, sizeBytes } of removable) {
        collected.bytes += sizeBytes;
        addRendition(name, -sizeBytes);
      }
    }
    if (kind === 'renditions') await uses.customers.setRenditionBytes(renditionBytes);
  }
  if (kinds === undefined && !stopping?.aborted)
    await uses.blobs.sweep(after(uses.clock.now(), -graceSeconds * SECOND));
  return collected;
}

/** A blob that no row relies on. */
export interface UnownedBlob extends ListedBlob {
  readonly name: BlobName;
  /** No row ever will: names are random and used once. False if a sender may still be about to report that it stored them. */
  readonly forGood: boolean;
}

interface Named extends ListedBlob {
  readonly name: BlobName;
}

const BATCH = 500;

/**
 * Unowned blobs that were last written at `until` or before, in batches; no more than a page of the store is in memory. Names that the
 * service did not create are skipped. `onBlob` is called for every blob that is there, with its name: null if the service did not create
 * it.
 */
export async function* unownedBlobs(
  uses: { store: Readable<'blobOwners'>; blobs: BlobStore },
  kinds: readonly BlobKind[],
  until: Date,
  onBlob: (name: BlobName | null, sizeBytes: number) => void = () => undefined,
): AsyncGenerator<readonly UnownedBlob[]> {
  for (const kind of kinds) {
    for await (const batch of batches(uses, kind, until, onBlob)) yield await unownedAmong(uses, batch);
  }
}

async function* batches(
  { blobs }: { blobs: BlobStore },
  kind: BlobKind,
  until: Date,
  onBlob: (name: BlobName | null, sizeBytes: number) => void,
): AsyncGenerator<readonly Named[]> {
  let batch: Named[] = [];
  for await (const blob of blobs.list(blobPrefixes[kind])) {
    const name = readBlobKey(blob.key);
    onBlob(name, blob.sizeBytes);
    if (name?.kind !== kind || blob.modifiedAt.getTime() > until.getTime()) continue;
    batch.push({ ...blob, name });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Returns the blobs that no row relies on. For a customer that does not exist, that is all of them. */
export async function unownedAmong(
  { store }: { store: Readable<'blobOwners'> },
  batch: readonly Named[],
): Promise<readonly UnownedBlob[]> {
  const unowned: UnownedBlob[] = [];
  const customers = new Set(batch.map(({ name }) => name.customerId));
  for (const customerId of customers) {
    const own = batch.filter(({ name }) => name.customerId === customerId);
    unowned.push(...(await store.query(customerId, (reader) => judge(reader, own))));
  }
  return unowned;
}

async function judge({ blobOwners }: Reader<'blobOwners'>, batch: readonly Named[]): Promise<UnownedBlob[]> {
  const staging = batch.flatMap(({ name }) => (name.kind === 'staging' ? [name] : []));
  const originals = batch.flatMap(({ name }) => (name.kind === 'originals' ? [name.blobName] : []));
  const photoIds = batch.flatMap(({ name }) => (name.kind === 'renditions' ? [name.photoId] : []));
  const states = new Map(
    (staging.length ? await blobOwners.staging(staging) : []).map((each) => [each.uploadId, each]),
  );
  const owned = new Set(originals.length ? await blobOwners.originals(originals) : []);
  const shown = photoIds.length ? await blobOwners.renditions([...new Set(photoIds)]) : [];
  const rotations = new Map<Id, number | null>(shown.map(({ id, rotation }) => [id, rotation]));
  return batch.flatMap((blob) => {
    const { name } = blob;
    if (name.kind === 'originals') return owned.has(name.blobName) ? [] : [{ ...blob, forGood: true }];
    if (name.kind === 'renditions') {
      const shownIn = rotations.get(name.photoId);
      const isShown = name.rotation !== null && shownIn === name.rotation;
      return isShown || shownIn === null ? [] : [{ ...blob, forGood: true }];
    }
    const state = states.get(name.uploadId);
    return state?.held ? [] : [{ ...blob, forGood: !state?.open }];
  });
}

/**
 * Abandons the upload, unless it was received in the meantime. True when its bytes may be removed: from then on the sender that stored them
 * has to send them again.
 */
export function giveUp(
  { store }: { store: Transactional<'imports' | 'importPhotos' | 'blobOwners'> },
  name: StagingName,
): Promise<boolean> {
  return store.transaction(name.customerId, async (transaction) => {
    await transaction.imports.lock(name.importId);
    await transaction.importPhotos.lock(name.importId, name.itemId);
    const [state] = await transaction.blobOwners.staging([name]);
    if (state?.held) return false;
    if (state?.open) await transaction.blobOwners.drop(name.importId, name.uploadId);
    return true;
  });
}
