import { isIP } from 'node:net';

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
  if (isIP(host) !== 0 && length !== undefined) return lengthReason(host, length);
  if (/^\d+(\.\d+)*$/.test(host)) return dottedReason(host.split('.'));
  if (/^[0-9a-f:]+$/i.test(host) && host.includes(':')) {
    return 'this is not a complete IPv6 address: eight groups of up to four hex digits, where :: stands for one run of zero groups.';
  }
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(host))
    return `host names are not supported. Enter the address itself. ${EXAMPLES}`;
  return `this is not an address or range. ${EXAMPLES}`;
}

function lengthReason(host: string, length: string): string {
  if (length.includes('.')) return `enter a prefix length instead of a mask: ${host}/24 corresponds to 255.255.255.0.`;
  const [most, family] = isIP(host) === 4 ? [32, 'IPv4'] : [128, 'IPv6'];
  return `the prefix length must be 0 to ${most} for ${family}.`;
}

function dottedReason(octets: readonly string[]): string {
  const large = octets.find((octet) => Number(octet) > 255);
  if (large !== undefined) return `${large} is too large: each number must be 0 to 255.`;
  if (octets.length !== 4) return `an IPv4 address has four numbers, not ${octets.length}.`;
  return 'remove leading zeros: some programs read such numbers as octal.';
}
