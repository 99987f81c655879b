import { invalid } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import { expiryErrors, requiredTextErrors } from '../shared/value-errors.js';
import { type DeliveryKey, MAX_DELIVERY_KEY_NAME } from './delivery-key.js';

export const deliveryKeySettings = ['name', 'presetsOnly', 'expiresAt'] as const;

/** What its customer chooses. */
export type DeliveryKeySettings = Pick<DeliveryKey, (typeof deliveryKeySettings)[number]>;

/** As they are stored. Errors: `invalid_request`. */
export function readDeliveryKeySettings(
  { name, presetsOnly, expiresAt }: DeliveryKeySettings,
  now: Date,
): DeliveryKeySettings {
  const errors = [...requiredTextErrors('name', name, MAX_DELIVERY_KEY_NAME), ...expiryErrors(expiresAt, now)];
  if (errors.length > 0) throw invalid(...errors);
  return { name: cleanText(name), presetsOnly, expiresAt };
}
