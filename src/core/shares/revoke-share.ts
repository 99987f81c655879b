import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { auditSubject, type Share } from './share.js';

/** From here on its link shows nothing, in every process, and never will again. The photos stay. Errors: `not_found`. */
export function revokeShare(
  { store, clock }: { store: Transactional<'shares' | 'outbox' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  id: Id,
): Promise<Share> {
  return store.transaction(customerId, async ({ shares, outbox, audit }) => {
    const share = requireFound(await shares.lock(id), 'share');
    await shares.delete(id);
    const at = clock.now();
    await outbox.add('share.revoked', [id], at);
    await audit.add(actor, { action: 'share.revoked', subject: auditSubject(share), at });
    return share;
  });
}
