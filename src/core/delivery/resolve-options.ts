import { type FieldError, invalid } from '../shared/errors.js';
import type { Readable } from '../shared/transactional.js';
import type { DeliveryKey } from './delivery-key.js';
import type { DeliveryOptions } from './delivery-options.js';
import { optionsOfPreset } from './preset.js';

/**
 * The options of an address over those of the preset that it names. Errors: `invalid_request` when there is no such preset, or the key is
 * for presets only and the address has other options.
 */
export async function resolveOptions(
  { store }: { store: Readable<'presets'> },
  { customerId, presetsOnly }: Pick<DeliveryKey, 'customerId' | 'presetsOnly'>,
  { p, ...own }: DeliveryOptions,
): Promise<DeliveryOptions> {
  if (presetsOnly && (p === undefined || Object.keys(own).length > 0)) throw invalid(presetRequired);
  if (p === undefined) return own;
  const preset = await store.query(customerId, ({ presets }) => presets.get(p));
  if (preset === null) throw invalid({ field: 'p', code: 'invalid_format', message: `There is no preset "${p}".` });
  return { ...optionsOfPreset(preset), ...own };
}

const presetRequired: FieldError = {
  field: 'options',
  code: 'conflict',
  message: 'This delivery key is for presets only. Give p and no other option.',
};
