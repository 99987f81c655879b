import { IpRanges } from '../../src/core/access/ip-list.js';
import { clientSource } from '../../src/http/server/request-context.js';

describe('the client of a request', () => {
  const proxies = new IpRanges(['127.0.0.1/32', '10.0.0.0/8']);
  const named = (address: string) => ({ address, isNamed: true });
  const unnamed = (address: string) => ({ address, isNamed: false });

  it('is the peer when no proxy is trusted', () =>
    expect(clientSource('127.0.0.1', '1.2.3.4', null)).toEqual(named('127.0.0.1')));
  it('is the peer when the peer is not a proxy', () =>
    expect(clientSource('9.9.9.9', '1.2.3.4', proxies)).toEqual(named('9.9.9.9')));
  it('is the last hop that is not a proxy', () =>
    expect(clientSource('127.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.7', proxies)).toEqual(named('1.2.3.4')));
  it('does not depend on addresses before that hop', () =>
    expect(clientSource('127.0.0.1', 'garbage, 1.2.3.4', proxies)).toEqual(named('1.2.3.4')));
  it('is the peer when every hop is a proxy', () =>
    expect(clientSource('127.0.0.1', '10.0.0.1', proxies)).toEqual(named('127.0.0.1')));

  it.each([
    ['203.0.113.9:5678', '203.0.113.9'],
    ['[2001:db8::1]:99', '2001:db8::1'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['6.6.6.6, 203.0.113.9:5678, 10.0.0.7:80', '203.0.113.9'],
  ])('is read from %s as %s', (header, address) =>
    expect(clientSource('127.0.0.1', header, proxies)).toEqual(named(address)),
  );

  it.each([
    '',
    'unknown',
    '1.2.3.4, what',
    '1.2.3.4,',
    '203.0.113.9:',
    '203.0.113.9:port',
    '203.0.113.9:123456',
    '[203.0.113.9]:80',
    '[2001:db8::1',
    '2001:db8::1]:80',
    '[]:80',
    'fe80::1%eth0',
    '203.000.113.009',
  ])('is the peer when the header is %p, and no IP list admits it', (header) =>
    expect(clientSource('127.0.0.1', header, proxies)).toEqual(unnamed('127.0.0.1')),
  );
  it('is unknown without a header', () =>
    expect(clientSource('::ffff:127.0.0.1', undefined, proxies)).toEqual(unnamed('127.0.0.1')));
});
