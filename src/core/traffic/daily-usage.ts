import { type PictureCount, type RequestCount, type StorageCount } from './traffic.js';

/** What an account used on one day. */
export interface DailyUsage
  extends Pick<RequestCount, 'day' | 'requests' | 'limited' | 'failed'>,
    Record<'images' | 'imageBytes' | 'imagesMade', number> {
  /** What was stored, the trash included; null if it was not counted on this day. */
  readonly stored: StorageCount | null;
}

/** Sums over all keys. */
export function usageOf(
  day: string,
  counts: readonly RequestCount[],
  pictures: readonly PictureCount[],
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
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
