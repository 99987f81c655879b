import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { notFound } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';

/** Addresses that name it are refused from here on. Errors: `not_found`. */
export function deletePreset(
  { store, clock }: { store: Transactional<'presets' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  name: string,
): Promise<void> {
  return store.transaction(customerId, async ({ presets, audit }) => {
    if (!(await presets.delete(name))) throw notFound('preset');
    await audit.add(actor, { action: 'preset.deleted', subject: { id: null, name }, at: clock.now() });
  });
}
