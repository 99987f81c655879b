// Which files a person means: those chosen, or those dropped with all that their folders have.

export interface Found {
  readonly file: File;
  /** With the folders that were chosen or dropped. */
  readonly path: string;
  /** Why there is nothing to import: the file is empty then. */
  readonly problem?: string;
}

/** Files that systems leave in folders, and nobody means. */
const leftBySystems = /^(\.|thumbs\.db$|desktop\.ini$)/i;

/** Folders of systems, network drives and programs, as the client leaves them out. */
const systemFolders =
  /^(@eaDir|@Recycle|@Recently-Snapshot|#recycle|#snapshot|\.@__thumb|\.thumbnails|\$RECYCLE\.BIN|RECYCLER|System Volume Information|lost\+found|FOUND\.\d{3}|__MACOSX)$/i;

/** Those of `<input type="file">`, of a folder too. */
export function chosenFiles(input: HTMLInputElement): readonly Found[] {
  const found = [...(input.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return found.filter(({ path }) => isMeant(path));
}

/** Those of a drop. To be called in the event itself: what was dropped cannot be asked for later. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<readonly Found[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
  if (entries.length === 0) return [...files].map((file) => ({ file, path: file.name }));
  const found: Found[] = [];
  for (const entry of entries) await walk(entry, found);
  return found.filter(({ path }) => isMeant(path));
}

export function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

function isMeant(path: string): boolean {
  const parts = path.split('/');
  return (
    !parts.some((part) => leftBySystems.test(part)) && !parts.slice(0, -1).some((part) => systemFolders.test(part))
  );
}

/** What cannot be read is found, too: it is reported, and the rest is imported. */
async function walk(entry: FileSystemEntry, found: Found[]): Promise<void> {
  const path = entry.fullPath.replace(/^\//, '');
  try {
    if (isFile(entry)) {
      found.push({ file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)), path });
      return;
    }
    if (systemFolders.test(entry.name)) return;
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // A reader gives a folder in portions, and an empty one at its end.
    for (;;) {
      const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (portion.length === 0) return;
      for (const inner of portion) await walk(inner, found);
    }
  } catch {
    const problem = isFile(entry) ? 'This file cannot be read.' : 'This folder cannot be read.';
    found.push({ file: new File([], path), path, problem });
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
