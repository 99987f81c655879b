import { isIP } from 'node:net';

const EXAMPLES = 'Write it like 203.0.113.9, 10.0.0.0/8 or 2001:db8::/32.';

/** Explains to the author why a text is not a valid entry of an IP list. */
export function explainRange(entry: string): string {
  return `${entry}: ${reasonOf(entry)}`;
}

function reasonOf(entry: string): string {
  const [host = '', length, ...rest] = entry.trim().split('/');
  if (/^https?:/i.test(entry)) return `this is the address of a page. ${EXAMPLES}`;
  if (rest.length > 0) return `there is more than one slash. ${EXAMPLES}`;
  if (host.includes('%')) return 'leave out the % and what follows: the name of a network card means nothing here.';
  if (host.includes('*')) return 'stars are not understood. For 10.0.*.* write 10.0.0.0/16.';
  if (/^[\d.]+\s*[-–]\s*[\d.]+$/.test(entry))
    return 'a span from one address to another is not understood. Write it as ranges such as 10.0.0.0/28.';
  if (/^\[.*\](:\d+)?$/.test(host) || /^[\d.]+:\d+$/.test(host)) return 'leave out the brackets and the port.';
  if (isIP(host) !== 0 && length !== undefined) return lengthReason(host, length);
  if (/^\d+(\.\d+)*$/.test(host)) return dottedReason(host.split('.'));
  if (/^[0-9a-f:]+$/i.test(host) && host.includes(':')) {
    return 'this is no whole IPv6 address: it has eight groups of up to four hex digits, of which one run may be left out as ::.';
  }
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(host)) return `names are not looked up. Give the address itself. ${EXAMPLES}`;
  return `this is no address or range. ${EXAMPLES}`;
}

function lengthReason(host: string, length: string): string {
  if (length.includes('.'))
    return `write the length of the range instead of a mask: ${host}/24 stands for 255.255.255.0.`;
  const [most, family] = isIP(host) === 4 ? [32, 'IPv4'] : [128, 'IPv6'];
  return `the number behind the slash must be 0 to ${most} for ${family}.`;
}

function dottedReason(octets: readonly string[]): string {
  const large = octets.find((octet) => Number(octet) > 255);
  if (large !== undefined) return `${large} is too large: each of the four numbers is 0 to 255.`;
  if (octets.length !== 4) return `an IPv4 address has four numbers, and this has ${octets.length}.`;
  return 'leave out leading zeros: some programs would read them as octal.';
}
