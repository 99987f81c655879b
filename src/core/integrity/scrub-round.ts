import type { BlobStore } from '../blobs/blob-store.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import { type PhotoWithTags } from '../photos/photo.js';
import type { Clock } from '../shared/clock.js';
import { windowAfter } from '../shared/pagination.js';
import type { Transactional } from '../shared/transactional.js';
import { type Fault } from './check-bytes.js';
import type { ScrubPosition, ScrubRound } from './scrub-position.js';

export async function beginRound({ store, customers, clock, scrubPosition }: ScrubUses): Promise<ScrubRound> {
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
export async function nextPhotos(
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
