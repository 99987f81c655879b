import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Preset } from './preset.js';

/** All presets of a customer, by name. */
export function listPresets({ store }: { store: Readable<'presets'> }, customerId: Id): Promise<readonly Preset[]> {
  return store.query(customerId, ({ presets }) => presets.list());
}

/** Errors: `not_found`. */
export async function readPreset(
  { store }: { store: Readable<'presets'> },
  customerId: Id,
  name: string,
): Promise<Preset> {
  return requireFound(await store.query(customerId, ({ presets }) => presets.get(name)), 'preset');
}
