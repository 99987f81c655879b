import type { DeliveryKey } from '../../core/delivery/delivery-key.js';
import { ResponseModel } from '../../http/fields/declared.js';
import { Flag, IdOf, Instant, Text } from '../../http/fields/fields.js';
import { instant, optionalInstant } from '../../http/responses/reply.js';

@ResponseModel('DeliveryKey', 'A delivery key, without its secret.')
export class DeliveryKeyView {
  @IdOf({ description: 'The unique identifier of the key.', example: 4 })
  id: number;

  @Text({ description: 'What image URLs name the key by.', example: 'dk_3kTMd1PzUo8WcQ5x' })
  publicId: string;

  @Text({ description: 'The name of the key.', example: 'shop' })
  name: string;

  @Flag({ description: 'Whether its URLs can only name presets.', example: false })
  presetsOnly: boolean;

  @Instant({ description: 'When the key was created.' })
  createdAt: string;

  @Instant({ description: 'When the key expires. Null if it never does.', nullable: true })
  expiresAt: string | null;
}

export function deliveryKeyView(key: DeliveryKey): DeliveryKeyView {
  return {
    id: key.id,
    publicId: key.publicId,
    name: key.name,
    presetsOnly: key.presetsOnly,
    createdAt: instant(key.createdAt),
    expiresAt: optionalInstant(key.expiresAt),
  };
}
