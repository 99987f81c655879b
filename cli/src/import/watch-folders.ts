import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, ConnectionError } from 'photo-service-sdk';
import { findPhotos } from 'photo-service-sdk/node';

/** A file that has not changed for so long is taken to be whole. */
const SETTLED_MS = 5000;
/** The statuses of a proxy whose service is down, and of a service that is at its limit. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * Imports what is in the folders, and from then on what arrives there, until the signal is aborted; then it rejects with an `AbortError`.
 * What could not be sent because the service did not answer is tried again.
 * @param importThese Imports these files and no others of the folders.
 * @param options `onOutage` is called when the service did not answer; `exclude` is the option of `findPhotos`.
 */
export async function watchFolders(
  paths: readonly string[],
  importThese: (only: ReadonlySet<string>) => Promise<void>,
  options: {
    readonly signal: AbortSignal;
    readonly onOutage: (error: Error) => void;
    readonly settledMs?: number;
    readonly exclude?: readonly string[] | undefined;
  },
): Promise<never> {
  const { signal, onOutage, settledMs = SETTLED_MS, exclude } = options;
  const watch = new FolderWatch(paths, exclude);
  for (;;) {
    const only = await watch.settled();
    try {
      if (only.size > 0) await importThese(only);
      watch.done(only);
    } catch (error) {
      const isOutage = error instanceof ConnectionError || (error instanceof ApiError && PASSING.has(error.status));
      if (!isOutage) throw error;
      onOutage(error);
    }
    await wait(settledMs, undefined, { signal });
  }
}

/** Which photos of some folders are whole and were not imported yet. What is still being written is not whole. */
export class FolderWatch {
  private seen: ReadonlyMap<string, string> = new Map();
  private readonly imported = new Map<string, string>();

  constructor(
    private readonly paths: readonly string[],
    private readonly exclude?: readonly string[] | undefined,
  ) {}

  /** Returns the files that have not changed since the previous scan, and are new or changed since they were imported. */
  async settled(): Promise<ReadonlySet<string>> {
    const { files } = await findPhotos(this.paths, { exclude: this.exclude });
    const before = this.seen;
    this.seen = new Map(files.map(({ path, stats }) => [path, `${stats.size} ${stats.mtimeNs}`]));
    const whole = files.filter(({ path, stats }) => stats.size > 0n && this.seen.get(path) === before.get(path));
    return new Set(whole.map(({ path }) => path).filter((path) => this.imported.get(path) !== this.seen.get(path)));
  }

  /** They are not reported again before they change. */
  done(paths: ReadonlySet<string>): void {
    for (const path of paths) this.imported.set(path, this.seen.get(path) ?? '');
  }
}
