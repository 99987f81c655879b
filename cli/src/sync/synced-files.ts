import { createHash } from 'node:crypto';
import { lstat, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Photo } from 'photo-service-sdk';
import { makeFolder, removeStaleDrafts, writeWhole } from 'photo-service-sdk/node';
import { lookAt } from '../download/target-folder.js';
import { UsageError } from '../exit-codes.js';
import { fileName, isEntryPath, nameKey, photoNames } from '../file-name.js';
import { sidecarText } from '../xmp/sidecar.js';

interface WrittenFile {
  /** Within the folder; with slashes where it has folders of its own. */
  readonly name: string;
  readonly sha256: string;
  /** The size of the file when it was written. A file that was changed since, as size or time show, is kept. */
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

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

function isFile(value: unknown): value is SyncedFile {
  if (!isObject(value)) return false;
  const { name, sha256, sizeBytes, mtimeMs, sidecar } = value;
  const isName = typeof name === 'string' && isEntryPath(name) && name !== STATE_NAME;
  const isSidecar = sidecar === undefined || (isFile(sidecar) && sidecar.name === `${name}.xmp`);
  return isName && typeof sha256 === 'string' && Number.isFinite(sizeBytes) && Number.isFinite(mtimeMs) && isSidecar;
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null: it is not what a sync writes. Another program may have written it, to have other files renamed or removed. */
function parsed(text: string): SyncState | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(value) || value['version'] !== 1 || typeof value['service'] !== 'string') return null;
  const { since, completedAt, comparedAt, files, pending } = value;
  const areTimes = [since, completedAt, comparedAt].every(
    (time) => time === null || (typeof time === 'string' && !Number.isNaN(Date.parse(time))),
  );
  const areFiles = isObject(files) && Object.entries(files).every(([id, file]) => isId(Number(id)) && isFile(file));
  const isState = areTimes && areFiles && Array.isArray(pending) && pending.every(isId);
  return isState ? (value as unknown as SyncState) : null;
}

/** Whether a file is as sync has written it: only then may it be replaced or removed. */
export async function isUnchanged(folder: string, { name, sizeBytes, mtimeMs }: WrittenFile): Promise<boolean> {
  const now = await lstat(join(folder, name)).catch(() => null);
  return now?.isFile() === true && now.size === sizeBytes && now.mtimeMs === mtimeMs;
}

/** The folder of a photo's file, below that which is synced: names with slashes, or nothing. */
export type Layout = (photo: Photo) => string;

/** The names of files in a synced folder: which are taken, and which a photo may have. */
export class SyncNames {
  /** In use by known files of this folder. */
  private readonly taken: Set<string>;
  private readonly folders = new Set<string>();

  constructor(
    private readonly folder: string,
    files: SyncState['files'],
    private readonly layout: Layout,
  ) {
    this.taken = new Set(Object.values(files).map(({ name }) => nameKey(name)));
  }

  take(name: string): void {
    this.taken.add(nameKey(name));
  }

  release(name: string): void {
    this.taken.delete(nameKey(name));
  }

  /** Whether a file has one of the names that the photo's is to have. */
  isRight(photo: Photo, name: string): boolean {
    return this.candidates(photo).slice(0, 2).includes(name);
  }

  /** The photo's name; with its id if the name is taken by a photo or by another file. Its folder is there afterwards. */
  async free(photo: Photo): Promise<string> {
    const candidates = this.candidates(photo);
    for (const candidate of candidates) {
      if (this.taken.has(nameKey(candidate))) continue;
      // Reserved before anything is awaited: other photos look for names at the same time.
      this.take(candidate);
      await this.openFolder(dirname(candidate));
      if (!(await this.exists(candidate))) return candidate;
      this.release(candidate);
    }
    throw new Error(`There is no free file name for photo ${photo.id}, ${candidates[0]}, in ${this.folder}.`);
  }

  async exists(name: string): Promise<boolean> {
    return (await lstat(join(this.folder, name)).catch(() => null)) !== null;
  }

  private candidates(photo: Photo): string[] {
    const within = this.layout(photo)
      .split('/')
      .filter((part) => part !== '')
      .map(fileName);
    return photoNames(photo).map((name) => [...within, name].join('/'));
  }

  /** Makes a folder below the synced one. A link of that name is not followed. */
  private async openFolder(path: string): Promise<void> {
    if (path === '.' || this.folders.has(path)) return;
    await this.openFolder(dirname(path));
    await makeFolder(join(this.folder, path));
    const found = await lstat(join(this.folder, path));
    if (!found.isDirectory()) throw new UsageError(`${join(this.folder, path)} is not a folder. Remove it.`);
    await removeStaleDrafts(join(this.folder, path));
    this.folders.add(path);
  }
}

/** The XMP files beside the photos of a synced folder. As with the photos, only files that were written here, and that were not changed since, are touched. */
export class SyncSidecars {
  written = 0;

  constructor(
    private readonly folder: string,
    private readonly files: SyncState['files'],
    private readonly beforeChange: (() => Promise<void>) | undefined,
    private readonly keep: (name: string) => void,
  ) {}

  /** Writes the sidecar of a photo beside its file, unless it says all that already. */
  async update(photo: Photo): Promise<void> {
    const known = this.files[photo.id];
    if (known === undefined) return;
    const text = sidecarText(photo);
    const sha256 = createHash('sha256').update(text).digest('hex');
    const name = `${known.name}.xmp`;
    const { sidecar } = known;
    const isOurs = sidecar !== undefined && (await isUnchanged(this.folder, sidecar));
    if (isOurs && sidecar.name === name && sidecar.sha256 === sha256) return;
    await this.beforeChange?.();
    if (isOurs && sidecar.name !== name) await rm(join(this.folder, sidecar.name), { force: true });
    const present = isOurs && sidecar.name === name ? 'nothing' : await lookAt(join(this.folder, name));
    // A run that was killed may have written it without noting that.
    const isWritten = typeof present === 'object' && present.sha256 === sha256;
    // Another program's, or ours with changes of another program.
    if (present !== 'nothing' && !isWritten) {
      const { sidecar: _, ...original } = known;
      this.files[photo.id] = original;
      return this.keep(name);
    }
    if (!isWritten) {
      await writeWhole(join(this.folder, name), text, 0o666);
      this.written += 1;
    }
    const { size, mtimeMs } = await lstat(join(this.folder, name));
    this.files[photo.id] = { ...known, sidecar: { name, sha256, sizeBytes: size, mtimeMs } };
  }

  async remove({ sidecar }: SyncedFile): Promise<void> {
    if (sidecar === undefined) return;
    if (await isUnchanged(this.folder, sidecar)) await rm(join(this.folder, sidecar.name), { force: true });
    else if ((await lookAt(join(this.folder, sidecar.name))) !== 'nothing') this.keep(sidecar.name);
  }
}
