import { type IpRanges, normalizeAddress } from '../../core/access/ip-list.js';

/** Where a request comes from. */
export interface ClientSource {
  readonly address: string;
  /** False if a trusted proxy did not send its client's address: then the address is the proxy's, and no IP list admits the client. */
  readonly isNamed: boolean;
}

/**
 * The client of a request: the peer, unless the peer is a trusted proxy; then the right-most hop of X-Forwarded-For that is not one, with
 * or without a port. If all hops are trusted proxies, the request comes from one of them.
 */
export function clientSource(
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: IpRanges | null,
): ClientSource {
  const address = normalizeAddress(peer) ?? peer;
  if (trustedProxies === null || !trustedProxies.contains(address)) return { address, isNamed: true };
  if (forwardedFor === undefined) return { address, isNamed: false };
  for (const text of forwardedFor.split(',').reverse()) {
    const hop = hopAddress(text.trim());
    if (hop === null) return { address, isNamed: false };
    if (!trustedProxies.contains(hop)) return { address: hop, isNamed: true };
  }
  return { address, isNamed: true };
}

/** `1.2.3.4`, `1.2.3.4:567`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:567`, as proxies write them; null for anything else. */
function hopAddress(text: string): string | null {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  if (bracketed !== undefined) return bracketed.includes(':') ? normalizeAddress(bracketed) : null;
  return normalizeAddress(dotted ?? text);
}
