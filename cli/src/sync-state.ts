import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from 'photo-service-sdk/node';
import { UsageError } from './exit-codes.js';
import { isEntryPath } from './file-name.js';

/** A file that sync has written into its folder. */
interface WrittenFile {
  /** Within the folder; with slashes where it has folders of its own. */
  readonly name: string;
  readonly sha256: string;
  /** The size of the file when it was written. A file that was changed since, as size or time show, is kept. */
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** The original of a photo. */
export interface SyncedFile extends WrittenFile {
  /** The XMP file beside it, if this program has written one. */
  readonly sidecar?: WrittenFile;
}

/** The state of a synced folder, stored in the folder. */
export interface SyncState {
  readonly version: 1;
  readonly service: string;
  /** Newest `updatedAt` that has been dealt with; null before the first. */
  since: string | null;
  /** When a run last came to its end; null: never. */
  completedAt: string | null;
  /** When the whole library was last compared; null: never. */
  comparedAt: string | null;
  /** Whether the last run wrote sidecars: then every photo has had one. */
  sidecars?: boolean;
  /** By photo id. */
  readonly files: Record<string, SyncedFile>;
  /** Photos that could not be brought, to be tried again. */
  pending: number[];
}

export const STATE_NAME = '.photo-service-sync.json';

export async function loadSyncState(folder: string, service: string): Promise<SyncState> {
  const path = join(folder, STATE_NAME);
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (found === null)
    return { version: 1, service, since: null, completedAt: null, comparedAt: null, files: {}, pending: [] };
  const state = found.isFile() ? parsed(await readFile(path, 'utf8')) : null;
  if (state === null)
    throw new UsageError(`${path} is not a state file of phs sync. Choose another folder, or remove that file.`);
  // Another library would take this one's files for deleted.
  if (state.service !== service)
    throw new UsageError(`${folder} is synced with ${state.service}, not with ${service}. Choose another folder.`);
  return state;
}

export async function saveSyncState(folder: string, state: SyncState): Promise<void> {
  await writeWhole(join(folder, STATE_NAME), `${JSON.stringify(state)}\n`);
}

/** Whether a file is as sync has written it: only then may it be replaced or removed. */
export async function isUnchanged(folder: string, { name, sizeBytes, mtimeMs }: WrittenFile): Promise<boolean> {
  const now = await lstat(join(folder, name)).catch(() => null);
  return now?.isFile() === true && now.size === sizeBytes && now.mtimeMs === mtimeMs;
}

/** Null: it is not what `saveSyncState` writes. Another program may have written it, to have other files renamed or removed. */
function parsed(text: string): SyncState | null {
  try {
    const value: unknown = JSON.parse(text);
    return isState(value) ? value : null;
  } catch {
    return null;
  }
}

function isState(value: unknown): value is SyncState {
  if (!isObject(value) || value['version'] !== 1 || typeof value['service'] !== 'string') return false;
  const { since, completedAt, comparedAt, files, pending } = value;
  const areTimes = [since, completedAt, comparedAt].every((time) => time === null || isTime(time));
  const areFiles = isObject(files) && Object.entries(files).every(([id, file]) => isId(Number(id)) && isFile(file));
  return areTimes && areFiles && Array.isArray(pending) && pending.every(isId);
}

function isFile(value: unknown): value is SyncedFile {
  if (!isObject(value)) return false;
  const { name, sha256, sizeBytes, mtimeMs, sidecar } = value;
  const isName = typeof name === 'string' && isEntryPath(name) && name !== STATE_NAME;
  const isSidecar = sidecar === undefined || (isFile(sidecar) && sidecar.name === `${name}.xmp`);
  return isName && typeof sha256 === 'string' && Number.isFinite(sizeBytes) && Number.isFinite(mtimeMs) && isSidecar;
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
