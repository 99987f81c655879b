import type { BigIntStats } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { LeftOut, type LeftOutReason } from '../import/left-out.js';
import { HEAD_BYTES, kindOfFile } from '../import/picture-types.js';

/** A file, and what the file system says of it. */
export interface FoundFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** A file or folder that could not be looked into. */
export interface UnreadableFile {
  readonly path: string;
  /** Such as `EACCES`. */
  readonly problem: string;
}

/** What there is under some paths. */
export interface FoundFiles {
  /** Photos, by their endings or else by their first bytes, each with a name that is its own among them: its path from the folder of what was given. */
  readonly files: readonly (FoundFile & { readonly ref: string })[];
  readonly unseen: readonly UnreadableFile[];
  /** Pictures of formats that no service takes. */
  readonly unsupported: readonly UnsupportedFile[];
  /** Folders of systems, with all that is in them, and what else was not looked at. */
  readonly leftOut: readonly LeftOutFile[];
  /** Paths of files that do not look like photos, by their names and their first bytes. */
  readonly others: readonly string[];
}

export interface LeftOutFile {
  readonly path: string;
  readonly reason: LeftOutReason;
}

/** What to leave out. */
export interface FindOptions {
  /**
   * Patterns of names, or with a slash of paths below the folders that are given, such as `*.png` and `2019/raw/**`. What they match is left
   * out.
   */
  readonly exclude?: readonly string[] | undefined;
}

export interface UnsupportedFile {
  readonly path: string;
  /** For people, such as `PSD`. */
  readonly format: string;
}

interface Found {
  readonly files: FoundFile[];
  readonly unseen: UnreadableFile[];
  readonly unsupported: UnsupportedFile[];
  readonly leftOut: LeftOutFile[];
  readonly others: string[];
}

/**
 * The files of these paths, and the photos under those that are folders, each once, however often it was named. In folders, files and
 * folders whose names begin with a dot are left out, as are the folders of systems and what `exclude` says, and links to folders are not followed; the order is always the same.
 */
export async function findPhotos(paths: readonly string[], { exclude }: FindOptions = {}): Promise<FoundFiles> {
  const rules = new LeftOut(exclude);
  const files = new Map<string, FoundFile & { ref: string }>();
  const unseen: UnreadableFile[] = [];
  const unsupported: UnsupportedFile[] = [];
  const leftOut: LeftOutFile[] = [];
  const others: string[] = [];
  for (const given of paths) {
    const within = dirname(resolve(given));
    const stats = await stat(given, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
      unseen.push({ path: given, problem: error.code ?? error.message });
      return null;
    });
    if (stats === null) continue;
    const found = stats.isDirectory()
      ? await under(given, rules)
      : { files: [{ path: given, stats }], unseen: [], unsupported: [], leftOut: [], others: [] };
    for (const file of found.files) {
      const absolute = resolve(file.path);
      if (!files.has(absolute)) files.set(absolute, { ...file, ref: relative(within, absolute).split(sep).join('/') });
    }
    unseen.push(...found.unseen);
    unsupported.push(...found.unsupported);
    leftOut.push(...found.leftOut);
    others.push(...found.others);
  }
  return { files: distinct([...files]), unseen, unsupported, leftOut, others };
}

/** Files of different folders that would be called the same are called by their whole paths. */
function distinct(files: readonly (readonly [string, FoundFile & { ref: string }])[]): (FoundFile & { ref: string })[] {
  const counts = new Map<string, number>();
  for (const [, { ref }] of files) counts.set(ref, (counts.get(ref) ?? 0) + 1);
  return files.map(([absolute, file]) => (counts.get(file.ref) === 1 ? file : { ...file, ref: absolute }));
}

async function under(folder: string, rules: LeftOut): Promise<Found> {
  const found: Found = { files: [], unseen: [], unsupported: [], leftOut: [], others: [] };
  await walk(folder, '', rules, found).catch((error) => noteUnseen(found.unseen, folder, error));
  return found;
}

/** @param below The path of the folder below the one that was given, with a slash at its end. */
async function walk(folder: string, below: string, rules: LeftOut, found: Found): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const reason = rules.reason(below + entry.name, entry.isDirectory() ? 'folder' : 'file');
    if (reason !== null) found.leftOut.push({ path, reason });
    else if (entry.name.startsWith('.')) continue;
    else if (entry.isDirectory())
      await walk(path, `${below}${entry.name}/`, rules, found).catch((error) => noteUnseen(found.unseen, path, error));
    else await look(path, entry.name, found);
  }
}

async function look(path: string, name: string, found: Found): Promise<void> {
  try {
    const stats = await stat(path, { bigint: true });
    // Nothing else is opened: a pipe would be waited for.
    const judged = stats.isFile() ? await kindOfFile(name, () => headOf(path)) : ({ kind: 'other' } as const);
    if (judged.kind === 'photo') found.files.push({ path, stats });
    else if (judged.kind === 'unsupported') found.unsupported.push({ path, format: judged.format });
    else found.others.push(path);
  } catch (error) {
    noteUnseen(found.unseen, path, error);
  }
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function noteUnseen(unseen: UnreadableFile[], path: string, error: unknown): void {
  unseen.push({ path, problem: (error as NodeJS.ErrnoException).code ?? String(error) });
}
