import type { Id } from '../shared/ids.js';
import type { Delivery, DeliveryBodies, DeliveryChange, DeliveryFilters } from './delivery.js';
import type { NewWebhookEndpoint, WebhookEndpoint } from './webhook-endpoint.js';

/** Endpoints of the bound customer. */
export interface WebhookEndpointReads {
  get(id: Id): Promise<WebhookEndpoint | null>;
  /** All of them, oldest first. */
  list(): Promise<readonly WebhookEndpoint[]>;
}

export interface WebhookEndpointRepository extends WebhookEndpointReads {
  /** Reads it and locks it until the transaction ends. Taken before its deliveries. */
  lock(id: Id): Promise<WebhookEndpoint | null>;
  insert(endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint>;
  /** Stores every field. It must be locked. */
  update(endpoint: WebhookEndpoint): Promise<void>;
  /** Removes it, and its remaining deliveries. */
  delete(id: Id): Promise<void>;
}

/** Deliveries of the bound customer. */
export interface DeliveryReads {
  get(id: Id): Promise<Delivery | null>;
  /** Returns what its last completed attempt exchanged. Null when there is no such delivery. */
  bodies(id: Id): Promise<DeliveryBodies | null>;
  /** Returns the deliveries of one endpoint, newest first: ids below `before` (null: from the newest), at most `limit`. */
  list(endpointId: Id, before: Id | null, limit: number, filters?: DeliveryFilters): Promise<readonly Delivery[]>;
}

export interface DeliveryRepository extends DeliveryReads {
  /** Stores a test of the endpoint. Returns its id. */
  addTest(endpointId: Id, at: Date): Promise<Id>;
  /** Reads it and locks it until the transaction ends. Taken before its job. */
  lock(id: Id): Promise<Delivery | null>;
  /** Stores these fields. It must be locked. */
  update(id: Id, change: DeliveryChange): Promise<void>;
  /** Removes deliveries of an endpoint, at most `limit`. Returns how many. */
  deleteSome(endpointId: Id, limit: number): Promise<number>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly webhookEndpoints: WebhookEndpointReads;
    readonly deliveries: DeliveryReads;
  }
  interface Repositories {
    readonly webhookEndpoints: WebhookEndpointRepository;
    readonly deliveries: DeliveryRepository;
  }
}
