import type { DeliveryKey } from '../../../core/delivery/delivery-key.js';
import type { Preset } from '../../../core/delivery/preset.js';
import { generatedKey, instant, key, optionalInstant, tableOf, text, yesOrNo } from '../database/columns.js';

export const deliveryKeyTable = tableOf<DeliveryKey>('deliveryKey', 'delivery_keys', {
  customerId: key,
  id: generatedKey,
  publicId: text,
  name: text,
  secret: text,
  presetsOnly: yesOrNo,
  expiresAt: optionalInstant,
  createdAt: instant,
});

export const presetTable = tableOf<Preset>('preset', 'presets', {
  customerId: key,
  name: { ...text, primary: true },
  options: text,
  createdAt: instant,
  updatedAt: instant,
});
