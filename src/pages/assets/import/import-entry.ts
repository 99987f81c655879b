// One file on its way into the library.

import type { Found } from './import-files.js';
import type { Announcement, ImportItem, Registered, UploadTarget } from './import-service.js';
/** `waiting` → `hashing` → `hashed` → `announcing` → `ready` → `sending` → one of `ends`. */
export type EntryState =
  | 'waiting'
  | 'hashing'
  | 'hashed'
  | 'announcing'
  | 'ready'
  | 'sending'
  | 'arrived'
  | 'known'
  | 'refused'
  | 'lost';

/** The states that end an entry. One that is `lost` can be tried again. */
const ends: readonly EntryState[] = ['arrived', 'known', 'refused', 'lost'];

export class Entry {
  state: EntryState = 'waiting';
  reason = '';
  sentBytes = 0;
  /** Bytes that have arrived of a file that continues where it was cut off. */
  arrivedBytes = 0;
  hash: string | null = null;
  item: Pick<ImportItem, 'id'> | null = null;
  upload: UploadTarget | null = null;
  throughService = false;
  readonly file: File;
  readonly path: string;

  /**
   * @param found As it was dropped or chosen, to try it again.
   * @param tagNames As they were entered then.
   */
  constructor(
    readonly found: Found,
    readonly tagNames: readonly string[],
  ) {
    const { file, path, problem } = found;
    this.file = file;
    this.path = path;
    if (problem === undefined) return;
    this.state = 'refused';
    this.reason = problem;
  }

  get hasEnded(): boolean {
    return ends.includes(this.state);
  }

  get isUnderWay(): boolean {
    return this.state === 'ready' || this.state === 'sending';
  }

  get announcement(): Announcement {
    return { filename: this.file.name, sizeBytes: this.file.size, sha256: this.hash, tagNames: this.tagNames };
  }

  /** Files can be removed or changed on the disk after they were chosen. */
  canBeRead(): Promise<boolean> {
    return this.file
      .slice(0, 1)
      .arrayBuffer()
      .then(
        () => true,
        () => false,
      );
  }
}

/** Returns what is to be done with a file, or became of it, by the service's answer to its announcement; and why. */
export function stateAfter(registered: Registered | undefined): [state: EntryState, reason?: string | undefined] {
  const { photo = null, error = null } = registered ?? {};
  if (photo === null) return ['refused', error?.message];
  if (photo.upload !== null) return ['ready'];
  if (photo.status === 'duplicate') return ['known', 'This photo is already in your library.'];
  if (photo.status === 'failed') return ['refused', photo.error?.message];
  return ['arrived'];
}
