import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../core/access/outgoing-url.js';
import type { Address, Asking, Lookup } from './customer-names.js';

/** The URL leads to an address that requests may not go to. Thrown by adapters and caught there. */
export class ForbiddenAddress extends Error {}

/** Which addresses requests may go to. */
export type AddressRule = (address: string) => boolean;

export const addressRule = (allowPrivate: boolean): AddressRule => (allowPrivate ? () => true : isPublicAddress);

/**
 * Where a URL leads, whose `urlProblem` is null. Every address must be allowed: of several, it is unknown which one the connection will use.
 * The URL parser has normalized every spelling of an IPv4 address (127.1, 0x7f000001, 2130706433) to four decimal numbers. The error names the
 * field.
 */
export async function permittedAddresses(
  url: string,
  { permits, lookup, field, ...asking }: Asking & { permits: AddressRule; lookup: Lookup; field: string },
): Promise<readonly Address[]> {
  const hostname = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const family = isIP(hostname);
  const addresses = family > 0 ? [{ address: hostname, family }] : await lookup(hostname, asking);
  if (addresses.length === 0) throw new ForbiddenAddress('The host name resolves to no address.');
  if (addresses.every(({ address }) => permits(address))) return addresses;
  throw new ForbiddenAddress(`${field} must resolve to public addresses only.`);
}

/** The connection goes to one of these addresses: the name is not resolved again. */
export function pinnedTo(addresses: readonly Address[]): LookupFunction {
  return (_hostname, { all }, answer) => {
    if (all)
      return answer(
        null,
        addresses.map(({ address, family }) => ({ address, family })),
      );
    const [first] = addresses;
    answer(null, first?.address ?? '', first?.family);
  };
}

/** Explanations of Node's error codes, for the log of deliveries and the errors of items. Addresses and system messages are not included. */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name does not exist.',
  EAI_AGAIN: 'The host name could not be resolved.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before a response arrived.',
  EPIPE: 'The connection was closed before a response arrived.',
  EHOSTUNREACH: 'The host is unreachable.',
  ENETUNREACH: 'The host is unreachable.',
  ETIMEDOUT: 'The host is unreachable.',
  CERT_HAS_EXPIRED: "The host's certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The host's certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The host's certificate is not signed by a known authority.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The host's certificate is not signed by a known authority.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The host's certificate is for another name.",
};

export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return reasons[code] ?? `The request failed (${code}).`;
}

function codeOf(error: unknown): string {
  // Several addresses were tried, and each failed.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'no reason given';
}
