import type { CustomerStatus } from '../customers/customer.js';
import { expiryErrors } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { base62, newRandomToken, randomNumber } from '../shared/random.js';
import { cleanText, requiredTextErrors } from '../shared/text.js';

/** A customer's own server signs URLs of images with it. */
export interface DeliveryKey {
  readonly customerId: Id;
  readonly id: Id;
  /** The key's name in addresses: `dk_` and 16 letters and digits. */
  readonly publicId: string;
  readonly name: string;
  /** Sealed (core/shared/secrets.ts): checking a signature needs the secret itself, so a hash would not do. */
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

export const deliveryKeySettings = ['name', 'presetsOnly', 'expiresAt'] as const;

/** The settings that a customer chooses. */
export type DeliveryKeySettings = Pick<DeliveryKey, (typeof deliveryKeySettings)[number]>;

/** Returns the settings as they are stored. Errors: `invalid_request`. */
export function readDeliveryKeySettings(
  { name, presetsOnly, expiresAt }: DeliveryKeySettings,
  now: Date,
): DeliveryKeySettings {
  const errors = [...requiredTextErrors('name', name, MAX_DELIVERY_KEY_NAME), ...expiryErrors(expiresAt, now)];
  if (errors.length > 0) throw invalid(...errors);
  return { name: cleanText(name), presetsOnly, expiresAt };
}

/** Delivery keys of the bound customer. */
export interface DeliveryKeyReads {
  get(id: Id): Promise<DeliveryKey | null>;
  /** All of them, oldest first. */
  list(): Promise<readonly DeliveryKey[]>;
}

export interface DeliveryKeyRepository extends DeliveryKeyReads {
  /** Reads it and locks it until the transaction ends. */
  lock(id: Id): Promise<DeliveryKey | null>;
  insert(key: NewDeliveryKey): Promise<DeliveryKey>;
  /** Stores every field. It must be locked. */
  update(key: DeliveryKey): Promise<void>;
  /** From the commit on, no process finds it. */
  delete(id: Id): Promise<void>;
}

/** Delivery keys of all customers: asked before it is known whose picture an address shows. */
export interface DeliveryKeyFinder {
  /**
   * The key that addresses name so, with its customer's status; null when there is none. Nothing is remembered between calls.
   * Expired keys are returned: the caller checks.
   */
  find(publicId: string): Promise<KnownDeliveryKey | null>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly deliveryKeys: DeliveryKeyReads;
  }
  interface Repositories {
    readonly deliveryKeys: DeliveryKeyRepository;
  }
}
