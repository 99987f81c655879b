/** Explanations of Node's error codes for the delivery log. Addresses and system messages are not included. */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The name of the host is not known.',
  EAI_AGAIN: 'The name of the host could not be asked for.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was cut before an answer came.',
  EPIPE: 'The connection was cut before an answer came.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'The host cannot be reached.',
  CERT_HAS_EXPIRED: 'The certificate of the host has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the host is not signed by an authority.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the host is not signed by a known authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate of the host is not signed by a known authority.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the host is for another name.',
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
  return typeof code === 'string' ? code : 'no reason was given';
}
