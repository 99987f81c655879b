import { IpRanges, normalizeAddress, normalizeRange } from '../../src/core/access/ip-list.js';
import { formatDeliveryOptions, parseDeliveryOptions } from '../../src/core/delivery/delivery-options.js';
import { captureTime, fromInstant, fromWallClock, localTime, parseInstant } from '../../src/core/media/capture-time.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { type Listing, readPage } from '../../src/core/shared/pagination.js';
import { readToken, type Secrets, signToken } from '../../src/core/shared/secrets.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import type { FuzzTarget } from './fuzz.js';

const secrets: Secrets = ['the newest secret', 'an older secret'];
const clock = new SettableClock(new Date('2026-11-23T12:00:00Z'));

const codeOf = (error: unknown) => (error instanceof DomainError ? error.code : null);

/** Signed texts: every other spelling is refused. */
const genuine = new Set([
  signToken(secrets, 'upload', [1, 2, 3, 1795230983, 'a'.repeat(64)]),
  signToken(['an older secret'], 'upload', { item: 'é', deep: [[[]]] }),
]);

const tokens: FuzzTarget = {
  name: 'tokens',
  seeds: [...genuine, signToken(['a stranger'], 'upload', [1]), signToken(secrets, 'cursor', [1])],
  read(bytes) {
    const token = bytes.toString('latin1');
    const payload = readToken(secrets, 'upload', token);
    if ((payload !== null) !== genuine.has(token)) throw new Error('a token that nobody signed was read');
  },
};

const listing: Listing<{ id: number }> = {
  customerId: 1,
  list: 'photos',
  sort: '-takenAt',
  filters: { tags: [1] },
  position: ({ id }) => ({ value: id, id }),
  rows: async () => [{ id: 1 }, { id: 2 }],
  hasRowAt: async () => true,
};
const cursorOf = async (secret: Secrets, changes: Partial<typeof listing> = {}) =>
  (await readPage({ secrets: secret, clock }, { ...listing, ...changes }, { limit: 1, cursor: null })).nextCursor ?? '';

/** Cursors of this list, and of others. */
async function cursors(): Promise<FuzzTarget> {
  const own = await cursorOf(secrets);
  const others = [
    await cursorOf(secrets, { sort: 'id' }),
    await cursorOf(['a stranger']),
    await cursorOf(secrets, { customerId: 2 }),
  ];
  return {
    name: 'cursors',
    seeds: [own, ...others],
    async read(bytes) {
      const cursor = bytes.toString('latin1');
      await readPage({ secrets, clock }, listing, { limit: 1, cursor });
      if (cursor !== own) throw new Error('a cursor of another list was read');
    },
    refuses: (error) => codeOf(error) === 'invalid_cursor',
  };
}

const deliveryOptions: FuzzTarget = {
  name: 'delivery-options',
  seeds: [
    'w=300,fit=cover',
    'w=1,h=16384,g=focus,f=avif,q=80,dpr=2.5,bg=ff00aa,blur=0.3,p=small_1',
    'w=300,w=300',
    '=,=',
    '',
  ],
  read(bytes) {
    const written = formatDeliveryOptions(parseDeliveryOptions(bytes.toString()));
    if (written !== '' && formatDeliveryOptions(parseDeliveryOptions(written)) !== written)
      throw new Error('it reads its own writing differently');
  },
  refuses: (error) => codeOf(error) === 'invalid_request',
};

const addresses: FuzzTarget = {
  name: 'addresses',
  seeds: [
    '10.0.0.0/8',
    '203.0.113.9',
    '2001:db8::/32',
    '::ffff:10.0.0.0/104',
    '::',
    'fe80::1%eth0',
    '010.0.0.1',
    '0.0.0.0/0',
  ],
  read(bytes) {
    const text = bytes.toString();
    const range = normalizeRange(text);
    if (range === null) return;
    if (normalizeRange(range) !== range || hasHostBits(range))
      throw new Error('the written form of a range is another range');
    const address = normalizeAddress(text.trim().split('/')[0] ?? '');
    if (address === null || !new IpRanges([text]).contains(address)) throw new Error('a range lacks its own address');
  },
};

/** Whether the address of a range is another one than its first. */
function hasHostBits(range: string): boolean {
  const [address = '', prefix] = range.split('/');
  const bytes = address.includes(':') ? ipv6Bytes(address) : address.split('.').map(Number);
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.slice(Number(prefix)).includes('1');
}

/** The last two groups may be written like an IPv4 address. */
function ipv6Bytes(written: string): number[] {
  const hex = (bytes: string[]) => bytes.map((byte) => Number(byte).toString(16).padStart(2, '0')).join('');
  const address = written.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => `${hex([a, b])}:${hex([c, d])}`);
  const [head = [], tail = []] = address.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const groups = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}

const years = (instant: Date) => instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999;

const times: FuzzTarget = {
  name: 'times',
  seeds: [
    '2024-12-21T23:39:24.670+01:00',
    '0001-01-01T00:00:00Z',
    '2024:12:21 23:39:24',
    '20241221',
    '23:39:24+01:00',
    '2024-02-30T00:00:00Z',
    'Europe/Paris',
  ],
  read(bytes) {
    const text = bytes.toString();
    const instant = parseInstant(text);
    if (instant !== null && !(years(instant) && fromInstant(text)?.takenAt?.getTime() === instant.getTime()))
      throw new Error('an instant is not itself');
    const local = localTime(text);
    if (local !== null && localTime(local) !== local)
      throw new Error('the written form of a local time is another one');
    const [first = '', second = ''] = text.split('\n');
    const wall = fromWallClock(first, second);
    if (wall !== null && !(wall.takenAt && years(wall.takenAt))) throw new Error('a wall clock outside of the years');
    const written = {
      original: text,
      originalOffset: second,
      gpsUtc: second,
      iptcCreated: text,
      xmpOriginal: first,
    } as never;
    const { takenAt } = captureTime(written, { location: null, positionZone: second, defaultTimeZone: 'Europe/Paris' });
    if (takenAt !== null && !years(takenAt)) throw new Error('a capture time outside of the years');
  },
};

export const textTargets = async (): Promise<readonly FuzzTarget[]> => [
  tokens,
  await cursors(),
  deliveryOptions,
  addresses,
  times,
];
