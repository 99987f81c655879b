import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { findPhotos, unreadable } from 'photo-service-sdk/node';
import { DetailsBuilder } from '../details-builder.js';
import { type PhotoSource, type SourceItem, skipReason, unsupportedItem } from './photo-source.js';
import { possibleSidecars, SidecarFiles } from './sidecar-files.js';

interface FolderOptions {
  readonly sidecars: boolean;
  /** The option of `findPhotos`. */
  readonly exclude?: readonly string[] | undefined;
  /** The paths of the photos that are meant, if it is not all of them. */
  readonly only?: ReadonlySet<string>;
  /**
   * Resolves with the path to read a file from, and rejects, with the reason, if it may not be read: a link among the others may lead anywhere,
   * and elsewhere a moment later.
   */
  readonly requireReadable?: (path: string) => Promise<string>;
}

/** Files, and the photos in folders, with their XMP sidecars. */
export function folderSource(paths: readonly string[], options: FolderOptions): PhotoSource {
  return { items: () => items(paths, options) };
}

async function* items(
  paths: readonly string[],
  { sidecars: withSidecars, exclude, only, requireReadable }: FolderOptions,
): AsyncGenerator<SourceItem> {
  const { files, others, unsupported, leftOut, unseen, notUtf8 } = await findPhotos(paths, { exclude });
  const locate = async (path: string): Promise<{ path: string; bytes?: Buffer }> => {
    const bytes = notUtf8.get(path);
    if (bytes === undefined) return { path: (await requireReadable?.(path)) ?? path };
    // A decision by paths does not apply to these.
    if (requireReadable !== undefined) throw new Error('Its name is not UTF-8.');
    return { path, bytes };
  };
  const locationOf = async (path: string) => locate(path).then((located) => located.bytes ?? located.path);
  // Photos that were named by themselves have their sidecars beside them, and not among the files that were found.
  const beside = files.filter(({ path }) => paths.includes(path)).flatMap(({ path }) => possibleSidecars(path));
  const sidecars = new SidecarFiles(withSidecars ? [...others, ...beside.filter((path) => existsSync(path))] : [], {
    sizeOf: async (path) => (await stat(await locationOf(path))).size,
    read: async (path) => readFile(await locationOf(path)),
  });
  for (const { path, problem } of unseen)
    yield { kind: 'skipped', label: path, reason: 'unreadable', problem: unreadable(problem).message };
  for (const { ref, path, stats } of files) {
    if (only?.has(path) === false) continue;
    const located = await locate(path).catch((error: Error) => error);
    if (located instanceof Error) {
      yield { kind: 'skipped', label: path, reason: 'unreadable', problem: located.message };
      continue;
    }
    const details = new DetailsBuilder();
    await sidecars.addDetails(path, details);
    const { losses } = details;
    const file = { ...located, filename: basename(path), stats };
    yield { kind: 'photo', key: ref, label: path, file, details: details.build(), losses };
  }
  if (only === undefined) for (const { path, format } of unsupported) yield unsupportedItem(path, format);
  for (const { path, reason } of leftOut) yield { kind: 'skipped', label: path, reason };
  for (const path of others)
    if (!sidecars.isUsed(path)) yield { kind: 'skipped', label: path, reason: skipReason(path) };
}
