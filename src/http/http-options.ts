import type { Logger } from 'pino';
import type { IpRanges } from '../core/access/ip-list.js';
import type { BudgetGroup } from '../core/access/rolling-window.js';

/** Options of http in addition to the ports. */
export interface HttpOptions {
  readonly logger: Logger;
  /** Proxies whose X-Forwarded-For is trusted; null trusts none. */
  readonly trustedProxies: IpRanges | null;
  /** The location under which the trusted proxies, which are nginx, serve the blob folder; null: they do not. */
  readonly blobsLocation: string | null;
  /** Seconds for which caches may store a delivered picture. */
  readonly deliveryMaxAge: number;
  /** Whether the API reference and the guides are served; default: yes. */
  readonly docs?: boolean;
  /** Whether the operator API exists; default: no. */
  readonly operatorApi?: boolean;
  /** A server of pictures of maps, whose URL has `{z}`, `{x}` and `{y}`; absent or null: none. */
  readonly mapTiles?: { readonly url: string; readonly attribution: string } | null;
  /** Where to report a vulnerability, as URIs; absent or empty: `/.well-known/security.txt` does not exist. */
  readonly securityContacts?: readonly string[];
  /** Called for every response once it is sent, or cut off. Must not throw. */
  readonly onAnswered?: ((answered: Answered) => void) | undefined;
  /** Called when a sign-in by a provider was refused, with the id of the provider in the settings and a reason of a closed set. Must not throw. */
  readonly onProviderSignInRefused?: ((provider: string, reason: string) => void) | undefined;
  /** Begins to trace a request; absent without tracing. Must not throw. */
  readonly trace?:
    | ((begun: { readonly method: string; readonly traceparent: string | undefined }) => {
        run(work: () => void): void;
        end(answered: Answered & { readonly requestId: string }): void;
      })
    | undefined;
  /** Aborts when the process begins to stop: requests that are waiting are answered immediately. */
  readonly stopping: AbortSignal;
}

/** A response, for monitoring: nothing in it identifies the client or the resource. */
export interface Answered {
  readonly method: string;
  /** The route template; null when there is none. */
  readonly route: string | null;
  readonly status: number;
  /** The budget that it was charged to; null for none. */
  readonly budget: BudgetGroup | null;
  readonly ms: number;
}

export const HTTP_OPTIONS = Symbol('HttpOptions');

/** The listeners to what happens to requests, which are opened with the ports. */
export type RequestObservers = Pick<HttpOptions, 'onAnswered' | 'onProviderSignInRefused' | 'trace'>;

export const REQUEST_OBSERVERS = Symbol('RequestObservers');
