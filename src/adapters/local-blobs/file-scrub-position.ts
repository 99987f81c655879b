import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { ScrubPosition, ScrubRound } from '../../core/integrity/scrub.js';
import { onDisk, unlessAbsent } from './files.js';

/** A JSON file, replaced as a whole. Not synced: what a power failure loses is read again. */
export class FileScrubPosition implements ScrubPosition {
  constructor(private readonly path: string) {}

  async read(): Promise<ScrubRound | null> {
    const text = await onDisk(() => readFile(this.path, 'utf8').catch(unlessAbsent));
    if (text === null) return null;
    try {
      const { beganAt, photos, checked, customerId, photoId, isComplete } = JSON.parse(text);
      const round = { beganAt: new Date(beganAt), photos, checked, customerId, photoId, isComplete };
      const isNumber = (value: unknown) => Number.isSafeInteger(value);
      const ids = [customerId, photoId].every((id) => id === null || isNumber(id));
      const isRound = ids && isNumber(photos) && isNumber(checked) && typeof isComplete === 'boolean';
      return isRound && !Number.isNaN(round.beganAt.getTime()) ? round : null;
    } catch {
      return null;
    }
  }

  async write(round: ScrubRound): Promise<void> {
    const draft = `${this.path}.${process.pid}.${randomBytes(4).toString('hex')}`;
    await onDisk(async () => {
      try {
        await writeFile(draft, `${JSON.stringify(round)}\n`, { mode: 0o600, flag: 'wx' });
        await rename(draft, this.path);
      } finally {
        await rm(draft, { force: true });
      }
    });
  }
}
