import { TooManyBytes } from '../blobs/measure.js';
import type { Limits } from '../customers/limits.js';
import type { Inspection, MediaReader } from '../media/media-reader.js';
import type { ImportPhoto } from './import-photo.js';
import { mismatch, tooLarge } from './registration.js';
import type { StagedPicture } from './staged-picture.js';

/** What is found in the staged bytes of an item. Too many, or others than were declared, are refused, whatever they contain. */
export async function inspectStaged(
  { media, limits }: { media: MediaReader; limits: Limits },
  item: ImportPhoto,
  { bytes, measure }: StagedPicture,
  alone: boolean,
): Promise<Inspection> {
  const inspection = await media
    .inspect(bytes, { customerId: item.customerId, maxPixels: limits.maxPixels, alone })
    .catch((error: unknown): Inspection => {
      if (error instanceof TooManyBytes) return { outcome: 'refused', error: tooLarge(limits) };
      throw error;
    });
  const wrong = mismatch(item, measure);
  return wrong === null ? inspection : { outcome: 'refused', error: wrong };
}
