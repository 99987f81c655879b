import { changedFields } from '../audit/audit-entry.js';
import type { AccountCaller, CustomerStatus } from '../customers/customer.js';
import type { SealedRows } from '../customers/reseal.js';
import { type Clock, expiryErrors } from '../shared/clock.js';
import { DomainError, requireBelowLimit, requireFound, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { base62, newRandomToken, randomNumber, type Secrets, seal, unseal } from '../shared/secrets.js';
import { cleanText, requiredTextErrors } from '../shared/text.js';
import { type Precondition, type Readable, type Transactional, unconditional } from '../shared/transactional.js';
import { type PictureCount, trafficDays } from '../traffic/traffic.js';
import type { Preset } from './preset.js';

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

export const MAX_DELIVERY_KEYS = 10;
export const MAX_DELIVERY_KEY_NAME = 100;

export function isPublicId(text: string): boolean {
  return /^dk_[0-9A-Za-z]{16}$/.test(text);
}

/** `phs_sign_` and 256 random bits in 43 characters. All of it is the key of the HMAC. */
export function newDeliverySecret(): string {
  return `phs_sign_${newRandomToken()}`;
}

export const deliveryKeySettings = ['name', 'presetsOnly', 'expiresAt'] as const;

export type DeliveryKeySettings = Pick<DeliveryKey, (typeof deliveryKeySettings)[number]>;

/** Returns the settings as they are stored. Errors: `invalid_request`. */
function readDeliveryKeySettings(
  { name, presetsOnly, expiresAt }: DeliveryKeySettings,
  now: Date,
): DeliveryKeySettings {
  requireValid([...requiredTextErrors('name', name, MAX_DELIVERY_KEY_NAME), ...expiryErrors(expiresAt, now)]);
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

export interface DeliveryKeyWithSecret {
  readonly key: DeliveryKey;
  /** The secret is only available here. */
  readonly secret: string;
}

/** Errors: `invalid_request`, `limit_reached`, `not_found` (customer). */
export async function createDeliveryKey(
  uses: { store: Transactional<'customer' | 'deliveryKeys' | 'outbox' | 'audit'>; clock: Clock; secrets: Secrets },
  { customerId, actor }: AccountCaller,
  input: DeliveryKeySettings,
): Promise<DeliveryKeyWithSecret> {
  const [at, secret] = [uses.clock.now(), newDeliverySecret()];
  const settings = readDeliveryKeySettings(input, at);
  const key = await uses.store.transaction(customerId, async ({ customer, deliveryKeys, outbox, audit }) => {
    // Keys are created one at a time, so that their number stays within its limit.
    await customer.lock();
    const tooMany = `A customer can have at most ${MAX_DELIVERY_KEYS} delivery keys. Delete one first.`;
    requireBelowLimit((await deliveryKeys.list()).length, MAX_DELIVERY_KEYS, 'deliveryKeys', tooMany);
    const sealed = seal(uses.secrets, 'delivery', secret);
    // 12 bytes: a little more than fits into 16 characters.
    const publicId = `dk_${base62(randomNumber(12), 16)}`;
    const created = await deliveryKeys.insert({ ...settings, publicId, secret: sealed, createdAt: at });
    await outbox.add('delivery_key.created', [created.id], at);
    await audit.add(actor, { action: 'delivery_key.created', subject: created, at });
    return created;
  });
  return { key, secret };
}

/** All delivery keys of a customer, oldest first. */
export function listDeliveryKeys(
  { store }: { store: Readable<'deliveryKeys'> },
  customerId: Id,
): Promise<readonly DeliveryKey[]> {
  return store.query(customerId, ({ deliveryKeys }) => deliveryKeys.list());
}

/** Errors: `not_found`. */
export async function readDeliveryKey(
  { store }: { store: Readable<'deliveryKeys'> },
  customerId: Id,
  id: Id,
): Promise<DeliveryKey> {
  return requireFound(await store.query(customerId, ({ deliveryKeys }) => deliveryKeys.get(id)), 'delivery_key');
}

/**
 * Changes name, options or expiry of a delivery key; absent fields stay. Takes effect with the next request of any of its URLs. Its id and
 * secret never change. Errors: `invalid_request`, `not_found`, and those of `check`.
 */
export function editDeliveryKey(
  { store, clock }: { store: Transactional<'deliveryKeys' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  id: Id,
  changes: Partial<DeliveryKeySettings>,
  check: Precondition<DeliveryKey> = unconditional,
): Promise<DeliveryKey> {
  return store.transaction(customerId, async ({ deliveryKeys, audit }) => {
    const before = requireFound(await deliveryKeys.lock(id), 'delivery_key');
    check(before);
    const at = clock.now();
    // An expiry that stays may have passed.
    const settings = readDeliveryKeySettings({ ...before, expiresAt: null, ...changes }, at);
    const key = { ...before, ...settings, ...(changes.expiresAt === undefined && { expiresAt: before.expiresAt }) };
    const fields = changedFields(before, key, deliveryKeySettings);
    if (fields.length === 0) return before;
    await deliveryKeys.update(key);
    await audit.add(actor, { action: 'delivery_key.edited', subject: key, changes: fields, at });
    return key;
  });
}

/** From here on every process refuses all addresses that were signed with it. Errors: `not_found`. */
export function deleteDeliveryKey(
  { store, clock }: { store: Transactional<'deliveryKeys' | 'outbox' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  id: Id,
): Promise<void> {
  return store.transaction(customerId, async ({ deliveryKeys, outbox, audit }) => {
    const key = requireFound(await deliveryKeys.lock(id), 'delivery_key');
    await deliveryKeys.delete(id);
    const at = clock.now();
    await outbox.add('delivery_key.deleted', [id], at);
    await audit.add(actor, { action: 'delivery_key.deleted', subject: key, at });
  });
}

/**
 * The key that an address names, with its secret; null: malformed, unknown, deleted, or its customer is closed. An expired key is returned:
 * a client that has no signature of it must not learn that it exists. Errors: `service_unavailable`.
 */
export async function openDeliveryKey(
  { deliveryKeys, secrets }: { deliveryKeys: DeliveryKeyFinder; secrets: Secrets },
  publicId: string,
): Promise<DeliveryKeyWithSecret | null> {
  if (!isPublicId(publicId)) return null;
  const known = await deliveryKeys.find(publicId);
  if (known === null || known.customerStatus === 'closing') return null;
  const secret = unseal(secrets, 'delivery', known.key.secret);
  if (secret !== null) return { key: known.key, secret };
  const message =
    'This delivery key cannot be used at the moment. The operator of this service has to add the SECRET_KEY under which it was created.';
  throw new DomainError('service_unavailable', message);
}

export const deliverySecrets: SealedRows<{ store: Transactional<'deliveryKeys'> }, DeliveryKey> = {
  purpose: 'delivery',
  owners: 'delivery_keys',
  list: ({ store }, customerId) => store.query(customerId, ({ deliveryKeys }) => deliveryKeys.list()),
  values: ({ secret }) => [secret],
  replace: ({ store }, customerId, { id }, renewed) =>
    store.transaction(customerId, async ({ deliveryKeys }) => {
      const key = await deliveryKeys.lock(id);
      if (key !== null) await deliveryKeys.update({ ...key, secret: renewed(key.secret) });
    }),
};

/** The keys and presets for the URLs of an account's images, and how often they were used. */
export interface ImageDelivery {
  /** Oldest first. */
  readonly keys: readonly DeliveryKey[];
  /** By name. */
  readonly presets: readonly Preset[];
  /** The days in the report, oldest first, including those without pictures. */
  readonly days: readonly string[];
  readonly pictures: readonly PictureCount[];
}

/** Counts are a few seconds old: each process writes them periodically. */
export function readImageDelivery(
  { store, clock }: { store: Readable<'deliveryKeys' | 'presets' | 'traffic'>; clock: Clock },
  customerId: Id,
): Promise<ImageDelivery> {
  const days = trafficDays(clock.now());
  return store.query(customerId, async ({ deliveryKeys, presets, traffic }) => ({
    keys: await deliveryKeys.list(),
    presets: await presets.list(),
    days,
    pictures: await traffic.pictures(days[0] ?? ''),
  }));
}
