import type { Caller } from '../../access/caller.js';
import type { Limits } from '../../customers/limits.js';
import { cleanFilename, MAX_FILENAME } from '../../photos/photo.js';
import type { Clock } from '../../shared/clock.js';
import { type ItemError, requireFound } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import { truncate } from '../../shared/text.js';
import type { Transactional } from '../../shared/transactional.js';
import { newItem, normalSha256 } from '../candidate.js';
import { requireOpen } from '../import.js';
import { fail, type ImportPhoto, newUploadId } from '../import-photo.js';

/**
 * Stores refused files as failed items, so that the report of their import lists them; returns the item of each, or null if the import is
 * full. The same file of an import is stored once. For people, who register files and read the report later; API clients get refusals in
 * the response, and nothing is stored. Errors: `not_found`, `import_not_open`.
 */
export async function recordRefusals(
  { store, limits, clock }: { store: Transactional<'imports' | 'importPhotos'>; limits: Limits; clock: Clock },
  { customerId }: Pick<Caller, 'customerId'>,
  importId: Id,
  refusals: readonly Refusal[],
): Promise<readonly (ImportPhoto | null)[]> {
  if (refusals.length === 0) return [];
  return store.transaction(customerId, async ({ imports, importPhotos }) => {
    const subject = requireFound(await imports.lock(importId), 'import');
    requireOpen(subject);
    const at = clock.now();
    // With values that a row can hold: the name, size or hash of a file may be what is invalid.
    const files = refusals.map(({ filename, sizeBytes, sha256, error }) => ({
      filename: truncate(cleanFilename(filename.toWellFormed().replaceAll('\0', '')), MAX_FILENAME),
      sizeBytes: sizeBytes !== null && Number.isSafeInteger(sizeBytes) && sizeBytes >= 0 ? sizeBytes : undefined,
      sha256: sha256 ? normalSha256(sha256) : null,
      error,
    }));
    const hashes = new Set(files.flatMap(({ sha256 }) => sha256 ?? []));
    const known = [...(await importPhotos.findBySha256(importId, [...hashes]))];
    const ids = await importPhotos.allocateIds(files.length);
    const room = limits.importMaxPhotos - (await importPhotos.count(importId));
    const created: ImportPhoto[] = [];
    const items = files.map((file, index) => {
      const same = known.find((item) => item.sha256 === file.sha256 && item.filename === file.filename);
      if (same !== undefined) return same;
      const id = ids[index];
      if (id === undefined || created.length >= room) return null;
      const item = fail(newItem(subject, { id, uploadId: newUploadId() }, file, at), file.error, at);
      created.push(item);
      if (item.sha256 !== null) known.push(item);
      return item;
    });
    await importPhotos.insert(created);
    return items;
  });
}

interface Refusal {
  readonly filename: string;
  /** Null when unknown. */
  readonly sizeBytes: number | null;
  readonly sha256?: string | null | undefined;
  readonly error: ItemError;
}
