import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, type FieldError, invalid } from '../shared/errors.js';
import { seal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import { cleanText } from '../shared/text.js';
import { textErrors } from '../shared/text-errors.js';
import type { Transactional } from '../shared/transactional.js';
import {
  type DeliveryKey,
  MAX_DELIVERY_KEY_NAME,
  MAX_DELIVERY_KEYS,
  newDeliverySecret,
  newPublicId,
} from './delivery-key.js';

export interface DeliveryKeyWithSecret {
  readonly key: DeliveryKey;
  /** The secret is only available here. */
  readonly secret: string;
}

/** Errors: `invalid_request`, `limit_reached`, `not_found` (customer). */
export async function createDeliveryKey(
  uses: { store: Transactional<'customer' | 'deliveryKeys' | 'outbox' | 'audit'>; clock: Clock; secrets: Secrets },
  { customerId, actor }: AccountCaller,
  input: Pick<DeliveryKey, 'name' | 'presetsOnly' | 'expiresAt'>,
): Promise<DeliveryKeyWithSecret> {
  const [at, secret] = [uses.clock.now(), newDeliverySecret()];
  const errors = [...nameErrors(input.name), ...expiryErrors(input.expiresAt, at)];
  if (errors.length > 0) throw invalid(...errors);
  const key = await uses.store.transaction(customerId, async ({ customer, deliveryKeys, outbox, audit }) => {
    // Keys are created one at a time, so that their number stays within its limit.
    await customer.lock();
    if ((await deliveryKeys.list()).length >= MAX_DELIVERY_KEYS) throw tooMany();
    const { presetsOnly, expiresAt } = input;
    const sealed = seal(uses.secrets, 'delivery', secret);
    const values = { publicId: newPublicId(), name: cleanText(input.name), secret: sealed, presetsOnly, expiresAt };
    const created = await deliveryKeys.insert({ ...values, createdAt: at });
    await outbox.add('delivery_key.created', [created.id], at);
    await audit.add(actor, { action: 'delivery_key.created', subject: created, at });
    return created;
  });
  return { key, secret };
}

function nameErrors(name: string): FieldError[] {
  if (cleanText(name) !== '') return textErrors('name', name, MAX_DELIVERY_KEY_NAME);
  return [{ field: 'name', code: 'too_short', message: 'name must not be empty.', min: 1 }];
}

function expiryErrors(expiresAt: Date | null, now: Date): FieldError[] {
  if (expiresAt === null || expiresAt.getTime() > now.getTime()) return [];
  return [{ field: 'expiresAt', code: 'out_of_range', message: 'expiresAt must be in the future.' }];
}

function tooMany(): DomainError {
  const message = `A customer can have at most ${MAX_DELIVERY_KEYS} delivery keys. Delete one first.`;
  return new DomainError('limit_reached', message, { limit: MAX_DELIVERY_KEYS, name: 'deliveryKeys' });
}
