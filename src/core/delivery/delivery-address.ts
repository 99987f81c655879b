import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Secrets } from '../shared/secrets.js';
import { type DeliveryKey, newDeliverySecret } from './delivery-key.js';
import type { DeliveryKeyFinder } from './delivery-key-repository.js';
import { isDeliverySignature } from './delivery-signature.js';
import { openDeliveryKey } from './open-delivery-key.js';

/** The parts of a signed address, in the form in which they were sent. */
export interface DeliveryAddress {
  /** As `DeliveryKey.publicId`. */
  readonly keyId: string;
  readonly photoId: Id;
  /** As `parseDeliveryOptions` reads them. */
  readonly options: string;
  /** Null: it is valid as long as its key. */
  readonly expiresAt: Date | null;
  /** What of the address is signed. */
  readonly signed: string;
  readonly signature: string;
}

/** The key that has signed the address, and when the address ends. Errors: `url_forbidden`, which says the same whatever is wrong. */
export async function signingKey(
  uses: { deliveryKeys: DeliveryKeyFinder; secrets: Secrets; clock: Clock },
  { keyId, signed, signature, expiresAt }: DeliveryAddress,
): Promise<{ key: DeliveryKey; expiresAt: Date | null }> {
  const opened = await openDeliveryKey(uses, keyId);
  // Calculated in any case: how long it takes does not tell whether there is such a key.
  const isSigned = isDeliverySignature(opened?.secret ?? NO_SECRET, signed, signature);
  if (opened === null || !isSigned) throw forbiddenAddress();
  const end = earlier(expiresAt, opened.key.expiresAt);
  if (end !== null && end.getTime() <= uses.clock.now().getTime()) throw forbiddenAddress();
  return { key: opened.key, expiresAt: end };
}

/** Of no key. */
const NO_SECRET = newDeliverySecret();

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** The same text, whatever is wrong. */
export function forbiddenAddress(): DomainError {
  return new DomainError('url_forbidden', 'This URL is invalid or expired. Sign it again, with a key that is valid.');
}
