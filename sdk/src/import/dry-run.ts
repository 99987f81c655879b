import { ApiError } from '../errors.js';
import { hashed } from './fill-import.js';
import type { ImportResult, ImportRun } from './import-run.js';
import type { HashedFile } from './register.js';
import type { ImportSource } from './source.js';
import { chunks, mapAhead } from './task-queue.js';

/** The most hashes that one read asks for. */
const HASHES_PER_READ = 100;
const HASH_AHEAD = 64;

/** Returns what an import would do: hashes the files and asks which of them are there, with one read for each 100. */
export async function dryRun(run: ImportRun, total: number, sources: readonly ImportSource[]): Promise<ImportResult> {
  const files: HashedFile[] = [];
  for await (const file of mapAhead(sources, HASH_AHEAD, (source) => hashed(run, source))) {
    if (file === null) continue;
    run.state.remember(file.source, file.sha256, run.state.importOf(file.source));
    files.push(file);
  }
  await run.state.save();
  const known = await presentHashes(run, [...new Set(files.map(({ sha256 }) => sha256))]);
  const fresh = new Map(files.map(({ sha256, source }) => [sha256, source.sizeBytes]));
  for (const hash of known ?? []) fresh.delete(hash);
  run.tally.enter('done');
  return {
    dryRun: true,
    total,
    imported: known && fresh.size,
    duplicates: known && files.length - fresh.size,
    failed: [...run.failures.values()],
    bytesUploaded: known && [...fresh.values()].reduce((sum, bytes) => sum + bytes, 0),
    imports: [],
  };
}

/** Null: the key may not read photos. */
async function presentHashes(run: ImportRun, hashes: readonly string[]): Promise<readonly string[] | null> {
  const found: string[] = [];
  try {
    for (const some of chunks(hashes, HASHES_PER_READ)) {
      // What lies in the trash is not sent either.
      const photos = run.client.photos.list({ sha256: some, trashed: 'any', limit: 100 }, { signal: run.signal });
      for await (const { sha256 } of photos) found.push(sha256);
    }
  } catch (error) {
    if (error instanceof ApiError && error.missingScope !== null) return null;
    throw error;
  }
  return found;
}
