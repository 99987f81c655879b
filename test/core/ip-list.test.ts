import { addressBudget, IpLists, normalizeAddress, normalizeRange } from '../../src/core/access/ip-list.js';

describe('the canonical spelling of an address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:0a00:0001', '10.0.0.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::1', '::1'],
  ])('%s is %s', (text, normal) => expect(normalizeAddress(text)).toBe(normal));

  it.each(['', 'localhost', '010.0.0.1', '10.0.0', '10.0.0.256', 'fe80::1%eth0', '1.2.3.4:80', '[::1]', ' 10.0.0.1'])(
    'does not exist for %p',
    (text) => expect(normalizeAddress(text)).toBeNull(),
  );
});

describe('the canonical spelling of a range', () => {
  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['10.1.2.3', '10.1.2.3/32'],
    ['192.168.1.77/25', '192.168.1.0/25'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/31', '255.255.255.254/31'],
    ['::/0', '::/0'],
    ['2001:db8:ffff::1/36', '2001:db8:f000::/36'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:10.1.2.3', '10.1.2.3/32'],
    [' 2001:db8::/32 ', '2001:db8::/32'],
  ])('%p is %s', (text, normal) => expect(normalizeRange(text)).toBe(normal));

  it.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '010.0.0.0/8',
    '10.0.0.0/8/8',
    'x/8',
    '::ffff:1.2.3.4/90',
  ])('does not exist for %p', (text) => expect(normalizeRange(text)).toBeNull());
});

describe('the IP list of a key', () => {
  const admits = (entries: readonly string[], address: string | null) => new IpLists().admits(entries, address);

  it('admits everyone when it is empty', () => expect(admits([], '203.0.113.9')).toBe(true));
  it('admits the addresses within its ranges', () =>
    expect(admits(['10.0.0.0/8', '2001:db8::/32'], '10.200.0.1')).toBe(true));
  it('admits no addresses outside its ranges', () =>
    expect(admits(['10.0.0.0/8', '2001:db8::/32'], '11.0.0.1')).toBe(false));
  it('takes a mapped address for the IPv4 address it is', () =>
    expect(admits(['10.0.0.0/8'], '::ffff:10.0.0.1')).toBe(true));
  it('does not let ::/0 admit IPv4', () => expect(admits(['::/0'], '203.0.113.9')).toBe(false));
  it('does not let 0.0.0.0/0 admit IPv6', () => expect(admits(['0.0.0.0/0'], '2001:db8::1')).toBe(false));
  it('admits no address if one of its entries cannot be read', () =>
    expect(admits(['10.0.0.0/8', 'nonsense'], '10.0.0.1')).toBe(false));
  it('admits no address that cannot be read', () => expect(admits(['0.0.0.0/0'], 'unknown')).toBe(false));
  it('admits a client of unknown address only when it is empty', () => {
    expect(admits(['0.0.0.0/0', '::/0'], null)).toBe(false);
    expect(admits([], null)).toBe(true);
  });

  it('is never confused with another list, however many were compiled since', () => {
    const lists = new IpLists(2);
    const ranges = [['10.0.0.0/8'], ['11.0.0.0/8'], ['12.0.0.0/8', '13.0.0.0/8']];
    for (let turn = 0; turn < 3; turn += 1) {
      const admitted = ranges.map((list) =>
        ['10', '11', '12', '13'].filter((net) => lists.admits(list, `${net}.1.1.1`)),
      );
      expect(admitted).toEqual([['10'], ['11'], ['12', '13']]);
    }
  });
});

describe('the budget of anonymous requests', () => {
  it('is counted per IPv4 address', () => expect(addressBudget('203.0.113.9')).toBe('203.0.113.9'));
  it('is counted per /64 of IPv6', () =>
    expect(addressBudget('2001:db8:1:2:3:4:5:6')).toBe(addressBudget('2001:db8:1:2::9')));
  it('is separate for two /64 networks', () =>
    expect(addressBudget('2001:db8:1:2::9')).not.toBe(addressBudget('2001:db8:1:3::9')));
});
