/** Folders of systems, network drives and programs, thumbnails and rubbish bins among them. */
const SYSTEM_FOLDERS =
  /^(@eaDir|@Recycle|@Recently-Snapshot|#recycle|#snapshot|\.@__thumb|\.thumbnails|\$RECYCLE\.BIN|RECYCLER|System Volume Information|lost\+found|FOUND\.\d{3}|__MACOSX)$/i;

/** The files of a drop, those in its folders included, but for hidden ones and those of systems. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<readonly File[]> {
  // The list is emptied once the event is over, so all of it is taken before anything is waited for.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...files];
  return (await Promise.all(entries.map(filesOf))).flat();
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.name.startsWith('.') || (!isFile(entry) && SYSTEM_FOLDERS.test(entry.name))) return [];
  const found: File[] = [];
  try {
    if (isFile(entry)) found.push(await new Promise<File>((resolve, reject) => entry.file(resolve, reject)));
    else for await (const each of entriesIn(entry as FileSystemDirectoryEntry)) found.push(...(await filesOf(each)));
  } catch {
    found.push(unreadable(entry.name));
  }
  return found;
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
