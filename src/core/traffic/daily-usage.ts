import type { PictureCount, RequestCount, StorageCount, TransferCount } from './traffic.js';

/** Of all channels together: `imageBytes`, which are bodies only, are among those sent. */
type TransferredBytes = Pick<TransferCount, 'receivedBytes' | 'sentBytes'>;

/** What an account used on one day. */
export interface DailyUsage
  extends Pick<RequestCount, 'day' | 'requests' | 'limited' | 'failed'>,
    Record<'images' | 'imageBytes' | 'imagesMade', number>,
    TransferredBytes {
  /** What was stored, the trash included; null if it was not counted on this day. */
  readonly stored: StorageCount | null;
}

/** Sums over all keys. */
export function usageOf(
  day: string,
  counts: readonly RequestCount[],
  pictures: readonly PictureCount[],
  transfers: readonly TransferCount[],
): Omit<DailyUsage, 'stored'> {
  const requests = counts.filter((count) => count.day === day);
  const images = pictures.filter((count) => count.day === day);
  return {
    day,
    requests: sum(requests.map((count) => count.requests)),
    limited: sum(requests.map((count) => count.limited)),
    failed: sum(requests.map((count) => count.failed)),
    images: sum(images.map((count) => count.requests)),
    imageBytes: sum(images.map((count) => count.bytes)),
    imagesMade: sum(images.map((count) => count.made)),
    ...transferred(transfers.filter((count) => count.day === day)),
  };
}

/** The sums of these counts. */
export function transferred(counts: readonly TransferredBytes[]): TransferredBytes {
  return {
    receivedBytes: sum(counts.map(({ receivedBytes }) => receivedBytes)),
    sentBytes: sum(counts.map(({ sentBytes }) => sentBytes)),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
