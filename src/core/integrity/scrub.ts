import { storedKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import { markLost, type PhotoWithTags } from '../photos/photo.js';
import { type Clock, DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { windowAfter } from '../shared/pagination.js';
import type { Transactional } from '../shared/transactional.js';
import { type Fault, faultOf, isUnchanged, markOriginal } from './check-bytes.js';

/** Position is stored after so many photos: a process that dies reads no more than these again. */
const BATCH = 20;

/**
 * Reads those originals whose turn it is and compares their hashes. One that is missing or differs is marked as lost, and its webhook event is
 * sent, as by `phs verify --repair`; what cannot be read is reported only. Stops soon after the signal; the next run continues.
 */
export async function scrubOriginals(uses: ScrubUses, scrubbing: Scrubbing, stopping: AbortSignal): Promise<void> {
  const { scrubPosition, clock } = uses;
  const period = scrubbing.days * DAY;
  const last = await scrubPosition.read();
  const isOver = last?.isComplete && clock.now().getTime() - last.beganAt.getTime() >= period;
  let round = last === null || isOver ? await beginRound(uses) : last;
  let due = dueIn(round, clock.now(), period);
  while (due > 0 && !stopping.aborted) {
    const batch = await nextPhotos(uses, round, Math.min(BATCH, due));
    if (batch === null) return scrubPosition.write({ ...round, isComplete: true });
    for (const photo of batch.photos) {
      if (stopping.aborted) return;
      await scrub(uses, photo, scrubbing);
      await scrubbing.rest(photo.sizeBytes, stopping);
    }
    due -= batch.photos.length;
    round = { ...round, ...batch.position, checked: round.checked + batch.photos.length };
    await scrubPosition.write(round);
  }
}

async function scrub(uses: ScrubUses, photo: PhotoWithTags, { onChecked }: Scrubbing): Promise<void> {
  if (photo.originalLostAt !== null) return;
  const fault = await faultOf(uses, storedKey(photo.blobKey), photo, { fast: false });
  // Purged, or given another original, while it was read.
  if (fault !== null && !(await isUnchanged(uses, photo))) return;
  if (fault !== null && fault.kind !== 'unreadable') await markOriginal(uses, photo, markLost);
  onChecked(photo, fault);
}

async function beginRound({ store, customers, clock, scrubPosition }: ScrubUses): Promise<ScrubRound> {
  let photos = 0;
  for (const { id } of await customers.list()) {
    const { stored } = await store.query(id, (reader) => reader.usage.photoTotals());
    photos += stored.photos + stored.trashedPhotos;
  }
  const round = { beganAt: clock.now(), photos, checked: 0, customerId: null, photoId: null, isComplete: false };
  await scrubPosition.write(round);
  return round;
}

/** The photos after the position, of one customer; null at the end. */
async function nextPhotos(
  { store, customers }: ScrubUses,
  round: ScrubRound,
  limit: number,
): Promise<{ photos: readonly PhotoWithTags[]; position: Pick<ScrubRound, 'customerId' | 'photoId'> } | null> {
  for (const { id: customerId } of await customers.list()) {
    if (round.customerId !== null && customerId < round.customerId) continue;
    const window = windowAfter(customerId === round.customerId ? round.photoId : null, limit);
    const photos = await store.query(customerId, (reader) =>
      reader.photos.list({ filters: { trashed: 'any' }, sort: 'id', window }),
    );
    const last = photos.at(-1);
    if (last !== undefined) return { photos, position: { customerId, photoId: last.id } };
  }
  return null;
}

export interface ScrubUses {
  store: Transactional<'photos' | 'outbox' | 'usage'>;
  blobs: BlobStore;
  customers: CustomerDirectory;
  clock: Clock;
  scrubPosition: ScrubPosition;
}

export interface Scrubbing {
  /** In which every original is read once. */
  readonly days: number;
  /** Called for every original that was read; null: it is intact. Must not throw. */
  readonly onChecked: (photo: PhotoWithTags, fault: Fault | null) => void;
  /** Waits, so that reading leaves the disk to requests. */
  readonly rest: (readBytes: number, stopping: AbortSignal) => Promise<void>;
}

/** The progress of reading originals, in one round through all of them. */
export interface ScrubRound {
  readonly beganAt: Date;
  /** Photos at its beginning, and those that were read since. */
  readonly photos: number;
  readonly checked: number;
  /** The last one that was read; null: none. */
  readonly customerId: Id | null;
  readonly photoId: Id | null;
  /** All were read. */
  readonly isComplete: boolean;
}

/**
 * Where the round is remembered, beside the originals. If several processes write to it, the last one is right: then some originals are
 * read twice.
 */
export interface ScrubPosition {
  /** Null when there is none, or it cannot be understood. */
  read(): Promise<ScrubRound | null>;
  write(round: ScrubRound): Promise<void>;
}

/** Returns how many more photos should have been read by now. After the period all that are left, however many were added. */
function dueIn({ beganAt, photos, checked, isComplete }: ScrubRound, now: Date, period: number): number {
  if (isComplete) return 0;
  const share = Math.min(1, (now.getTime() - beganAt.getTime()) / period);
  return share === 1 ? Number.POSITIVE_INFINITY : Math.floor(share * photos) - checked;
}
