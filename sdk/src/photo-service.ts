import { type Api, asked, type CallOptions, dataOf, openApi } from './calls.js';
import { Imports } from './imports.js';
import { Photos } from './photos.js';
import type { Customer, Me } from './resources.js';
import { Tags } from './tags.js';
import { type ConnectionOptions, Transport } from './transport.js';

/**
 * A client for one customer's photos, with one key.
 *
 * Every method rejects with `ApiError` when the service refuses, and with `ConnectionError` when it cannot be reached. Requests wait for
 * the key's budget instead of being refused; network failures, 429, 502, 503 and 504 are retried; writes carry an `Idempotency-Key`, so a
 * retry never has a second effect.
 */
export class PhotoService {
  readonly photos: Photos;
  readonly tags: Tags;
  readonly imports: Imports;
  /** Every endpoint by its path, for those without a method here; with the same retries, budgets and errors. */
  readonly api: Api;
  /** The address of the service, without a trailing slash. */
  readonly baseUrl: string;

  constructor(options: ConnectionOptions) {
    this.baseUrl = baseUrlOf(options.baseUrl);
    if (!/^[\x21-\x7e]+$/.test(options.token)) throw new TypeError('token must be an API key such as phs_live_….');
    const transport = new Transport(options);
    this.api = openApi(transport, this.baseUrl);
    this.photos = new Photos(this.api, transport, this.baseUrl);
    this.tags = new Tags(this.api);
    this.imports = new Imports(this.api);
  }

  /** Whose key this is, its scopes, and its remaining budgets. Scope `customer:read`. */
  async me(options: CallOptions = {}): Promise<Me> {
    return dataOf(await this.api.GET('/api/v1/me', asked({}, options)));
  }

  /** The account: its usage, its limits, the supported formats. Scope `customer:read`. */
  async customer(options: CallOptions = {}): Promise<Customer> {
    return dataOf(await this.api.GET('/api/v1/customer', asked({}, options)));
  }
}

/** Without a trailing slash. Errors: `TypeError`. */
export function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be a URL such as https://photos.example.com.');
  }
  return `${url.origin}${url.pathname}`.replace(/\/{1,9}$/, '').replace(/\/api\/v1$/, '');
}
