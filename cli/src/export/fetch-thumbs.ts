import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Photo } from 'photo-service-sdk';
import { makeFolder, writeWhole } from 'photo-service-sdk/node';
import { thumbOf } from '../export-format.js';
import { forEachConcurrently } from '../for-each-concurrently.js';

const CONCURRENCY = 4;
/** The service's are a few ten kB. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Fetches a small picture of each photo for the pages, by signed addresses, which use no budget. They are not part of the photos: one that
 * cannot be had is left out, and all of them for a key that gets no such addresses.
 * @returns The photos that have one.
 */
export async function fetchThumbs(
  photos: readonly Photo[],
  folder: string,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const fetched = new Set<number>();
  await makeFolder(dirname(join(folder, thumbOf({ id: 0, rotation: 0 }))));
  await forEachConcurrently(CONCURRENCY, photos, async (photo) => {
    const path = join(folder, thumbOf(photo));
    if ((await isThere(path)) || (await fetchThumb(photo.urls?.thumb, path, signal))) fetched.add(photo.id);
  });
  return fetched;
}

async function fetchThumb(url: string | undefined, path: string, signal: AbortSignal): Promise<boolean> {
  if (url === undefined) return false;
  try {
    const response = await fetch(url, { signal });
    const bytes = response.ok ? await bytesOf(response) : null;
    if (bytes === null) return false;
    await writeWhole(path, bytes, 0o666);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error;
    return false;
  }
}

/** Null for more than a small picture has: the rest of it is not read. */
async function bytesOf({ body }: Response): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false;
}
