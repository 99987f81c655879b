import { storedKey } from '../blobs/blob-key.js';
import { markLost, type PhotoWithTags } from '../photos/photo.js';
import { DAY } from '../shared/clock.js';
import { faultOf } from './check-bytes.js';
import { isUnchanged, markOriginal } from './mark-original.js';
import { dueIn, nextRound } from './scrub-position.js';
import { beginRound, nextPhotos, type Scrubbing, type ScrubUses } from './scrub-round.js';

/** Position is stored after so many photos: a process that dies reads no more than these again. */
const BATCH = 20;

/**
 * Reads those originals whose turn it is and compares their hashes. One that is missing or differs is marked as lost, and its webhook event is
 * sent, as by `phs verify --repair`; what cannot be read is reported only. Stops soon after the signal; the next run continues.
 */
export async function scrubOriginals(uses: ScrubUses, scrubbing: Scrubbing, stopping: AbortSignal): Promise<void> {
  const { scrubPosition, clock } = uses;
  const period = scrubbing.days * DAY;
  let round = nextRound(await scrubPosition.read(), clock.now(), period) ?? (await beginRound(uses));
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
