import type { AccountCaller } from '../access/caller.js';
import type { Uses } from '../ports.js';

/** Notes that somebody takes data of the account along, before the first of it is sent. */
export async function recordExport(
  { store, clock }: Uses<'store' | 'clock'>,
  { customerId, actor }: AccountCaller,
  filename: string,
): Promise<void> {
  const change = { action: 'customer.exported', subject: { id: customerId, name: filename }, at: clock.now() } as const;
  await store.transaction(customerId, ({ audit }) => audit.add(actor, change));
}
