import type { AuditReads, AuditTrail } from '../audit/audit-log.js';
import type { BlobOwners, BlobOwnership } from '../blobs/blob-owners.js';
import type { Outbox } from '../events/outbox.js';
import type {
  DeliveryReads,
  DeliveryRepository,
  WebhookEndpointReads,
  WebhookEndpointRepository,
} from '../events/webhook-repository.js';
import type { ResponseStore } from '../idempotency/idempotency-store.js';
import type {
  ImportPhotoReads,
  ImportPhotoRepository,
  ImportReads,
  ImportRepository,
} from '../imports/import-repository.js';
import type { OrphanReads } from '../integrity/orphan-rows.js';
import type { JobAdder } from '../jobs/job-queue.js';
import type { PhotoReads, PhotoRepository } from '../photos/photo-repository.js';
import type { Id } from '../shared/ids.js';
import type { TagReads, TagRepository } from '../tags/tag-repository.js';
import type { TrafficReads } from '../traffic/traffic.js';
import type { UserReads, UserRepository } from '../users/user-store.js';
import type { Customer, CustomerUsage, PhotoTotals } from './customer.js';
import type { QuotaUse } from './quota.js';

/** Read access to everything of one customer. */
export interface CustomerReader extends OrphanReads {
  /** Errors: `not_found` when the customer does not exist. */
  customer(): Promise<Customer>;
  usage(): Promise<CustomerUsage>;
  /**
   * The totals of `usage`, and the same counted from the committed photos, in one snapshot. Takes time proportional to the number of
   * photos.
   */
  photoTotals(): Promise<{ readonly stored: PhotoTotals; readonly counted: PhotoTotals }>;
  /**
   * What counts against the quota, in one snapshot: every photo, in the trash or not, and, for every item that may still become one
   * (`reservingStatuses`), a photo of its declared size.
   */
  quotaUse(): Promise<QuotaUse>;
  readonly photos: PhotoReads;
  readonly tags: TagReads;
  readonly imports: ImportReads;
  readonly importPhotos: ImportPhotoReads;
  readonly blobOwners: BlobOwners;
  readonly webhookEndpoints: WebhookEndpointReads;
  readonly deliveries: DeliveryReads;
  readonly users: UserReads;
  readonly audit: AuditReads;
  readonly traffic: TrafficReads;
}

/** Everything of one customer, inside a transaction. */
export interface CustomerTransaction extends CustomerReader {
  /** Reads the customer and locks it until the transaction ends; taken before every other lock. */
  lockCustomer(): Promise<Customer>;
  /** Stores every value of the customer, which must be locked. */
  updateCustomer(customer: Customer): Promise<void>;
  /** Recounts the totals from the committed photos. The customer must be locked. */
  recountPhotos(): Promise<void>;
  readonly photos: PhotoRepository;
  readonly tags: TagRepository;
  readonly imports: ImportRepository;
  readonly importPhotos: ImportPhotoRepository;
  readonly blobOwners: BlobOwnership;
  readonly webhookEndpoints: WebhookEndpointRepository;
  readonly deliveries: DeliveryRepository;
  readonly users: UserRepository;
  readonly audit: AuditTrail;
  readonly outbox: Outbox;
  readonly jobs: JobAdder;
  readonly responses: ResponseStore;
}

/** The boundary between customers, and the transaction. Rows of other customers do not exist inside. */
export interface CustomerStore {
  /**
   * All or nothing: when `work` throws, nothing is changed and the error is rethrown. When it resolves, the change survives a power
   * failure. It sees what others have committed, and may be run again from its beginning (three times at most) when the database found a
   * conflict with another transaction: so it must have no effect except through its argument. Errors: `service_unavailable` when the
   * database is not available in time.
   */
  transaction<T>(customerId: Id, work: (transaction: CustomerTransaction) => Promise<T>): Promise<T>;
  /** Without a transaction: each read sees what is committed when it runs. */
  query<T>(customerId: Id, work: (reader: CustomerReader) => Promise<T>): Promise<T>;
}
