import createClient, { type Client } from 'openapi-fetch';
import {
  asked,
  type CallOptions,
  dataOf,
  type EditOptions,
  orThrow,
  pathSegment,
  type WriteOptions,
  writeHeaders,
  written,
} from './calls.js';
import { Listing } from './listing.js';
import type { components, paths } from './operator-types.js';
import { baseUrlOf } from './photo-service.js';
import { type ConnectionOptions, Transport } from './transport.js';

type Schemas = components['schemas'];

// The resources of the operator API; each field is described in its document.
export type OperatorCustomer = Schemas['OperatorCustomer'];
export type NewOperatorCustomer = Schemas['NewOperatorCustomer'];
export type OperatorCustomerPatch = Schemas['OperatorCustomerPatch'];
export type Erasure = Schemas['Erasure'];
export type OperatorKey = Schemas['OperatorKey'];
export type OperatorKeyWithToken = Schemas['OperatorKeyWithToken'];
export type NewOperatorKey = Schemas['NewOperatorKey'];
export type OperatorKeyPatch = Schemas['OperatorKeyPatch'];
export type OperatorPerson = Schemas['OperatorPerson'];
export type OperatorInvitation = Schemas['OperatorInvitation'];
export type NewOperatorPerson = Schemas['NewOperatorPerson'];
export type OperatorWebhook = Schemas['OperatorWebhook'];
export type OperatorWebhookWithSecret = Schemas['OperatorWebhookWithSecret'];
export type NewOperatorWebhook = Schemas['NewOperatorWebhook'];
export type OperatorWebhookPatch = Schemas['OperatorWebhookPatch'];
export type OperatorUsage = Schemas['OperatorUsage'];

const ALL = '/operator/v1/customers';
const ONE = '/operator/v1/customers/{customerId}';

/**
 * A client for the operator of an installation, with an operator token (`phs_op_…`): it administers the accounts of all customers. For
 * servers only. Retries, budgets and errors are those of `PhotoService`.
 */
export class OperatorClient {
  /** Every endpoint by its path. */
  readonly api: Client<paths>;
  readonly baseUrl: string;

  /** @param options `token` is an operator token. */
  constructor(options: ConnectionOptions) {
    this.baseUrl = baseUrlOf(options.baseUrl);
    if (!/^phs_op_[0-9A-Za-z]+$/.test(options.token)) {
      throw new TypeError('token must be an operator token such as phs_op_….');
    }
    const transport = new Transport(options);
    this.api = createClient<paths>({
      baseUrl: this.baseUrl,
      pathSerializer: (path, values) => path.replace(/\{(\w+)\}/g, (_, name) => pathSegment(values[name])),
      fetch: async (request) => orThrow(await transport.send(request)),
    });
  }

  /** All accounts, oldest first. Scope `customers:read`, as every other method that only reads. */
  customers(options: CallOptions = {}): Listing<OperatorCustomer> {
    return new Listing(async (cursor) => {
      return dataOf(await this.api.GET(ALL, asked({ query: cursor === null ? {} : { cursor } }, options)));
    });
  }

  async customer(customerId: number, options: CallOptions = {}): Promise<OperatorCustomer> {
    return dataOf(await this.api.GET(ONE, asked({ path: { customerId } }, options)));
  }

  /** Scope `customers:write`. */
  async createCustomer(customer: NewOperatorCustomer, options: WriteOptions = {}): Promise<OperatorCustomer> {
    return dataOf(await this.api.POST(ALL, { ...asked({ header: writeHeaders(options) }, options), body: customer }));
  }

  /** Scope `customers:write`. */
  async updateCustomer(
    customerId: number,
    patch: OperatorCustomerPatch,
    options: EditOptions = {},
  ): Promise<OperatorCustomer> {
    return dataOf(await this.api.PATCH(ONE, { ...written({ customerId }, options), body: patch }));
  }

  /** From now on the account is read-only. Scope `customers:write`. */
  async suspendCustomer(customerId: number, options: WriteOptions = {}): Promise<OperatorCustomer> {
    return dataOf(await this.api.POST(`${ONE}/suspend`, written({ customerId }, options)));
  }

  /** Scope `customers:write`. */
  async resumeCustomer(customerId: number, options: WriteOptions = {}): Promise<OperatorCustomer> {
    return dataOf(await this.api.POST(`${ONE}/resume`, written({ customerId }, options)));
  }

  /**
   * Erases an account permanently and returns the proof. It takes minutes for a large library: raise `timeoutMs`. A call that failed can be
   * repeated. Scope `customers:write`.
   * @param name The name of the account, exactly as it is.
   */
  async eraseCustomer(customerId: number, name: string, options: CallOptions = {}): Promise<Erasure> {
    return dataOf(await this.api.DELETE(ONE, asked({ path: { customerId }, query: { name } }, options)));
  }

  /** The keys of an account, oldest first. */
  async keys(customerId: number, options: CallOptions = {}): Promise<readonly OperatorKey[]> {
    return dataOf(await this.api.GET(`${ONE}/keys`, asked({ path: { customerId } }, options))).data;
  }

  /** The key, with the token that is shown only here. Scope `keys:write`. */
  async createKey(customerId: number, key: NewOperatorKey, options: WriteOptions = {}): Promise<OperatorKeyWithToken> {
    return dataOf(await this.api.POST(`${ONE}/keys`, { ...written({ customerId }, options), body: key }));
  }

  /** Scope `keys:write`. */
  async updateKey(
    customerId: number,
    keyId: number,
    patch: OperatorKeyPatch,
    options: WriteOptions = {},
  ): Promise<OperatorKey> {
    const write = { ...written({ customerId, keyId }, options), body: patch };
    return dataOf(await this.api.PATCH(`${ONE}/keys/{keyId}`, write));
  }

  /** The key is refused immediately. Scope `keys:write`. */
  async deleteKey(customerId: number, keyId: number, options: WriteOptions = {}): Promise<void> {
    await this.api.DELETE(`${ONE}/keys/{keyId}`, written({ customerId, keyId }, options));
  }

  /** Everyone with access to the settings area of an account, oldest first. */
  async people(customerId: number, options: CallOptions = {}): Promise<readonly OperatorPerson[]> {
    return dataOf(await this.api.GET(`${ONE}/people`, asked({ path: { customerId } }, options))).data;
  }

  /** A link that signs the person in once. The service sends no mail. Scope `people:write`. */
  async invite(customerId: number, person: NewOperatorPerson, options: WriteOptions = {}): Promise<OperatorInvitation> {
    return dataOf(await this.api.POST(`${ONE}/people`, { ...written({ customerId }, options), body: person }));
  }

  /** Scope `people:write`. */
  async removePerson(customerId: number, personId: number, options: WriteOptions = {}): Promise<void> {
    await this.api.DELETE(`${ONE}/people/{personId}`, written({ customerId, personId }, options));
  }

  /** The webhook endpoints of an account, oldest first. */
  async webhooks(customerId: number, options: CallOptions = {}): Promise<readonly OperatorWebhook[]> {
    return dataOf(await this.api.GET(`${ONE}/webhooks`, asked({ path: { customerId } }, options))).data;
  }

  /** The endpoint, with the secret that is shown only here. Scope `customers:write`. */
  async createWebhook(
    customerId: number,
    webhook: NewOperatorWebhook,
    options: WriteOptions = {},
  ): Promise<OperatorWebhookWithSecret> {
    return dataOf(await this.api.POST(`${ONE}/webhooks`, { ...written({ customerId }, options), body: webhook }));
  }

  /** Scope `customers:write`. */
  async updateWebhook(
    customerId: number,
    webhookId: number,
    patch: OperatorWebhookPatch,
    options: WriteOptions = {},
  ): Promise<OperatorWebhook> {
    const write = { ...written({ customerId, webhookId }, options), body: patch };
    return dataOf(await this.api.PATCH(`${ONE}/webhooks/{webhookId}`, write));
  }

  /** Scope `customers:write`. */
  async deleteWebhook(customerId: number, webhookId: number, options: WriteOptions = {}): Promise<void> {
    await this.api.DELETE(`${ONE}/webhooks/{webhookId}`, written({ customerId, webhookId }, options));
  }

  /** Returns what an account has now, and what it used in the last 30 days. */
  async usage(customerId: number, options: CallOptions = {}): Promise<OperatorUsage> {
    return dataOf(await this.api.GET(`${ONE}/usage`, asked({ path: { customerId } }, options))) as OperatorUsage;
  }

  /** The days as CSV: a header, and a line for each. */
  async usageCsv(customerId: number, options: CallOptions = {}): Promise<string> {
    const params = { path: { customerId }, query: { format: 'csv' } as const };
    const { data } = await this.api.GET(`${ONE}/usage`, { ...asked(params, options), parseAs: 'text' });
    return String(data);
  }
}
