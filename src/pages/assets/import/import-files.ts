// Which files a person means: those chosen, or those dropped with all that their folders have.

import type { Announcement, ImportItem, Registered, UploadTarget } from './import-service.js';

export interface Found {
  readonly file: File;
  /** With the folders that were chosen or dropped. */
  readonly path: string;
  /** Why there is nothing to import: the file is empty then. */
  readonly problem?: string;
}

export interface FoundFiles {
  readonly files: readonly Found[];
  /** Number of hidden files and those of systems that were left out; a folder is one. */
  readonly leftOut: number;
}

/** Files that systems leave in folders, and that no one means to import. */
const leftBySystems = /^(\.|thumbs\.db$|desktop\.ini$)/i;

/** Folders of systems, network drives and programs, as the client leaves them out. */
const systemFolders =
  /^(@eaDir|@Recycle|@Recently-Snapshot|#recycle|#snapshot|\.@__thumb|\.thumbnails|\$RECYCLE\.BIN|RECYCLER|System Volume Information|lost\+found|FOUND\.\d{3}|__MACOSX)$/i;

/** Returns the files of `<input type="file">`, of a folder too. */
export function chosenFiles(input: HTMLInputElement): FoundFiles {
  const found = [...(input.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  const leftOut = new Set(found.map(({ path }) => leftOutIn(path)).filter((path) => path !== null));
  return { files: found.filter(({ path }) => leftOutIn(path) === null), leftOut: leftOut.size };
}

/** Returns the files of a drop. To be called in the event itself: what was dropped cannot be asked for later. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<FoundFiles> {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
  if (entries.length === 0) return { files: [...files].map((file) => ({ file, path: file.name })), leftOut: 0 };
  const found = { files: [] as Found[], leftOut: 0 };
  for (const entry of entries) await walk(entry, found);
  return found;
}

export function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

/** The first file or folder of a path that no one means to import, by its own path; null if there is none. */
function leftOutIn(path: string): string | null {
  const parts = path.split('/');
  const at = parts.findIndex((part, at) => isLeftOut(part, at < parts.length - 1));
  return at < 0 ? null : parts.slice(0, at + 1).join('/');
}

function isLeftOut(name: string, isFolder: boolean): boolean {
  return leftBySystems.test(name) || (isFolder && systemFolders.test(name));
}

/** Finds all files below an entry, also what cannot be read: it is reported, and the rest is imported. */
async function walk(entry: FileSystemEntry, found: { files: Found[]; leftOut: number }): Promise<void> {
  const path = entry.fullPath.replace(/^\//, '');
  if (isLeftOut(entry.name, !isFile(entry))) {
    found.leftOut += 1;
    return;
  }
  try {
    if (isFile(entry)) {
      found.files.push({ file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)), path });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // A reader gives a folder in portions, and an empty one at its end.
    for (;;) {
      const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (portion.length === 0) return;
      for (const inner of portion) await walk(inner, found);
    }
  } catch {
    const problem = isFile(entry) ? 'This file cannot be read.' : 'This folder cannot be read.';
    found.files.push({ file: new File([], path), path, problem });
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

// One file on its way into the library.

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
