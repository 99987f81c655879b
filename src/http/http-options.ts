import type { Logger } from 'pino';
import type { Readiness } from './ops/readiness.js';

/** What http takes beside the ports. */
export interface HttpOptions {
  readonly logger: Logger;
  /** CIDR ranges of proxies whose X-Forwarded-For is believed; empty trusts none. */
  readonly trustedProxies: readonly string[];
  /** Whether this process wants traffic now. */
  readonly readiness: Readiness;
  /** Aborts when the process begins to stop: whoever waits for something is answered at once. */
  readonly stopping: AbortSignal;
}

export const HTTP_OPTIONS = Symbol('HttpOptions');
