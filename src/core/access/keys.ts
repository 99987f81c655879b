import type { Actor } from '../audit/audit-entry.js';
import type { AccountCaller } from '../customers/customer.js';
import type { StoreResponse } from '../idempotency/idempotency-store.js';
import type { JobWork } from '../jobs/job.js';
import { type MailUses, mailWork } from '../mail/send-mail.js';
import type { Addresses } from '../shared/addresses.js';
import { after, type Clock, DAY } from '../shared/clock.js';
import { type FieldError, invalid, notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken } from '../shared/random.js';
import type { Precondition, Readable } from '../shared/transactional.js';
import {
  type ApiKey,
  givenSettings,
  isExpired,
  isWellFormedToken,
  type KeySettings,
  lastFour,
  newToken,
  readKeySettings,
} from './api-key.js';
import { readScopes, scopes } from './caller.js';
import { type IpCountries, IpRanges, normalizeRange } from './ip-list.js';
import type { KeyAddress, KeyStore, KnownKey } from './key-store.js';
import { defaultBudgets } from './rolling-window.js';

/** The key with this token, or null: none, malformed, unknown, deleted, expired, or its customer is closed. */
export async function authenticate(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  token: string | null,
): Promise<KnownKey | null> {
  if (token === null || !isWellFormedToken(token)) return null;
  const known = await keys.findByHash(hashRandomToken(token));
  if (known === null || known.customerStatus === 'closing' || isExpired(known.key, clock.now())) return null;
  return known;
}

/** `ipList` as people write it; limits in requests per minute, of which null is the default. */
export interface KeyRequest extends KeySettings {
  readonly customerId: Id;
  /** Names of scopes; `all` stands for all of them. */
  readonly scopes: readonly string[];
}

export interface IssuedKey {
  readonly key: ApiKey;
  /** The token is only available here. */
  readonly token: string;
}

/**
 * Creates a key for a customer, and with it these jobs and the response to the request for it. Errors: `invalid_request`, `not_found`
 * (customer), `limit_reached`.
 */
export async function issueKey(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  actor: Actor,
  request: KeyRequest,
  works: readonly JobWork[] = [],
  storeResponse?: StoreResponse<IssuedKey>,
): Promise<IssuedKey> {
  const { settings, errors } = readKeySettings(request, clock.now());
  const { scopes: granted, errors: ofScopes } = readScopes(request.scopes, scopes, 'key');
  const wrong = [...errors, ...ofScopes];
  if (wrong.length > 0) throw invalid(...wrong);
  const token = newToken();
  const newKey = {
    customerId: request.customerId,
    name: settings.name,
    tokenHash: hashRandomToken(token),
    lastFour: lastFour(token),
    scopes: granted,
    ipList: settings.ipList,
    readLimit: settings.readLimit,
    writeLimit: settings.writeLimit,
    expiresAt: settings.expiresAt,
    createdAt: clock.now(),
  };
  const key = await keys.create(newKey, actor, works, (stored, responses) =>
    Promise.resolve(storeResponse?.({ key: stored, token }, responses)),
  );
  return { key, token };
}

/**
 * Changes name, IP list, limits or expiry of a key; absent fields stay. Takes effect with the next request. Scopes never change. Errors:
 * `invalid_request`, `not_found`, and those of `check`.
 */
export async function editKey(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  actor: Actor,
  id: Id,
  changes: Partial<KeySettings>,
  check?: Precondition<ApiKey>,
): Promise<ApiKey> {
  const { key } = requireFound(await keys.find(id), 'api_key');
  const { settings, errors } = readKeySettings({ ...key, ...changes }, clock.now(), key);
  if (errors.length > 0) throw invalid(...errors);
  const changed = await keys.update(id, givenSettings(settings, changes), clock.now(), actor, check);
  return requireFound(changed, 'api_key');
}

/** From here on every process refuses the key. The response to the request for it is stored with the deletion. Errors: `not_found`, and those of `check`. */
export async function deleteKey(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  actor: Actor,
  id: Id,
  storeResponse?: StoreResponse<void>,
  check?: Precondition<ApiKey>,
): Promise<void> {
  if (!(await keys.delete(id, clock.now(), actor, storeResponse, check))) throw notFound('api_key');
}

/** A key as its customer's owner sees it. Errors: `not_found`, also for a key of another customer. */
export async function ownKey({ keys }: { keys: KeyStore }, customerId: Id, id: Id): Promise<ApiKey> {
  const { key } = requireFound(await keys.find(id), 'api_key');
  if (key.customerId !== customerId) throw notFound('api_key');
  return key;
}

/** The maximum that an owner may set: the default, or what the operator has granted this key. */
export function mostRequests(key: Pick<ApiKey, 'readLimit' | 'writeLimit'> | null, group: 'read' | 'write'): number {
  const granted = (group === 'read' ? key?.readLimit : key?.writeLimit) ?? 0;
  return Math.max(defaultBudgets[group], granted);
}

/** Requires settings that an owner may set: only the operator can raise limits. Errors: `invalid_request`. */
function requireAllowedSettings(settings: KeySettings, granted: ApiKey | null): void {
  const errors = [...limitErrors(settings, granted, 'read'), ...limitErrors(settings, granted, 'write')];
  if (errors.length > 0) throw invalid(...errors);
}

function limitErrors(settings: KeySettings, granted: ApiKey | null, group: 'read' | 'write'): FieldError[] {
  const [field, limit] = group === 'read' ? ['readLimit', settings.readLimit] : ['writeLimit', settings.writeLimit];
  const max = mostRequests(granted, group);
  if (limit === null || limit <= max) return [];
  const message = `At most ${max} per minute. The operator of this service can grant more.`;
  return [{ field: String(field), code: 'out_of_range', message, max }];
}

type OwnKeyUses = MailUses & {
  readonly keys: KeyStore;
  readonly store: Readable<'customer'>;
  readonly addresses: Addresses;
  readonly ipCountries: IpCountries;
  readonly clock: Clock;
};

/**
 * Creates a key, and tells the person who did by mail. One that replaces another (`from`) may have the limits granted to that one. Errors:
 * `invalid_request`, `not_found` (`from`), `limit_reached`.
 */
export async function issueOwnKey(
  uses: OwnKeyUses,
  caller: AccountCaller,
  request: Omit<KeyRequest, 'customerId'>,
  from: Id | null,
): Promise<IssuedKey> {
  const { customerId, actor } = caller;
  const granted = from === null ? null : await ownKey(uses, customerId, from);
  requireAllowedSettings(request, granted);
  return issueKey(uses, actor, { ...request, customerId }, await noticeOf(uses, caller, request.name));
}

async function noticeOf(uses: OwnKeyUses, { customerId, actor }: AccountCaller, name: string): Promise<JobWork[]> {
  if (uses.mailer === null || actor.kind !== 'person' || actor.id === null || actor.name === null) return [];
  const { name: account, defaultTimeZone: timeZone } = await uses.store.query(customerId, ({ customer }) =>
    customer.read(),
  );
  const at = uses.clock.now();
  const country = actor.address === null ? null : await uses.ipCountries.countryOf(actor.address);
  const circumstances = { at: at.toISOString(), source: actor.address, country, browser: null };
  const values = { account, timeZone, ...circumstances, owners: [], home: uses.addresses.settings(), name };
  return [mailWork(uses, { to: { userId: actor.id, address: actor.name }, template: 'api_key_created', values }, at)];
}

/** Errors: `invalid_request`, `not_found`. */
export async function editOwnKey(
  uses: { keys: KeyStore; clock: Clock },
  caller: AccountCaller,
  id: Id,
  settings: KeySettings,
): Promise<ApiKey> {
  requireAllowedSettings(settings, await ownKey(uses, caller.customerId, id));
  return editKey(uses, caller.actor, id, settings);
}

/** Deletes a key of this customer. Errors: `not_found`, and those of `check`. */
export async function deleteOwnKey(
  uses: { keys: KeyStore; clock: Clock },
  caller: AccountCaller,
  id: Id,
  storeResponse?: StoreResponse<void>,
  check?: Precondition<ApiKey>,
): Promise<void> {
  const key = await ownKey(uses, caller.customerId, id);
  await deleteKey(uses, caller.actor, key.id, storeResponse, check);
}

/** Addresses from which a key was used in the last day, newest first. Errors: `not_found`. */
export async function recentAddresses(
  uses: { keys: KeyStore; clock: Clock },
  customerId: Id,
  id: Id,
): Promise<readonly KeyAddress[]> {
  const key = await ownKey(uses, customerId, id);
  return uses.keys.addressesOf(key.customerId, key.id, after(uses.clock.now(), -DAY));
}

/** Returns the addresses that a list would refuse. None while the list has an invalid entry: then it is not saved. */
export function lockedOut(
  ipList: readonly string[],
  addresses: readonly Pick<KeyAddress, 'address'>[],
): readonly string[] {
  if (ipList.some((entry) => normalizeRange(entry) === null)) return [];
  if (ipList.length === 0) return [];
  const ranges = new IpRanges(ipList);
  return addresses.map(({ address }) => address).filter((address) => !ranges.contains(address));
}
