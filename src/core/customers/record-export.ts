import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import type { AccountCaller } from './account-caller.js';

/** Records an export of the account's data, before any of it is sent. */
export async function recordExport(
  { store, clock }: { store: Transactional<'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  filename: string,
): Promise<void> {
  const change = { action: 'customer.exported', subject: { id: customerId, name: filename }, at: clock.now() } as const;
  await store.transaction(customerId, ({ audit }) => audit.add(actor, change));
}
