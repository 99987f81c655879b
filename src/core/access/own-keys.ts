import type { Uses } from '../ports.js';
import { after, DAY } from '../shared/clock.js';
import { type FieldError, found, invalid, notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { ApiKey, KeySettings } from './api-key.js';
import { deleteKey } from './delete-key.js';
import { editKey } from './edit-key.js';
import { admits, normalizeRange } from './ip-list.js';
import { type IssuedKey, issueKey, type KeyRequest } from './issue-key.js';
import type { KeyAddress } from './key-store.js';
import { defaultBudgets } from './rolling-window.js';

// Keys as their customer's owner handles them: those of others do not exist, and limits are the operator's to raise.

/** Errors: `not_found`, also for the key of another customer. */
export async function ownKey({ keys }: Uses<'keys'>, customerId: Id, id: Id): Promise<ApiKey> {
  const { key } = found(await keys.find(id), 'api_key');
  if (key.customerId !== customerId) throw notFound('api_key');
  return key;
}

/**
 * Makes a key. One that takes the place of another (`from`) may have the limits which that one was granted.
 * Errors: `invalid_request`, `not_found` (`from`), `limit_reached`.
 */
export async function issueOwnKey(
  uses: Uses<'keys' | 'clock'>,
  request: KeyRequest,
  from: Id | null,
): Promise<IssuedKey> {
  const granted = from === null ? null : await ownKey(uses, request.customerId, from);
  demandAllowed(request, granted, uses.clock.now());
  return issueKey(uses, request);
}

/** Errors: `invalid_request`, `not_found`. */
export async function editOwnKey(
  uses: Uses<'keys' | 'clock'>,
  customerId: Id,
  id: Id,
  settings: KeySettings,
): Promise<ApiKey> {
  demandAllowed(settings, await ownKey(uses, customerId, id), uses.clock.now());
  return editKey(uses, id, settings);
}

/** Errors: `not_found`. */
export async function deleteOwnKey(uses: Uses<'keys' | 'clock'>, customerId: Id, id: Id): Promise<void> {
  const key = await ownKey(uses, customerId, id);
  await deleteKey(uses, key.id);
}

/** Where a key was used from in the last day, newest first. Errors: `not_found`. */
export async function recentAddresses(
  uses: Uses<'keys' | 'clock'>,
  customerId: Id,
  id: Id,
): Promise<readonly KeyAddress[]> {
  const key = await ownKey(uses, customerId, id);
  return uses.keys.addressesOf(key.customerId, key.id, after(uses.clock.now(), -DAY));
}

/** Those of the addresses that a list would refuse. None while the list has an entry that cannot be read: it is not set then. */
export function lockedOut(ipList: readonly string[], addresses: readonly KeyAddress[]): readonly string[] {
  if (ipList.some((entry) => normalizeRange(entry) === null)) return [];
  return addresses.map(({ address }) => address).filter((address) => !admits(ipList, address));
}

/** The most that an owner may set: the default, or what the operator has granted this key. */
export function mostRequests(key: Pick<ApiKey, 'readLimit' | 'writeLimit'> | null, group: 'read' | 'write'): number {
  const granted = (group === 'read' ? key?.readLimit : key?.writeLimit) ?? 0;
  return Math.max(defaultBudgets[group], granted);
}

function demandAllowed(settings: KeySettings, granted: ApiKey | null, now: Date): void {
  const errors = [...limitErrors(settings, granted, 'read'), ...limitErrors(settings, granted, 'write')];
  const { expiresAt } = settings;
  const isChanged = expiresAt?.getTime() !== granted?.expiresAt?.getTime();
  if (isChanged && expiresAt !== null && expiresAt.getTime() <= now.getTime()) {
    const message = 'This day is over already. To end a key at once, delete it.';
    errors.push({ field: 'expiresAt', code: 'out_of_range', message });
  }
  if (errors.length > 0) throw invalid(...errors);
}

function limitErrors(settings: KeySettings, granted: ApiKey | null, group: 'read' | 'write'): FieldError[] {
  const [field, limit] = group === 'read' ? ['readLimit', settings.readLimit] : ['writeLimit', settings.writeLimit];
  const max = mostRequests(granted, group);
  if (limit === null || limit <= max) return [];
  const message = `At most ${max} a minute. Whoever runs this service can grant more.`;
  return [{ field: String(field), code: 'out_of_range', message, max }];
}
