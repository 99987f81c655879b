import type { Id } from '../shared/ids.js';

/** How far originals were read, in one round through all of them. */
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

/** The round that goes on, and null when it is time for another. */
export function nextRound(round: ScrubRound | null, now: Date, period: number): ScrubRound | null {
  if (round === null || (round.isComplete && now.getTime() - round.beganAt.getTime() >= period)) return null;
  return round;
}

/** How many more photos should have been read by now. After the period all that are left, however many were added. */
export function dueIn({ beganAt, photos, checked, isComplete }: ScrubRound, now: Date, period: number): number {
  if (isComplete) return 0;
  const share = Math.min(1, (now.getTime() - beganAt.getTime()) / period);
  return share === 1 ? Number.POSITIVE_INFINITY : Math.floor(share * photos) - checked;
}
