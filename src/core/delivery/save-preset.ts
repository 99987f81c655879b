import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, invalid } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { MAX_PRESETS, type Preset, type PresetInput, presetValues } from './preset.js';

/**
 * Creates a preset, or gives an existing one other options: all its addresses then show other pictures. With `isNew` an existing one is
 * left alone. Errors: `invalid_request`, `limit_reached`, `not_found` (customer).
 */
export async function savePreset(
  { store, clock }: { store: Transactional<'customer' | 'presets' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  { isNew = false, ...input }: PresetInput & { readonly isNew?: boolean },
): Promise<Preset> {
  const values = presetValues(input);
  return store.transaction(customerId, async ({ customer, presets, audit }) => {
    // Presets are created one at a time: their number stays within its limit, and of two new ones with one name the second is refused.
    await customer.lock();
    const [before, at] = [await presets.get(values.name), clock.now()];
    if (isNew && before !== null) throw nameTaken(before);
    if (before?.options === values.options) return before;
    if (before === null && (await presets.list()).length >= MAX_PRESETS) throw tooMany();
    const saved = await presets.put({ ...values, createdAt: at, updatedAt: at });
    const subject = { id: null, name: saved.name };
    const change =
      before === null
        ? ({ action: 'preset.created' } as const)
        : ({ action: 'preset.edited', changes: ['options'] } as const);
    await audit.add(actor, { ...change, subject, at });
    return saved;
  });
}

function nameTaken({ name }: Preset): DomainError {
  const message = `There is already a preset "${name}". Choose another name, or edit that preset.`;
  return invalid({ field: 'name', code: 'conflict', message });
}

function tooMany(): DomainError {
  const message = `A customer can have at most ${MAX_PRESETS} presets. Delete one first.`;
  return new DomainError('limit_reached', message, { limit: MAX_PRESETS, name: 'presets' });
}
