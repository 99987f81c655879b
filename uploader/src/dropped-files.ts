/** Folders of systems, network drives and programs, thumbnails and rubbish bins among them. */
const SYSTEM_FOLDERS =
  /^(@eaDir|@Recycle|@Recently-Snapshot|#recycle|#snapshot|\.@__thumb|\.thumbnails|\$RECYCLE\.BIN|RECYCLER|System Volume Information|lost\+found|FOUND\.\d{3}|__MACOSX)$/i;

interface DroppedFiles {
  readonly files: readonly File[];
  /** The number of files that were left out; a folder is one. */
  readonly leftOut: number;
}

/** The files of a drop, those in its folders included, but for hidden ones and those of systems. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<DroppedFiles> {
  // The list is emptied once the event is over, so all of it is taken before anything is waited for.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const found = { files: [] as File[], leftOut: 0 };
  if (entries.length === 0) found.files.push(...files);
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry: FileSystemEntry, found: { files: File[]; leftOut: number }): Promise<void> {
  if (entry.name.startsWith('.') || (!isFile(entry) && SYSTEM_FOLDERS.test(entry.name))) {
    found.leftOut += 1;
    return;
  }
  try {
    if (isFile(entry)) found.files.push(await new Promise<File>((resolve, reject) => entry.file(resolve, reject)));
    else for await (const each of entriesIn(entry as FileSystemDirectoryEntry)) await walk(each, found);
  } catch {
    found.files.push(unreadable(entry.name));
  }
}

async function* entriesIn(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry> {
  const reader = folder.createReader();
  for (;;) {
    // At most 100 at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    yield* some;
  }
}

/** Stands for a file or a folder that the browser cannot read, and fails where it is seen: the others are uploaded. */
function unreadable(name: string): File {
  return Object.assign(new File([], name), { arrayBuffer: () => Promise.reject(new Error(`${name} cannot be read`)) });
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
