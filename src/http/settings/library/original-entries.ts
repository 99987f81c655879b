import type { Caller } from '../../../core/access/caller.js';
import type { StoredOriginal } from '../../../core/photos/list-photos.js';
import { openOriginalOf } from '../../../core/photos/original.js';
import type { Ports } from '../../../core/ports.js';
import { unlessGone } from '../../../core/shared/errors.js';
import { withFileNames } from '../../responses/archive-names.js';
import type { ZipEntry } from '../../responses/zip.js';

/** The files of an archive, each opened when the one before has been sent. A photo that was deleted meanwhile is left out. */
export async function* originalEntries(
  ports: Ports,
  caller: Caller,
  photos: readonly StoredOriginal[],
): AsyncGenerator<ZipEntry> {
  for (const { id, path, modifiedAt, sizeBytes } of withFileNames(photos)) {
    const original = await unlessGone(openOriginalOf(ports, caller, id));
    if (original !== null) yield { path, modifiedAt, sizeBytes, bytes: original.bytes };
  }
}
