import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';
import type { FieldError } from '../shared/errors.js';

/** Entries that one key may have. */
export const MAX_IP_ENTRIES = 100;

/** Longest entry: an IPv6 address that ends as IPv4 does, a zone's name and a prefix are far shorter. */
export const MAX_IP_ENTRY = 100;

/**
 * The address in canonical form: mapped IPv6 (`::ffff:a.b.c.d`) is IPv4, no zone, IPv6 compressed in lower case. Null if it is not an
 * address. Octets with leading zeros are refused: parsers disagree whether `010.0.0.1` is 8.0.0.1 or 10.0.0.1.
 */
export function normalizeAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  if (isIP(text) !== 6 || text.includes('%')) return null;
  const canonical = new SocketAddress({ address: text, family: 'ipv6' }).address;
  return unmapIpv4(canonical) ?? canonical;
}

/** One entry (`10.0.0.0/8`, `2001:db8::1`) as a masked CIDR range, or null if it is invalid. */
export function normalizeRange(text: string): string | null {
  const [host = '', length, ...rest] = text.trim().split('/');
  if (rest.length > 0 || (length !== undefined && !/^(0|[1-9][0-9]{0,2})$/.test(length))) return null;
  const address = normalizeAddress(host);
  if (address === null) return null;
  const bits = isIPv4(address) ? 32 : 128;
  // A mapped range (::ffff:10.0.0.0/104) is an IPv4 range with 96 bits in front.
  const mapped = bits === 32 && !isIPv4(host) ? 96 : 0;
  const prefix = (length === undefined ? bits + mapped : Number(length)) - mapped;
  if (prefix < 0 || prefix > bits) return null;
  return `${applyMask(address, prefix)}/${prefix}`;
}

/** Compiled CIDR ranges: the cost of a lookup does not depend on their number. One invalid entry makes the list empty. */
export class IpRanges {
  // The families are kept apart: a BlockList lets an IPv6 range such as ::/0 match IPv4 addresses too.
  private readonly ipv4 = new BlockList();
  private readonly ipv6 = new BlockList();
  private readonly areReadable: boolean;

  constructor(entries: readonly string[]) {
    const ranges = entries.map(normalizeRange);
    this.areReadable = !ranges.includes(null);
    for (const range of ranges) {
      const [host = '', prefix] = (range ?? '').split('/');
      if (isIPv4(host)) this.ipv4.addSubnet(host, Number(prefix), 'ipv4');
      else if (isIP(host) === 6) this.ipv6.addSubnet(host, Number(prefix), 'ipv6');
    }
  }

  contains(address: string): boolean {
    const normal = normalizeAddress(address);
    if (normal === null || !this.areReadable) return false;
    return isIPv4(normal) ? this.ipv4.check(normal, 'ipv4') : this.ipv6.check(normal, 'ipv6');
  }
}

/** Compiled IP lists of keys, by their entries: the most recently used ones. */
export class IpLists {
  private readonly compiled = new Map<string, IpRanges>();

  /** @param capacity Number of cached lists. One with 100 entries takes about 30 kB. */
  constructor(private readonly capacity = 200) {}

  /**
   * Whether a key's list admits an address; null is that of a client whose address is unknown. An empty list admits everyone; a list with
   * an invalid entry admits no address.
   */
  admits(entries: readonly string[], address: string | null): boolean {
    if (entries.length === 0) return true;
    if (address === null) return false;
    const name = entries.join(' ');
    const ranges = this.compiled.get(name) ?? new IpRanges(entries);
    // A Map preserves insertion order: the first entry is the least recently used.
    this.compiled.delete(name);
    this.compiled.set(name, ranges);
    const [oldest] = this.compiled.keys();
    if (this.compiled.size > this.capacity && oldest !== undefined) this.compiled.delete(oldest);
    return ranges.contains(address);
  }
}

/** The key of the anonymous budget: one IPv4 address, or the /64 that one IPv6 site has. */
export function addressBudget(address: string): string {
  return isIPv4(address) ? address : (normalizeRange(`${address}/64`) ?? address);
}

function unmapIpv4(canonical: string): string | null {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1];
  if (dotted !== undefined) return dotted;
  const words = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!words) return null;
  const [high, low] = [Number.parseInt(words[1] ?? '', 16), Number.parseInt(words[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function applyMask(address: string, prefix: number): string {
  if (isIPv4(address)) {
    const bits = address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
    const kept = prefix === 0 ? 0 : Math.floor(bits / 2 ** (32 - prefix)) * 2 ** (32 - prefix);
    return [24, 16, 8, 0].map((shift) => Math.floor(kept / 2 ** shift) % 256).join('.');
  }
  const [head = '', tail] = address.split('::');
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const bits = [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
  const kept = (bits >> BigInt(128 - prefix)) << BigInt(128 - prefix);
  const groups = Array.from({ length: 8 }, (_, at) => ((kept >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/** The 16-bit groups of one half of an IPv6 address; a dotted tail (`::1.2.3.4`) makes two. */
function groupsOf(half: string): string[] {
  if (half === '') return [];
  return half.split(':').flatMap((group) => {
    if (!group.includes('.')) return [group];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
  });
}

/** The entries of an IP list as they are stored, each once, or all problems with them. */
export function readIpList(entries: readonly string[]): {
  readonly ipList: readonly string[];
  readonly errors: readonly FieldError[];
} {
  const ranges = entries.map(normalizeRange);
  const ipList = [...new Set(ranges.filter((range) => range !== null))];
  if (entries.length > MAX_IP_ENTRIES) {
    const message = `An IP list has at most ${MAX_IP_ENTRIES} entries.`;
    return { ipList, errors: [{ field: 'ipList', code: 'too_many', message }] };
  }
  const wrong = entries.filter((_, at) => ranges[at] === null);
  const error = { field: 'ipList', code: 'invalid_format' } as const;
  return { ipList, errors: wrong.map((entry) => ({ ...error, message: explainRange(entry) })) };
}

const EXAMPLES = 'Examples: 203.0.113.9, 10.0.0.0/8, 2001:db8::/32.';

/** Explains to the author why a text is not a valid entry of an IP list. */
export function explainRange(entry: string): string {
  return `${entry}: ${reasonOf(entry.trim())}`;
}

function reasonOf(entry: string): string {
  const [host = '', length, more] = entry.split('/', 3);
  if (/^https?:/i.test(entry)) return `this is a URL. Enter an address or range. ${EXAMPLES}`;
  if (more !== undefined) return `there is more than one slash. ${EXAMPLES}`;
  if (host.includes('%')) return 'remove the % and what follows: network interface names are not supported.';
  if (host.includes('*')) return 'wildcards are not supported. For 10.0.*.*, enter 10.0.0.0/16.';
  if (/^[\d.]+\s*[-–]\s*[\d.]+$/.test(entry))
    return 'spans of addresses are not supported. Enter ranges such as 10.0.0.0/28.';
  if (/^\[.*\](:\d+)?$/.test(host) || /^[\d.]+:\d+$/.test(host)) return 'remove the brackets and the port.';
  if (isIP(host) !== 0 && length !== undefined) {
    if (length.includes('.'))
      return `enter a prefix length instead of a mask: ${host}/24 corresponds to 255.255.255.0.`;
    const [most, family] = isIP(host) === 4 ? [32, 'IPv4'] : [128, 'IPv6'];
    return `the prefix length must be 0 to ${most} for ${family}.`;
  }
  if (/^\d+(\.\d+)*$/.test(host)) {
    const octets = host.split('.');
    const large = octets.find((octet) => Number(octet) > 255);
    if (large !== undefined) return `${large} is too large: each number must be 0 to 255.`;
    if (octets.length !== 4) return `an IPv4 address has four numbers, not ${octets.length}.`;
    return 'remove leading zeros: some programs read such numbers as octal.';
  }
  if (/^[0-9a-f:]+$/i.test(host) && host.includes(':')) {
    return 'this is not a complete IPv6 address: eight groups of up to four hex digits, where :: stands for one run of zero groups.';
  }
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(host))
    return `host names are not supported. Enter the address itself. ${EXAMPLES}`;
  return `this is not an address or range. ${EXAMPLES}`;
}

/** Says where IP addresses are used, without asking another service. */
export interface IpCountries {
  /**
   * The country that an address is registered in (ISO 3166-1 alpha-2); where it is used may be another. Null if no country is known, as of
   * loopback and private addresses, and of anything that is not an address.
   */
  countryOf(address: string): Promise<string | null>;
}
