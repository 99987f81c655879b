import { DomainError } from '../shared/errors.js';
import { unseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { DeliveryKeyWithSecret } from './create-delivery-key.js';
import { isPublicId } from './delivery-key.js';
import type { DeliveryKeyFinder } from './delivery-key-repository.js';

/**
 * The key that an address names, with its secret; null: malformed, unknown, deleted, or its customer is closed. An expired key is returned:
 * whoever has no signature of it must not learn that it exists. Errors: `service_unavailable`.
 */
export async function openDeliveryKey(
  { deliveryKeys, secrets }: { deliveryKeys: DeliveryKeyFinder; secrets: Secrets },
  publicId: string,
): Promise<DeliveryKeyWithSecret | null> {
  if (!isPublicId(publicId)) return null;
  const known = await deliveryKeys.find(publicId);
  if (known === null || known.customerStatus === 'closing') return null;
  const secret = unseal(secrets, 'delivery', known.key.secret);
  if (secret === null) throw sealedByAnother();
  return { key: known.key, secret };
}

function sealedByAnother(): DomainError {
  const message =
    'This delivery key cannot be used at the moment. The operator of this service has to add the SECRET_KEY under which it was created.';
  return new DomainError('service_unavailable', message);
}
