import { isIPv4 } from 'node:net';
import { IpRanges, normalizeAddress } from './ip-list.js';

export const MAX_URL_LENGTH = 2000;

/**
 * Why the service sends no request to a URL that a customer has given, whatever its name resolves to; null when it does.
 * @param allowPrivate In a home network there may be no certificates either: `http` is accepted, too.
 */
export function urlProblem(text: string, allowPrivate: boolean, field: UrlField = webhookUrl): string | null {
  const problem = problemOf(text, allowPrivate, field.example);
  return problem && `${field.name} ${problem}`;
}

/** Whether requests to a host, as a URL writes it, stay on this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** The field that the URL was given in, for messages. */
export interface UrlField {
  readonly name: string;
  readonly example: string;
}

const webhookUrl: UrlField = { name: 'url', example: 'https://example.com/webhooks' };

function problemOf(text: string, allowPrivate: boolean, example: string): string | null {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters.`;
  if (!URL.canParse(text)) return `must be a complete URL, such as ${example}.`;
  const { protocol, username, password, hash } = new URL(text);
  if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:')) return 'must begin with https://.';
  if (username !== '' || password !== '') return 'must not contain a user name or password.';
  if (hash !== '') return 'must not have a fragment (#…), because it would never be sent.';
  return null;
}

/**
 * Not on the public Internet, or not unicast: IANA's IPv4 Special-Purpose Address Registry (RFC 6890), multicast and the reserved space
 * above it. Metadata services (169.254.169.254, 100.100.100.200) are in two of these.
 */
const SPECIAL_IPV4 = new IpRanges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);

/** Only this range is assigned as global unicast (RFC 4291, IANA) … */
const GLOBAL_IPV6 = new IpRanges(['2000::/3']);
/** … except for special-purpose ranges in it; Teredo and 6to4 contain an IPv4 address. */
const SPECIAL_IPV6 = new IpRanges(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Whether an address is publicly reachable. One that cannot be parsed is not; IPv4 inside IPv6 counts as IPv4. */
export function isPublicAddress(address: string): boolean {
  const normal = normalizeAddress(address);
  if (normal === null) return false;
  if (isIPv4(normal)) return !SPECIAL_IPV4.contains(normal);
  return GLOBAL_IPV6.contains(normal) && !SPECIAL_IPV6.contains(normal);
}
