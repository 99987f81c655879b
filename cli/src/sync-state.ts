import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from 'photo-service-sdk/node';
import { UsageError } from './exit-codes.js';

/** A photo that sync has put into its folder. */
export interface SyncedFile {
  readonly name: string;
  readonly sha256: string;
  /** Of the file when it was written: whoever changes it changes these, and keeps it. */
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** What a synced folder remembers; it lies in the folder. */
export interface SyncState {
  readonly version: 1;
  readonly service: string;
  /** Newest `updatedAt` that has been dealt with; null before the first. */
  since: string | null;
  /** When a run last came to its end; null: never. */
  completedAt: string | null;
  /** When the whole library was last compared; null: never. */
  comparedAt: string | null;
  /** By photo id. */
  readonly files: Record<string, SyncedFile>;
  /** Photos that could not be brought, to be tried again. */
  pending: number[];
}

export const STATE_NAME = '.photo-service-sync.json';

export async function loadSyncState(folder: string, service: string): Promise<SyncState> {
  const path = join(folder, STATE_NAME);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null)
    return { version: 1, service, since: null, completedAt: null, comparedAt: null, files: {}, pending: [] };
  const state = parsed(text);
  if (state?.version !== 1)
    throw new UsageError(`${path} is no state of phs sync. Name another folder, or remove that file.`);
  // Another library would take this one's files for deleted.
  if (state.service !== service)
    throw new UsageError(`${folder} is synced with ${state.service}, not with ${service}. Name another folder.`);
  return state;
}

export async function saveSyncState(folder: string, state: SyncState): Promise<void> {
  await writeWhole(join(folder, STATE_NAME), `${JSON.stringify(state)}\n`);
}

function parsed(text: string): SyncState | null {
  try {
    return JSON.parse(text) as SyncState;
  } catch {
    return null;
  }
}
