/** Folders in which systems, network drives and programs have their own files, thumbnails and rubbish bins among them. */
const SYSTEM_FOLDERS =
  /^(@eaDir|@Recycle|@Recently-Snapshot|#recycle|#snapshot|\.@__thumb|\.thumbnails|\$RECYCLE\.BIN|RECYCLER|System Volume Information|lost\+found|FOUND\.\d{3}|__MACOSX)$/i;

/** Files that are still being fetched, and small pictures that cameras have beside their films. */
const UNFINISHED = /\.(part|partial|crdownload|download|opdownload|filepart|tmp|temp)$/i;
const SYSTEM_FILES = /^(thumbs\.db|desktop\.ini|.*\.thm)$/i;

/** Why something in a folder is left out without looking at its bytes. */
export type LeftOutReason =
  /** A system's, not a person's. */
  | 'system'
  | 'excluded'
  /** It is still being written by another program. */
  | 'unfinished';

/** The paths that are left out of folders. */
export class LeftOut {
  private readonly patterns: readonly (readonly string[])[];

  /**
   * @param exclude Patterns of names, or with a slash of paths below the folder: `*` and `?` stand for characters of a name, `**` for
   * folders of any depth. A pattern that a folder matches applies to all that is in it. Capitals make no difference.
   */
  constructor(exclude: readonly string[] = []) {
    this.patterns = exclude.map((pattern) => {
      const parts = pattern
        .normalize('NFC')
        .toLowerCase()
        .split('/')
        .filter((part) => part !== '' && part !== '.');
      return pattern.replace(/\/$/, '').includes('/') ? parts : ['**', ...parts];
    });
  }

  /** Why this file or folder, by its path below the folder that was given, with slashes; its folders are asked for by themselves. */
  reason(path: string, kind: 'file' | 'folder'): LeftOutReason | null {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (kind === 'folder' ? SYSTEM_FOLDERS.test(name) : SYSTEM_FILES.test(name)) return 'system';
    const parts = path.normalize('NFC').toLowerCase().split('/');
    const isName = (pattern: string, part: string) =>
      matches([...pattern], [...part], (one, other) => one === '?' || one === other, '*');
    if (this.patterns.some((pattern) => matches(pattern, parts, isName, '**'))) return 'excluded';
    return kind === 'file' && UNFINISHED.test(name) ? 'unfinished' : null;
  }

  /** Why this file, or the first of its folders that is left out. */
  reasonOfPath(path: string): LeftOutReason | null {
    const parts = path.split('/').filter((part) => part !== '');
    for (let length = 1; length < parts.length; length += 1) {
      const reason = this.reason(parts.slice(0, length).join('/'), 'folder');
      if (reason !== null) return reason;
    }
    return this.reason(parts.join('/'), 'file');
  }
}

/** Whether all of `values` are what `pattern` says, where `any` stands for any number of them. In the worst case it takes their product. */
function matches(
  pattern: readonly string[],
  values: readonly string[],
  isOne: (pattern: string, value: string) => boolean,
  any: string,
): boolean {
  let [at, next] = [0, 0];
  // The last `any`, and how many values it has taken: those before it need not be tried again.
  let [star, taken] = [-1, 0];
  while (at < values.length) {
    const expected = pattern[next];
    if (expected === any) {
      star = next;
      taken = at;
      next += 1;
    } else if (expected !== undefined && isOne(expected, values[at] as string)) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      taken += 1;
      at = taken;
      next = star + 1;
    } else {
      return false;
    }
  }
  while (pattern[next] === any) next += 1;
  return next === pattern.length;
}
