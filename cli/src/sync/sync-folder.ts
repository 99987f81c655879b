import { lstat, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { ApiError, type Photo, type PhotoService } from 'photo-service-sdk';
import { downloadFile, writeWhole } from 'photo-service-sdk/node';
import { codeOf, isHopeless } from '../download/download-errors.js';
import { forEachConcurrently } from '../download/for-each-concurrently.js';
import { openTargetFolder } from '../download/target-folder.js';
import { PartlyDone } from '../exit-codes.js';
import { interruptible } from '../interruptible.js';
import { connect } from '../login.js';
import { bytesText, count, type OutputOptions, print, printNote } from '../print.js';
import { type ProgressDisplay, withDisplay } from '../progress-display.js';
import {
  isUnchanged,
  type Layout,
  loadSyncState,
  STATE_NAME,
  type SyncedFile,
  SyncNames,
  SyncSidecars,
  type SyncState,
} from './synced-files.js';

interface Options extends OutputOptions {
  readonly full?: boolean;
  readonly delete: boolean;
  readonly sidecars?: boolean;
}

export function syncCommand(): Command {
  return new Command('sync')
    .description('update a folder from the library: downloads new photos and removes deleted ones')
    .argument('<folder>', 'the folder for the originals; created if it does not exist')
    .option('--full', 'compare everything, not only what has changed since the last run')
    .option('--no-delete', 'keep the files of deleted photos')
    .option('--sidecars', 'write the title, tags, time, place and so on of each photo into an XMP file beside it')
    .action(async (folder: string, options: Options) => {
      const { full = false, delete: deletes } = options;
      const result = await withDisplay(options, async (display) => {
        const client = await connect(display);
        const onStep = (step: SyncResult) => showStep(display, step);
        const settings = { full, deletes, sidecars: options.sidecars ?? false, onStep };
        return interruptible((signal) => syncFolder(client, folder, { ...settings, signal }));
      });
      const { downloaded, downloadedBytes, renamed, deleted, sidecars, kept, failed } = result;
      print(options, result, [
        `${downloaded} downloaded (${bytesText(downloadedBytes)}), ${renamed} renamed, ${deleted} removed, ${failed.length} failed`,
        ...(sidecars > 0 ? [`${count(sidecars, 'sidecar')} written`] : []),
        ...(kept.length > 0
          ? [`kept, because they were changed locally or cannot be removed: ${count(kept.length, 'file')}`]
          : []),
      ]);
      printFailures(options, result);
      if (failed.length > 0) throw new PartlyDone();
    });
}

export function printFailures({ json }: OutputOptions, { failed }: SyncResult): void {
  if (json) return;
  for (const { id, filename, code, message } of failed) printNote(`photo ${id}, ${filename}: ${message} (${code})`);
}

/** Shows how far a sync is; how many photos are to come is not known before they have come. */
export function showStep(display: ProgressDisplay, step: SyncResult): void {
  const { downloaded, downloadedBytes, renamed, deleted, unchanged, failed } = step;
  const done = downloaded + renamed + deleted + unchanged + failed.length;
  display.show({ done, total: done, bytes: downloadedBytes, totalBytes: downloadedBytes, failed: failed.length });
}

const CONCURRENCY = 4;
/** The time before the newest known change at which a run begins: changes may be committed later than others but have an earlier time. */
const OVERLAP_MS = 60_000;
/** Deleted photos are visible as trashed ones for 30 days; a folder that was not synced for this long compares everything. */
const COMPARE_AFTER_DAYS = 25;
const IDS_PER_READ = 100;
/** A file that was written after the state was last stored, belongs to no photo for a run after one that was killed. */
const SAVE_EVERY_MS = 1000;

export interface SyncOptions {
  /** Compare with the whole library, including unchanged photos. */
  readonly full: boolean;
  /** Whether files of photos that are gone from the library are removed. */
  readonly deletes: boolean;
  readonly sidecars: boolean;
  /** Where below the folder each file goes; all of them into the folder itself, if there is none. */
  readonly layout?: Layout;
  readonly beforeChange?: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly onStep: (result: SyncResult) => void;
}

export type SyncResult = Sync['result'];

/**
 * Updates a folder to match the library: originals of new photos and new names are added, files of deleted photos removed. It only requests
 * what changed since the last run, and compares everything the first time, after a long time, and with `full`. Only files that it has
 * written itself, and that were not changed since, are touched. After an interruption at any moment, the next run continues.
 */
export async function syncFolder(client: PhotoService, folder: string, options: SyncOptions): Promise<SyncResult> {
  await openTargetFolder(folder);
  const sync = new Sync(client, folder, await loadSyncState(folder, client.baseUrl), options);
  await sync.run();
  return sync.result;
}

class Sync {
  readonly result = {
    downloaded: 0,
    downloadedBytes: 0,
    renamed: 0,
    deleted: 0,
    unchanged: 0,
    /** XMP files that were written. */
    sidecars: 0,
    /** Whether the whole library was compared. */
    compared: false,
    /** Files that should have been removed or replaced, but were changed locally, or may not be removed. */
    kept: [] as string[],
    failed: [] as { readonly id: number; readonly filename: string; readonly code: string; readonly message: string }[],
  };
  private readonly names: SyncNames;
  private readonly sidecars: SyncSidecars;
  private saving: Promise<void> = Promise.resolve();
  private nextSave = 0;

  constructor(
    private readonly client: PhotoService,
    private readonly folder: string,
    private readonly state: SyncState,
    private readonly options: SyncOptions,
  ) {
    this.names = new SyncNames(folder, state.files, options.layout ?? (() => ''));
    this.sidecars = new SyncSidecars(folder, state.files, options.beforeChange, (name) => this.result.kept.push(name));
  }

  async run(): Promise<void> {
    const { state, options } = this;
    const began = Date.now();
    // Photos that have not changed since lack their sidecars when these are wanted for the first time.
    const areNew = options.sidecars && !state.sidecars;
    const { since, comparedAt, completedAt } = state;
    const isFirst = since === null || comparedAt === null || completedAt === null;
    const isLongAgo = isFirst || began - Date.parse(completedAt) > COMPARE_AFTER_DAYS * 24 * 60 * 60 * 1000;
    this.result.compared = options.full || areNew || isLongAgo;
    try {
      await (this.result.compared ? this.compare() : this.follow());
    } catch (error) {
      await this.save().catch(() => undefined);
      throw error;
    }
    // Until now, those of earlier runs were pending, too: a run that is interrupted may not have tried them.
    state.pending = [...new Set(this.result.failed.map(({ id }) => id))];
    state.completedAt = new Date(began).toISOString();
    state.sidecars = options.sidecars;
    if (this.result.compared) state.comparedAt = state.completedAt;
    await this.save();
  }

  /** Retries what an earlier run could not download, then follows changes, oldest first: after each page the position is known. */
  private async follow(): Promise<void> {
    const ids = [...this.state.pending];
    for (let at = 0; at < ids.length; at += IDS_PER_READ) {
      const query = { ids: ids.slice(at, at + IDS_PER_READ), trashed: 'any' as const, limit: 100 };
      await this.takeAll((await this.client.photos.list(query, this.options).page()).data);
    }
    const updatedAfter = new Date(Date.parse(this.state.since as string) - OVERLAP_MS).toISOString();
    const query = { sort: 'updatedAt' as const, updatedAfter, trashed: 'any' as const, limit: 100 };
    for await (const { data } of this.client.photos.list(query, this.options).pages()) {
      await this.takeAll(data);
      for (const { updatedAt } of data) this.passed(updatedAt);
      await this.save();
    }
  }

  /** The whole library; photos that are missing from it are gone. */
  private async compare(): Promise<void> {
    const present = new Set<string>();
    let newest: string | null = null;
    for await (const { data } of this.client.photos.list({ sort: 'id', limit: 100 }, this.options).pages()) {
      for (const photo of data) {
        present.add(String(photo.id));
        if (newest === null || photo.updatedAt > newest) newest = photo.updatedAt;
      }
      await this.takeAll(data);
      await this.save();
    }
    for (const id of Object.keys(this.state.files)) if (!present.has(id)) await this.remove(id);
    if (newest !== null) this.passed(newest);
  }

  private passed(updatedAt: string): void {
    if (this.state.since === null || updatedAt > this.state.since) this.state.since = updatedAt;
  }

  private async takeAll(photos: readonly Photo[]): Promise<void> {
    await forEachConcurrently(CONCURRENCY, photos, async (photo) => {
      await this.take(photo);
      if (this.options.sidecars && photo.trashedAt === null) await this.sidecars.update(photo);
      this.result.sidecars = this.sidecars.written;
      this.options.onStep(this.result);
      if (performance.now() > this.nextSave) await this.save();
    });
  }

  private async take(photo: Photo): Promise<void> {
    if (photo.trashedAt !== null) return this.remove(String(photo.id));
    const known = this.state.files[photo.id];
    const isThere = known !== undefined && (await isUnchanged(this.folder, known));
    if (known && isThere && known.sha256 === photo.sha256) return this.rename(photo, known);
    if (known && !isThere && (await this.names.exists(known.name))) {
      this.result.kept.push(known.name);
      delete this.state.files[photo.id];
    }
    await this.bring(photo, known && isThere ? known.name : await this.names.free(photo));
  }

  private async bring(photo: Photo, name: string): Promise<void> {
    const { id, filename } = photo;
    const path = join(this.folder, name);
    this.names.take(name);
    await this.options.beforeChange?.();
    try {
      const { sizeBytes, sha256 } = await downloadFile(this.client, id, path, { signal: this.options.signal });
      const { mtimeMs } = await lstat(path);
      const { sidecar } = this.state.files[id] ?? {};
      this.state.files[id] = { name, sha256, sizeBytes, mtimeMs, ...(sidecar && { sidecar }) };
      this.result.downloaded += 1;
      this.result.downloadedBytes += sizeBytes;
    } catch (error) {
      this.options.signal.throwIfAborted();
      if (!(error instanceof Error) || isHopeless(error)) throw error;
      const code = codeOf(error);
      // Nor would any other fit on the disk.
      if (!(error instanceof ApiError) && code === 'ENOSPC') throw error;
      // Deleted since the page was read: the next page, or the next run, reports it.
      if (code === 'not_found') return;
      this.result.failed.push({ id, filename, code, message: error.message });
      if (!this.state.pending.includes(id)) this.state.pending.push(id);
    }
  }

  private async rename(photo: Photo, known: SyncedFile): Promise<void> {
    if (this.names.isRight(photo, known.name)) {
      this.result.unchanged += 1;
      return;
    }
    await this.options.beforeChange?.();
    this.names.release(known.name);
    const name = await this.names.free(photo);
    await rename(join(this.folder, known.name), join(this.folder, name));
    this.state.files[photo.id] = { ...known, name };
    this.result.renamed += 1;
  }

  private async remove(id: string): Promise<void> {
    const known = this.state.files[id];
    if (known === undefined) return;
    const { deletes, beforeChange } = this.options;
    await beforeChange?.();
    if (deletes && (await isUnchanged(this.folder, known))) {
      await rm(join(this.folder, known.name), { force: true });
      this.result.deleted += 1;
    } else if (await this.names.exists(known.name)) {
      this.result.kept.push(known.name);
    }
    if (deletes) await this.sidecars.remove(known);
    this.names.release(known.name);
    delete this.state.files[id];
  }

  /** One after the other: an older state never replaces a newer one. */
  private save(): Promise<void> {
    this.nextSave = Number.POSITIVE_INFINITY;
    const saved = this.saving.then(async () => {
      await writeWhole(join(this.folder, STATE_NAME), `${JSON.stringify(this.state)}\n`);
      this.nextSave = performance.now() + SAVE_EVERY_MS;
    });
    this.saving = saved.catch(() => undefined);
    return saved;
  }
}
