import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { HEAD_BYTES, kindOfFile } from '../import/picture-types.js';
import { LeftOut, type LeftOutReason } from './left-out.js';

/** A file, and what the file system says of it. */
export interface FoundFile {
  /** Bytes that are not UTF-8 are escaped as `%E9`. */
  readonly path: string;
  /** The path in the file system, where it is not UTF-8. */
  readonly bytes?: Buffer;
  readonly stats: BigIntStats;
}

/** A file or folder that could not be looked into. */
export interface UnreadableFile {
  readonly path: string;
  /** Such as `EACCES`. */
  readonly problem: string;
}

/** The files that were found under some paths. */
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
  /** The paths in the file system of those that are not UTF-8, by what they are called here. */
  readonly notUtf8: ReadonlyMap<string, Buffer>;
}

export interface LeftOutFile {
  readonly path: string;
  readonly reason: LeftOutReason;
}

/** The options that say what to leave out. */
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

/**
 * The files of these paths, and the photos under those that are folders, each once, however often it was named. In folders, files and
 * folders whose names begin with a dot are left out, as are the folders of systems and what `exclude` says, and links to folders are not followed; the order is always the same.
 */
export async function findPhotos(paths: readonly string[], { exclude }: FindOptions = {}): Promise<FoundFiles> {
  const rules = new LeftOut(exclude);
  const found: Found = { files: [], unseen: [], unsupported: [], leftOut: [], others: [], notUtf8: new Map() };
  const files = new Map<string, FoundFile & { ref: string }>();
  for (const given of paths) {
    try {
      const stats = await stat(given, { bigint: true });
      if (stats.isDirectory()) await walk({ path: given, location: given, below: '' }, rules, found);
      else found.files.push({ path: given, stats });
    } catch (error) {
      noteUnseen(found.unseen, given, error);
    }
    const within = dirname(resolve(given));
    for (const file of found.files.splice(0)) {
      const absolute = resolve(file.path);
      if (!files.has(absolute)) files.set(absolute, { ...file, ref: relative(within, absolute).split(sep).join('/') });
    }
  }
  const counts = new Map<string, number>();
  for (const { ref } of files.values()) counts.set(ref, (counts.get(ref) ?? 0) + 1);
  // Files of different folders that would be called the same are called by their whole paths.
  const distinct = [...files].map(([absolute, file]) =>
    counts.get(file.ref) === 1 ? file : { ...file, ref: absolute },
  );
  return { ...found, files: distinct };
}

interface Found {
  readonly files: FoundFile[];
  readonly unseen: UnreadableFile[];
  readonly unsupported: UnsupportedFile[];
  readonly leftOut: LeftOutFile[];
  readonly others: string[];
  readonly notUtf8: Map<string, Buffer>;
}

/** A file or folder: where it is in the file system, and what it is called. */
interface Place {
  readonly path: string;
  readonly location: string | Buffer;
  /** The path below the folder that was given; of a folder with a slash at its end. */
  readonly below: string;
}

async function walk(folder: Place, rules: LeftOut, found: Found): Promise<void> {
  const entries = await readdir(folder.location, { withFileTypes: true, encoding: 'buffer' });
  const names = namesOf(entries.map(({ name }) => name));
  const named = entries.map((entry, at) => ({ entry, name: names[at] as string }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, entry } of named) {
    const path = join(folder.path, name);
    // Text where it can be, and bytes from the first name on that is none.
    const isText = typeof folder.location === 'string' && isUtf8(entry.name);
    const location = isText ? path : Buffer.concat([Buffer.from(folder.location), Buffer.from(sep), entry.name]);
    if (typeof location !== 'string') found.notUtf8.set(path, location);
    const below = folder.below + name;
    const reason = rules.reason(below, entry.isDirectory() ? 'folder' : 'file');
    if (reason !== null) found.leftOut.push({ path, reason });
    else if (name.startsWith('.')) continue;
    else if (entry.isDirectory())
      await walk({ path, location, below: `${below}/` }, rules, found).catch((error) =>
        noteUnseen(found.unseen, path, error),
      );
    else await look({ path, location, below }, name, found);
  }
}

/** The names of a folder as text. No two are the same: bytes that are not UTF-8 are escaped otherwise where a file is called so. */
function namesOf(names: readonly Buffer[]): string[] {
  const texts = new Set(names.filter(isUtf8).map(String));
  return names.map((name) => {
    if (isUtf8(name)) return name.toString();
    const escaped = escapedName(name);
    return texts.has(escaped) ? escaped.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()) : escaped;
  });
}

/** The name with `%E9` for each byte that is no part of a character of UTF-8. */
function escapedName(name: Buffer): string {
  let text = '';
  for (let at = 0; at < name.length; ) {
    const length = [1, 2, 3, 4].find((each) => at + each <= name.length && isUtf8(name.subarray(at, at + each)));
    const part = name.subarray(at, at + (length ?? 1));
    text += length === undefined ? `%${part.toString('hex').toUpperCase()}` : part.toString();
    at += part.length;
  }
  return text;
}

async function look({ path, location }: Place, name: string, found: Found): Promise<void> {
  try {
    const stats = await stat(location, { bigint: true });
    // Nothing else is opened: a pipe would be waited for.
    const judged = stats.isFile() ? await kindOfFile(name, () => headOf(location)) : ({ kind: 'other' } as const);
    if (judged.kind === 'photo')
      found.files.push({ path, stats, ...(typeof location !== 'string' && { bytes: location }) });
    else if (judged.kind === 'unsupported') found.unsupported.push({ path, format: judged.format });
    else found.others.push(path);
  } catch (error) {
    noteUnseen(found.unseen, path, error);
  }
}

async function headOf(path: string | Buffer): Promise<Uint8Array> {
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
