import { createHash } from 'node:crypto';
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Photo } from 'photo-service-sdk';
import { writeWhole } from 'photo-service-sdk/node';
import { isUnchanged, type SyncedFile, type SyncState } from './sync-state.js';
import { lookAt } from './target-folder.js';
import { writeSidecar } from './xmp/sidecar.js';

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
    const text = writeSidecar(photo);
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
    if (present !== 'nothing' && !isWritten) return this.leave(photo.id, known, name);
    if (!isWritten) {
      await writeWhole(join(this.folder, name), text, 0o666);
      this.written += 1;
    }
    const { size, mtimeMs } = await lstat(join(this.folder, name));
    this.files[photo.id] = { ...known, sidecar: { name, sha256, sizeBytes: size, mtimeMs } };
  }

  /** Removes the sidecar of a file that is removed. */
  async remove({ sidecar }: SyncedFile): Promise<void> {
    if (sidecar === undefined) return;
    if (await isUnchanged(this.folder, sidecar)) await rm(join(this.folder, sidecar.name), { force: true });
    else if ((await lookAt(join(this.folder, sidecar.name))) !== 'nothing') this.keep(sidecar.name);
  }

  private leave(id: number, { sidecar: _, ...known }: SyncedFile, name: string): void {
    this.files[id] = known;
    this.keep(name);
  }
}
