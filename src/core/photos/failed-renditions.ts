import { type Clock, MINUTE } from '../shared/clock.js';
import type { Photo } from './photo.js';
import type { Rendition } from './rendition.js';

/** So long a rendition that cannot be made is not attempted again. */
export const FAILURE_MINUTES = 10;
/** Half a mebibyte of names. */
export const MAX_FAILURES = 4096;

/**
 * Renditions that could not be made, and not because something was unavailable: every attempt costs a decoder for as long as it may run. Only
 * the latest are remembered. A process has one of these.
 */
export class FailedRenditions {
  /** When each failed, oldest first. */
  private readonly failedAt = new Map<string, Date>();

  constructor(private readonly clock: Clock) {}

  has(photo: Photo, rendition: Rendition): boolean {
    const name = nameOf(photo, rendition);
    const failedAt = this.failedAt.get(name);
    if (failedAt === undefined) return false;
    const age = this.clock.now().getTime() - failedAt.getTime();
    // A clock that was set back must not prolong it.
    if (age >= 0 && age < FAILURE_MINUTES * MINUTE) return true;
    this.failedAt.delete(name);
    return false;
  }

  add(photo: Photo, rendition: Rendition): void {
    const name = nameOf(photo, rendition);
    this.failedAt.delete(name);
    this.failedAt.set(name, this.clock.now());
    for (const oldest of this.failedAt.keys()) {
      if (this.failedAt.size <= MAX_FAILURES) break;
      this.failedAt.delete(oldest);
    }
  }
}

/** A key says how the picture is made. A photo whose original was replaced, or that was edited, is worth another attempt. */
function nameOf({ version }: Photo, { key }: Rendition): string {
  return `${version} ${key}`;
}
