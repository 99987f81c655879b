import type { IpCountries } from '../../src/core/access/ip-list.js';

/** What everything knows that names countries of IP addresses, however few. */
export function ipCountriesContract(open: () => IpCountries): void {
  const countries = open();

  it.each([
    ['an IPv4 address', '193.0.6.139', 'NL'],
    ['another', '8.8.8.8', 'US'],
    ['an IPv6 address', '2001:67c:2e8:22::c100:68b', 'NL'],
    ['an IPv4 address as IPv6', '::ffff:8.8.8.8', 'US'],
    ['this machine', '127.0.0.1', null],
    ['this machine by IPv6', '::1', null],
    ['a private network', '192.168.1.20', null],
    ['a private network by IPv6', 'fd00::20', null],
    ['a network shared by customers of a provider', '100.64.0.1', null],
    ['a link', 'fe80::1', null],
    ['an address for examples', '203.0.113.9', null],
    ['an IPv6 address for examples', '2001:db8::1', null],
    ['no address', 'photos.example.com', null],
    ['nothing', '', null],
  ])('%s', async (_, address, country) => {
    expect(await countries.countryOf(address)).toBe(country);
  });

  it('the countries of many addresses are found at once', async () => {
    const asked = Array.from({ length: 20 }, () => countries.countryOf('8.8.8.8'));
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['US']));
  });
}
