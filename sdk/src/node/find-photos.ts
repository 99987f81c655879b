import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file, and what the file system says of it. */
export interface FoundFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** A file or folder that could not be looked into. */
export interface UnreadableFile {
  readonly path: string;
  /** Such as `EACCES`. */
  readonly problem: string;
}

/** Endings of files that may be photos. The service decides by the bytes; this only keeps films and texts from being sent. */
const PHOTO = /\.(jpe?g|jpe|jfif|png|webp|gif|tiff?|avif|hei[cf])$/i;

/**
 * The photos under a folder, by name, in an order that is always the same. Files and folders whose names begin with a dot are left out, and
 * links to folders are not followed.
 */
export async function findPhotos(
  folder: string,
): Promise<{ files: FoundFile[]; unseen: UnreadableFile[]; skipped: number }> {
  const found = { files: [] as FoundFile[], unseen: [] as UnreadableFile[], skipped: 0 };
  await walk(folder, found).catch((error) => noteUnseen(found.unseen, folder, error));
  return found;
}

async function walk(
  folder: string,
  found: { files: FoundFile[]; unseen: UnreadableFile[]; skipped: number },
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) {
      await walk(path, found).catch((error) => noteUnseen(found.unseen, path, error));
    } else if (!PHOTO.test(entry.name)) {
      found.skipped += 1;
    } else {
      await look(path, found);
    }
  }
}

async function look(
  path: string,
  found: { files: FoundFile[]; unseen: UnreadableFile[]; skipped: number },
): Promise<void> {
  try {
    const stats = await stat(path, { bigint: true });
    if (stats.isFile()) found.files.push({ path, stats });
    else found.skipped += 1;
  } catch (error) {
    noteUnseen(found.unseen, path, error);
  }
}

function noteUnseen(unseen: UnreadableFile[], path: string, error: unknown): void {
  unseen.push({ path, problem: (error as NodeJS.ErrnoException).code ?? String(error) });
}
