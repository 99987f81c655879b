import { changedFields } from '../audit/audit-entry.js';
import type { AccountCaller } from '../customers/customer.js';
import type { JobWork } from '../jobs/job.js';
import { type MailUses, mailWork } from '../mail/send-mail.js';
import type { Addresses } from '../shared/addresses.js';
import { after, type Clock, DAY, isExpired } from '../shared/clock.js';
import { type FieldError, requireBelowLimit, requireFound, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken } from '../shared/secrets.js';
import { type Precondition, type Readable, type Transactional, unconditional } from '../shared/transactional.js';
import {
  type ApiKey,
  isWellFormedToken,
  type KeyAddress,
  type KeyFinder,
  type KeySettings,
  type KnownKey,
  keySettings,
  lastFour,
  MAX_KEYS,
  newToken,
  readKeySettings,
} from './api-key.js';
import { type Caller, readScopes, scopes } from './caller.js';
import { type IpCountries, IpRanges, normalizeRange } from './ip-list.js';
import { defaultBudgets } from './rolling-window.js';

/** The key with this token, or null: none, malformed, unknown, deleted, expired, or its customer is closed. */
export async function authenticate(
  { keys, clock }: { keys: KeyFinder; clock: Clock },
  token: string | null,
): Promise<KnownKey | null> {
  if (token === null || !isWellFormedToken(token)) return null;
  const known = await keys.findByHash(hashRandomToken(token));
  if (known === null || known.customerStatus === 'closing' || isExpired(known.key, clock.now())) return null;
  return known;
}

/** The caller with this key, at this address. The order in which a key is checked before: docs/architecture.md. */
export function callerOfKey(key: ApiKey, address: string): Caller {
  return {
    customerId: key.customerId,
    apiKeyId: key.id,
    scopes: key.scopes,
    ipRestricted: key.ipList.length > 0,
    actor: { kind: 'api_key', id: key.id, name: key.name, address },
  };
}

/** `ipList` as people write it; limits in requests per minute, of which null is the default. */
export interface KeyRequest extends KeySettings {
  /** Names of scopes; `all` stands for all of them. */
  readonly scopes: readonly string[];
}

export interface IssuedKey {
  readonly key: ApiKey;
  /** The token is only available here. */
  readonly token: string;
}

type IssueUses = { store: Transactional<'customer' | 'keys' | 'outbox' | 'audit' | 'jobs'>; clock: Clock };

/** Creates a key for a customer, and with it these jobs. Errors: `invalid_request`, `not_found` (customer), `limit_reached`. */
export async function issueKey(
  { store, clock }: IssueUses,
  { customerId, actor }: AccountCaller,
  request: KeyRequest,
  works: readonly JobWork[] = [],
): Promise<IssuedKey> {
  const at = clock.now();
  const { settings, errors } = readKeySettings(request, at);
  const { scopes: granted, errors: ofScopes } = readScopes(request.scopes, scopes, 'key');
  requireValid([...errors, ...ofScopes]);
  const token = newToken();
  const secret = { tokenHash: hashRandomToken(token), lastFour: lastFour(token) };
  return store.transaction(customerId, async ({ customer, keys, outbox, audit, jobs }) => {
    // Keys are created one at a time, so that their number stays within its limit.
    await customer.lock();
    const tooMany = `A customer can have at most ${MAX_KEYS} keys. Delete one first.`;
    requireBelowLimit((await keys.list()).length, MAX_KEYS, 'apiKeys', tooMany);
    const key = await keys.insert({ ...settings, ...secret, scopes: granted, createdAt: at });
    await outbox.add('api_key.created', [key.id], at);
    await audit.add(actor, { action: 'api_key.created', subject: key, at });
    await jobs.add(...works);
    return { key, token };
  });
}

/**
 * Changes name, IP list, limits or expiry of a key; absent fields stay. Takes effect with the next request. Scopes never change. `check` is
 * called with the key as it is when its change begins. Errors: `invalid_request`, `not_found`, and those of `check`.
 */
export function editKey(
  { store, clock }: { store: Transactional<'keys' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  id: Id,
  changes: Partial<KeySettings>,
  check: Precondition<ApiKey> = unconditional,
): Promise<ApiKey> {
  return store.transaction(customerId, async ({ keys, audit }) => {
    const before = requireFound(await keys.lock(id), 'api_key');
    const at = clock.now();
    const { settings, errors } = readKeySettings({ ...before, ...changes }, at, before);
    requireValid(errors);
    check(before);
    const key = { ...before, ...settings };
    const fields = changedFields(before, key, keySettings);
    if (fields.length === 0) return before;
    await keys.update(key);
    await audit.add(actor, { action: 'api_key.edited', subject: key, changes: fields, at });
    return key;
  });
}

/** From here on every process refuses the key. `check` as for `editKey`. Errors: `not_found`, and those of `check`. */
export function deleteKey(
  { store, clock }: { store: Transactional<'keys' | 'outbox' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  id: Id,
  check: Precondition<ApiKey> = unconditional,
): Promise<void> {
  return store.transaction(customerId, async ({ keys, outbox, audit }) => {
    const key = requireFound(await keys.lock(id), 'api_key');
    check(key);
    const at = clock.now();
    await keys.update({ ...key, deletedAt: at });
    await outbox.add('api_key.deleted', [id], at);
    await audit.add(actor, { action: 'api_key.deleted', subject: key, at });
  });
}

/** Returns the customer whose key this is. Errors: `not_found`. */
export async function ownerOfKey({ keys }: { keys: KeyFinder }, id: Id): Promise<Id> {
  return requireFound(await keys.find(id), 'api_key').key.customerId;
}

/** All keys of a customer, oldest first. */
export function listKeys({ store }: { store: Readable<'keys'> }, customerId: Id): Promise<readonly ApiKey[]> {
  return store.query(customerId, ({ keys }) => keys.list());
}

/** A key as its customer's owner sees it. Errors: `not_found`, also for a key of another customer. */
export async function ownKey({ store }: { store: Readable<'keys'> }, customerId: Id, id: Id): Promise<ApiKey> {
  return requireFound(await store.query(customerId, ({ keys }) => keys.get(id)), 'api_key');
}

/** The maximum that an owner may set: the default, or what the operator has granted this key. */
export function mostRequests(key: Pick<ApiKey, 'readLimit' | 'writeLimit'> | null, group: 'read' | 'write'): number {
  const granted = (group === 'read' ? key?.readLimit : key?.writeLimit) ?? 0;
  return Math.max(defaultBudgets[group], granted);
}

/** Requires settings that an owner may set: only the operator can raise limits. Errors: `invalid_request`. */
function requireAllowedSettings(settings: Partial<KeySettings>, granted: ApiKey | null): void {
  const errors = (['read', 'write'] as const).flatMap((group): FieldError[] => {
    const field = `${group}Limit` as const;
    const max = mostRequests(granted, group);
    if ((settings[field] ?? 0) <= max) return [];
    const message = `At most ${max} per minute. The operator of this service can grant more.`;
    return [{ field, code: 'out_of_range', message, max }];
  });
  requireValid(errors);
}

type OwnKeyUses = MailUses & IssueUses & { readonly addresses: Addresses; readonly ipCountries: IpCountries };

/**
 * Creates a key, and tells the person who did by mail. One that replaces another (`from`) may have the limits granted to that one. Errors:
 * `invalid_request`, `not_found` (`from`), `limit_reached`.
 */
export async function issueOwnKey(
  uses: OwnKeyUses,
  caller: AccountCaller,
  request: KeyRequest,
  from: Id | null,
): Promise<IssuedKey> {
  const granted = from === null ? null : await ownKey(uses, caller.customerId, from);
  requireAllowedSettings(request, granted);
  return issueKey(uses, caller, request, await noticeOf(uses, caller, request.name));
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

/** Changes a key as `editKey` does, within what an owner may set. Errors: `invalid_request`, `not_found`, and those of `check`. */
export async function editOwnKey(
  uses: { store: Transactional<'keys' | 'audit'>; clock: Clock },
  caller: AccountCaller,
  id: Id,
  changes: Partial<KeySettings>,
  check?: Precondition<ApiKey>,
): Promise<ApiKey> {
  requireAllowedSettings(changes, await ownKey(uses, caller.customerId, id));
  return editKey(uses, caller, id, changes, check);
}

/** Addresses from which a key was used in the last day, newest first. Errors: `not_found`. */
export async function recentAddresses(
  { store, clock }: { store: Readable<'keys'>; clock: Clock },
  customerId: Id,
  id: Id,
): Promise<readonly KeyAddress[]> {
  return store.query(customerId, async ({ keys }) => {
    requireFound(await keys.get(id), 'api_key');
    return keys.addressesOf(id, after(clock.now(), -DAY));
  });
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
