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

/** A sentence for an error of a request. */
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
