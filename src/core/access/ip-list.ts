import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';

/** Entries that one key may have (API.md §9). */
export const MAX_IP_ENTRIES = 100;

/**
 * The address in its one spelling: mapped IPv6 (`::ffff:a.b.c.d`) is IPv4, no zone, IPv6 compressed in lower case. Null if it is no address.
 * Octets with leading zeros are refused: readers disagree whether `010.0.0.1` is 8.0.0.1 or 10.0.0.1.
 */
export function normalizeAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  if (isIP(text) !== 6 || text.includes('%')) return null;
  const canonical = new SocketAddress({ address: text, family: 'ipv6' }).address;
  return unmapped(canonical) ?? canonical;
}

/** One entry (`10.0.0.0/8`, `2001:db8::1`) as a masked CIDR range, or null if it is none. */
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
  return `${masked(address, prefix)}/${prefix}`;
}

/** Whether a list admits an address. An empty list admits all; a list with an entry that cannot be read admits none. */
export function admits(list: readonly string[], address: string): boolean {
  if (list.length === 0) return true;
  const normal = normalizeAddress(address);
  if (normal === null) return false;
  const family = isIPv4(normal) ? 'ipv4' : 'ipv6';
  const allowed = new BlockList();
  for (const entry of list) {
    const range = normalizeRange(entry);
    if (range === null) return false;
    const [host = '', prefix] = range.split('/');
    // The families are kept apart: BlockList would let an IPv6 range such as ::/0 match IPv4 addresses too.
    if (isIPv4(host) === (family === 'ipv4')) allowed.addSubnet(host, Number(prefix), family);
  }
  return allowed.check(normal, family);
}

/**
 * The address a request counts as coming from: the peer, unless the peer is a trusted proxy; then the right-most hop of
 * X-Forwarded-For that is not one. A header that cannot be read leaves the peer.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly string[],
): string {
  const socket = normalizeAddress(peer) ?? peer;
  if (trustedProxies.length === 0 || !admits(trustedProxies, socket) || forwardedFor === undefined) return socket;
  const hops = forwardedFor.split(',').map((hop) => normalizeAddress(hop.trim()));
  for (const hop of hops.reverse()) {
    if (hop === null) return socket;
    if (!admits(trustedProxies, hop)) return hop;
  }
  return socket;
}

/** What the anonymous budget is kept by: one IPv4 address, or the /64 that one IPv6 site has. */
export function addressBudget(address: string): string {
  return isIPv4(address) ? address : (normalizeRange(`${address}/64`) ?? address);
}

function unmapped(canonical: string): string | null {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1];
  if (dotted !== undefined) return dotted;
  const words = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (!words) return null;
  const [high, low] = [Number.parseInt(words[1] ?? '', 16), Number.parseInt(words[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function masked(address: string, prefix: number): string {
  if (isIPv4(address)) {
    const bits = address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0);
    const kept = prefix === 0 ? 0 : Math.floor(bits / 2 ** (32 - prefix)) * 2 ** (32 - prefix);
    return [24, 16, 8, 0].map((shift) => Math.floor(kept / 2 ** shift) % 256).join('.');
  }
  const kept = ((words(address) * 1n) >> BigInt(128 - prefix)) << BigInt(128 - prefix);
  const groups = Array.from({ length: 8 }, (_, at) => ((kept >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

function words(address: string): bigint {
  const [head = '', tail] = address.split('::');
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
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
