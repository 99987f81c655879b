import { isTrashed, type Photo } from '../photos/photo.js';
import type { Transaction } from '../shared/transactional.js';

/**
 * Photos that have these bytes, except those whose original is lost: for them the same bytes are wanted once more. Those in the trash are
 * locked until the transaction ends. So each is either relied on before it could be purged, and then it is not, or it is gone already and
 * not among them.
 */
export async function inLibrary(
  { photos }: Transaction<'photos'>,
  sha256: readonly string[],
): Promise<readonly Photo[]> {
  const found = (await photos.findBySha256(sha256)).filter(({ originalLostAt }) => originalLostAt === null);
  const trashed = found.filter(isTrashed).map(({ id }) => id);
  if (trashed.length === 0) return found;
  const locked = new Set((await photos.lock(trashed)).map(({ id }) => id));
  return found.filter((photo) => !isTrashed(photo) || locked.has(photo.id));
}
