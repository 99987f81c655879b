import type { KeyFinder } from './access/api-key.js';
import type { IpCountries, IpLists } from './access/ip-list.js';
import type { RateWindowStore } from './access/rolling-window.js';
import type { AuditLog } from './audit/audit-log.js';
import type { BlobStore } from './blobs/blob-store.js';
import type { DirectUploads } from './blobs/direct-uploads.js';
import type { VerifiedBlobs } from './blobs/verified-blobs.js';
import type { CustomerDirectory } from './customers/customer-directory.js';
import type { Limits } from './customers/limits.js';
import type { DeliveryKeyFinder } from './delivery/delivery-key.js';
import type { IdempotencyStore } from './idempotency/idempotency-store.js';
import type { SourceReader } from './imports/fetch/source-reader.js';
import type { ImportSteps } from './imports/import-steps.js';
import type { UploadSlots } from './imports/receive/upload-slots.js';
import type { JobQueue } from './jobs/job.js';
import type { Mailer } from './mail/mail.js';
import type { MediaReader } from './media/media-reader.js';
import type { OperatorTokenStore } from './operators/operator-token.js';
import type { Gazetteer } from './photos/places.js';
import type { RenditionMaker } from './photos/renditions/rendition.js';
import type { Addresses } from './shared/addresses.js';
import type { Clock } from './shared/clock.js';
import type { Secrets } from './shared/secrets.js';
import type { Repositories, Transactional } from './shared/transactional.js';
import type { TrafficStore } from './traffic/traffic.js';
import type { PasskeyReader } from './users/factors/passkey.js';
import type { IdentityProviders } from './users/identity-provider.js';
import type { PasswordHasher, PasswordStrength } from './users/passwords.js';
import type { SessionStore } from './users/session.js';
import type { UserStore } from './users/user-store.js';
import type { DeliveryLog } from './webhooks/delivery.js';
import type { WebhookSender } from './webhooks/webhook-sender.js';

/** Every repository of one customer: what an adapter has. A use case names those that it touches. */
export type CustomerStore = Transactional<keyof Repositories>;

/** Everything core needs from outside, by name; a concept that no other needs adds its own beside its port. */
export interface Ports {
  readonly clock: Clock;
  readonly store: CustomerStore;
  readonly customers: CustomerDirectory;
  readonly keys: KeyFinder;
  readonly ipLists: IpLists;
  readonly ipCountries: IpCountries;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly passwords: PasswordHasher;
  readonly passkeys: PasskeyReader;
  /** Where people sign in instead of here; none unless the operator has named some. */
  readonly identityProviders: IdentityProviders;
  /** Frequently used passwords, in lower case: they are refused. */
  readonly passwordStrength: PasswordStrength;
  readonly rateWindows: RateWindowStore;
  readonly idempotency: IdempotencyStore;
  readonly blobs: BlobStore;
  readonly verifiedBlobs: VerifiedBlobs;
  readonly uploads: UploadSlots;
  readonly importSteps: ImportSteps;
  /** Null if clients cannot reach the blob store: they send bytes to this service. */
  readonly directUploads: DirectUploads | null;
  readonly media: MediaReader;
  readonly gazetteer: Gazetteer;
  readonly renditionMaker: RenditionMaker;
  readonly jobs: JobQueue;
  readonly sourceReader: SourceReader;
  readonly deliveryLog: DeliveryLog;
  readonly deliveryKeys: DeliveryKeyFinder;
  readonly webhooks: WebhookSender;
  /** Null if no server for mail is configured: people pass links on themselves. */
  readonly mailer: Mailer | null;
  readonly operatorTokens: OperatorTokenStore;
  readonly auditLog: AuditLog;
  readonly traffic: TrafficStore;
  readonly secrets: Secrets;
  readonly limits: Limits;
  readonly addresses: Addresses;
}

/** The ports that one use case takes: `Uses<'store' | 'clock'>`. */
export type Uses<Name extends keyof Ports> = Pick<Ports, Name>;
