import { isTrashed, type Photo } from '../photos/photo.js';
import type { Transaction } from '../shared/transactional.js';

/**
 * Photos that have these bytes; but not those whose original is lost, for which the same bytes are wanted once more. Those in the trash are held until the transaction ends: either it can still say that it relies on
 * them, and then they are not deleted for ever, or they are gone already and are not in the answer.
 */
export async function inLibrary(
  { photos }: Transaction<'photos'>,
  sha256: readonly string[],
): Promise<readonly Photo[]> {
  const found = (await photos.findBySha256(sha256)).filter(({ originalLostAt }) => originalLostAt === null);
  const trashed = found.filter(isTrashed).map(({ id }) => id);
  if (trashed.length === 0) return found;
  const held = new Set((await photos.lock(trashed)).map(({ id }) => id));
  return found.filter((photo) => !isTrashed(photo) || held.has(photo.id));
}
