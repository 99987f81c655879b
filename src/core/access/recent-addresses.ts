import { after, type Clock, DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { IpRanges, normalizeRange } from './ip-list.js';
import type { KeyAddress, KeyStore } from './key-store.js';
import { ownKey } from './own-key.js';

/** Addresses from which a key was used in the last day, newest first. Errors: `not_found`. */
export async function recentAddresses(
  uses: { keys: KeyStore; clock: Clock },
  customerId: Id,
  id: Id,
): Promise<readonly KeyAddress[]> {
  const key = await ownKey(uses, customerId, id);
  return uses.keys.addressesOf(key.customerId, key.id, after(uses.clock.now(), -DAY));
}

/** Those of the addresses that a list would refuse. None while the list has an invalid entry: then it is not saved. */
export function lockedOut(
  ipList: readonly string[],
  addresses: readonly Pick<KeyAddress, 'address'>[],
): readonly string[] {
  if (ipList.some((entry) => normalizeRange(entry) === null)) return [];
  if (ipList.length === 0) return [];
  const ranges = new IpRanges(ipList);
  return addresses.map(({ address }) => address).filter((address) => !ranges.contains(address));
}
