import type { CustomerStatus } from '../customers/customer.js';
import type { Id } from '../shared/ids.js';
import { base62, newRandomToken, randomNumber } from '../shared/random-token.js';

/** A customer's own server signs URLs of images with it. */
export interface DeliveryKey {
  readonly customerId: Id;
  readonly id: Id;
  /** How addresses name it: `dk_` and 16 letters and digits. */
  readonly publicId: string;
  readonly name: string;
  /** Sealed (core/shared/sealed.ts): checking a signature needs the secret itself, so a hash would not do. */
  readonly secret: string;
  /** Its addresses may name a preset, and no other option. */
  readonly presetsOnly: boolean;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

export type NewDeliveryKey = Omit<DeliveryKey, 'customerId' | 'id'>;

export interface KnownDeliveryKey {
  readonly key: DeliveryKey;
  readonly customerStatus: CustomerStatus;
}

/** Delivery keys that one customer may have. */
export const MAX_DELIVERY_KEYS = 10;
export const MAX_DELIVERY_KEY_NAME = 100;

const ID_LENGTH = 16;
/** A little more than fits into the characters. */
const ID_BYTES = 12;

export function newPublicId(): string {
  return `dk_${base62(randomNumber(ID_BYTES), ID_LENGTH)}`;
}

export function isPublicId(text: string): boolean {
  return /^dk_[0-9A-Za-z]{16}$/.test(text);
}

/** `phs_sign_` and 256 random bits in 43 characters. All of it is the key of the HMAC. */
export function newDeliverySecret(): string {
  return `phs_sign_${newRandomToken()}`;
}
