import { markRecovered, type Photo, withNewVersion } from '../photos/photo.js';
import type { Transaction } from '../shared/transactional.js';

/** Gives a photo whose original is lost the bytes that have just arrived. False, with nothing changed, for any other. */
export async function recoverOriginal(
  transaction: Transaction<'photos' | 'outbox'>,
  seen: Photo,
  blobKey: string,
  at: Date,
): Promise<boolean> {
  if (seen.originalLostAt === null) return false;
  const photo = (await transaction.photos.lock([seen.id]))[0];
  if (photo === undefined || photo.originalLostAt === null) return false;
  await transaction.photos.update(withNewVersion(photo, markRecovered(photo, blobKey), at));
  await transaction.outbox.add('photo.updated', [photo.id], at);
  return true;
}
