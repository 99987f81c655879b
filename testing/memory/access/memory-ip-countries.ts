import { type IpCountries, IpRanges } from '../../../src/core/access/ip-list.js';

export class MemoryIpCountries implements IpCountries {
  async countryOf(address: string): Promise<string | null> {
    return registered.find(([, addresses]) => addresses.contains(address))?.[0] ?? null;
  }
}

/** An internet of few addresses. */
const registered: readonly (readonly [country: string, addresses: IpRanges])[] = [
  ['US', new IpRanges(['8.8.8.0/24', '2001:4860::/32'])],
  ['NL', new IpRanges(['193.0.0.0/21', '2001:67c:2e8::/48'])],
];
