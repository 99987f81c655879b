import { lstat, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Photo } from 'photo-service-sdk';
import { makeFolder, removeStaleDrafts } from 'photo-service-sdk/node';
import { UsageError } from './exit-codes.js';
import { fileName, nameKey, photoNames } from './file-name.js';
import type { SyncState } from './sync-state.js';

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

  /** Removes a file. */
  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
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
