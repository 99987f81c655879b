import type { Transaction } from '../shared/transactional.js';
import { hasPhotos, type Import, type ImportCounts } from './import.js';

/** Listeners learn that the import has ended and, if visitors of a share brought photos, that they did. */
export async function announceCompletion(
  { outbox }: Transaction<'outbox'>,
  { id, shareId }: Pick<Import, 'id' | 'shareId'>,
  counts: ImportCounts,
  at: Date,
): Promise<void> {
  await outbox.add('import.completed', [id], at);
  if (shareId !== null && hasPhotos(counts)) await outbox.add('share.uploaded', [shareId], at);
}
