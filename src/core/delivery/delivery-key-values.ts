import { type FieldError, invalid } from '../shared/errors.js';
import { cleanText } from '../shared/text.js';
import { textErrors } from '../shared/text-errors.js';
import { type DeliveryKey, MAX_DELIVERY_KEY_NAME } from './delivery-key.js';

/** What its customer chooses. */
export type DeliveryKeySettings = Pick<DeliveryKey, 'name' | 'presetsOnly' | 'expiresAt'>;

/** As they are stored. Errors: `invalid_request`. */
export function readDeliveryKeySettings(
  { name, presetsOnly, expiresAt }: DeliveryKeySettings,
  now: Date,
): DeliveryKeySettings {
  const errors = [...nameErrors(name), ...expiryErrors(expiresAt, now)];
  if (errors.length > 0) throw invalid(...errors);
  return { name: cleanText(name), presetsOnly, expiresAt };
}

function nameErrors(name: string): FieldError[] {
  if (cleanText(name) !== '') return textErrors('name', name, MAX_DELIVERY_KEY_NAME);
  return [{ field: 'name', code: 'too_short', message: 'name must not be empty.', min: 1 }];
}

function expiryErrors(expiresAt: Date | null, now: Date): FieldError[] {
  if (expiresAt === null || expiresAt.getTime() > now.getTime()) return [];
  return [{ field: 'expiresAt', code: 'out_of_range', message: 'expiresAt must be in the future.' }];
}
