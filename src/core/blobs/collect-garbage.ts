import type { Uses } from '../ports.js';
import { after, SECOND } from '../shared/clock.js';
import type { BlobKey, BlobKind } from './blob-key.js';
import { giveUp, type UnownedBlob, unownedBlobs } from './unowned.js';

/** How long something without an owner is left alone: its owner may be on the way. */
export const GRACE_SECONDS = 24 * 60 * 60;

export const allKinds: readonly BlobKind[] = ['staging', 'originals', 'renditions'];

export interface GarbageOptions {
  /** Only what was written at least so many seconds ago. 0 is safe too: what nobody owns by then is sent or made once more. */
  readonly graceSeconds: number;
  /** Absent: all, and what unfinished puts have left. */
  readonly kinds?: readonly BlobKind[] | undefined;
}

/** How many were removed, and their bytes. */
export type Collected = Readonly<Record<BlobKind | 'bytes', number>>;

/**
 * Removes what no row relies on, and nothing that one does, even when that row appears while this runs (docs/decisions/0012). May run
 * in several processes at once, beside everything else, and be stopped at any time.
 */
export async function collectGarbage(
  uses: Uses<'store' | 'blobs' | 'clock'>,
  { graceSeconds, kinds }: GarbageOptions,
  stopping?: AbortSignal,
): Promise<Collected> {
  const collected = { staging: 0, originals: 0, renditions: 0, bytes: 0 };
  for (const kind of kinds ?? allKinds) {
    // Taken anew: removing a staged file may make the original that shares its bytes look newer, to a store that links files.
    const until = after(uses.clock.now(), -graceSeconds * SECOND);
    for await (const batch of unownedBlobs(uses, [kind], until)) {
      if (stopping?.aborted) return collected;
      const removable = await free(uses, batch);
      await uses.blobs.delete(removable.map(({ key }): BlobKey => key));
      collected[kind] += removable.length;
      for (const { sizeBytes } of removable) collected.bytes += sizeBytes;
    }
  }
  if (kinds === undefined && !stopping?.aborted)
    await uses.blobs.sweep(after(uses.clock.now(), -graceSeconds * SECOND));
  return collected;
}

async function free(uses: Uses<'store'>, batch: readonly UnownedBlob[]): Promise<readonly UnownedBlob[]> {
  const removable = batch.filter(({ forGood }) => forGood);
  for (const blob of batch) {
    if (!blob.forGood && blob.name.kind === 'staging' && (await giveUp(uses, blob.name))) removable.push(blob);
  }
  return removable;
}
