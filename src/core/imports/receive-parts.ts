import { complete, type Sending, withFewParts } from './join-parts.js';
import { offsetOf } from './resumable-upload.js';
import { type PartsUses, replaceParts, storePart } from './upload-parts.js';
import { release } from './upload-progress.js';

/** Bytes that may be lost when the process dies, and at most what an object store takes in one call. */
export const PART_BYTES = 8 * 1024 ** 2;

/** Stores the bytes of a request part by part; the last of the file completes the item. Resolves with the offset that was reached. */
export async function receiveParts(
  uses: PartsUses,
  { reader, ...sending }: Sending,
  onStored: (offset: number) => void,
): Promise<number> {
  const { grant } = sending;
  let { upload } = sending;
  try {
    while (await reader.hasMore()) {
      upload = await withFewParts(uses, upload);
      const left = grant.sizeBytes - offsetOf(upload);
      const part = await storePart(uses, upload, reader.part(Math.min(PART_BYTES, left)));
      onStored(offsetOf(upload) + part.sizeBytes);
      if (part.sizeBytes === left) {
        await complete(uses, { grant, reader, upload }, part);
        upload = { ...upload, sender: null };
        return grant.sizeBytes;
      }
      upload = await replaceParts(uses, upload, [...upload.parts, part], [part], reader.isDone);
    }
    if (reader.failure !== null) throw reader.failure.error;
    return offsetOf(upload);
  } finally {
    // Best effort: nobody waits for it for long.
    if (upload.sender !== null) await release(uses, upload).catch(() => undefined);
  }
}
