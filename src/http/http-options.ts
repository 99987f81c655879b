import type { Logger } from 'pino';
import type { IpRanges } from '../core/access/ip-list.js';
import type { BudgetGroup } from '../core/access/rolling-window.js';
import type { Readiness } from './ops/readiness.js';

/** What http takes beside the ports. */
export interface HttpOptions {
  readonly logger: Logger;
  /** Proxies whose X-Forwarded-For is believed; null trusts none. */
  readonly trustedProxies: IpRanges | null;
  /** The location under which the trusted proxies, which are nginx, have the folder of blobs; null: they have it not. */
  readonly blobsLocation: string | null;
  /** Whether the reference of the API and the guides are shown; absent: they are. */
  readonly docs?: boolean;
  /** Whom to tell of a weakness, as URIs; absent or empty: nobody is named, and `/.well-known/security.txt` is not there. */
  readonly securityContacts?: readonly string[];
  /** Whether this process wants traffic now. */
  readonly readiness: Readiness;
  /** Told of every answer once it is out, or cut off. Must not throw. */
  readonly onAnswered?: ((answered: Answered) => void) | undefined;
  /** Begins to trace a request; absent where nobody asks for traces. Must not throw. */
  readonly trace?:
    | ((begun: { readonly method: string; readonly traceparent: string | undefined }) => RequestTrace)
    | undefined;
  /** Aborts when the process begins to stop: whoever waits for something is answered at once. */
  readonly stopping: AbortSignal;
}

/** The trace of one request. */
export interface RequestTrace {
  /** What its work is caused by, as a W3C `traceparent`. */
  readonly traceContext: string;
  end(answered: Answered & { readonly requestId: string }): void;
}

/** An answer, for those who watch over the service: nothing of it says who asked for what. */
export interface Answered {
  readonly method: string;
  /** The route by its template; null where there is none. */
  readonly route: string | null;
  readonly status: number;
  /** The budget that it was charged to; null for none. */
  readonly budget: BudgetGroup | null;
  readonly ms: number;
}

export const HTTP_OPTIONS = Symbol('HttpOptions');
