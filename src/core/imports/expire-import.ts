import { after, DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { expire, IDLE_DAYS } from './import.js';

/**
 * Arriving bytes change their item and do not wait for the import, so that thousands can arrive at once. Here they extend the expiry of the
 * import.
 */
export function expireUnlessUsed(
  { store }: { store: Transactional<'imports' | 'importPhotos' | 'outbox'> },
  customerId: Id,
  id: Id,
  at: Date,
): Promise<void> {
  return store.transaction(customerId, async (transaction) => {
    const subject = await transaction.imports.lock(id);
    if (subject?.status !== 'open' || subject.expiresAt === null || subject.expiresAt.getTime() > at.getTime()) return;
    const used = await transaction.importPhotos.lastChange(id);
    const keptUntil = used === null ? subject.expiresAt : after(used, IDLE_DAYS * DAY);
    if (keptUntil.getTime() > at.getTime()) return transaction.imports.update({ ...subject, expiresAt: keptUntil });
    await transaction.importPhotos.cancelAll(id, at);
    await transaction.imports.update(expire(subject, at));
    await transaction.outbox.add('import.expired', [id], at);
  });
}
