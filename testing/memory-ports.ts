import { MemoryRateWindowStore } from '../src/adapters/memory/memory-rate-window-store.js';
import { IpLists } from '../src/core/access/ip-list.js';
import { defaultLimits, type Limits } from '../src/core/customers/limits.js';
import { renditionMaking } from '../src/core/photos/renditions/make.js';
import type { Ports, Uses } from '../src/core/ports.js';
import type { Clock } from '../src/core/shared/clock.js';
import type { PasskeyReader } from '../src/core/users/factors/passkey.js';
import { PublicAddresses } from '../src/http/public-addresses.js';
import { MemoryIpCountries } from './memory/access/memory-ip-countries.js';
import { MemoryKeyFinder, MemoryOperatorTokenStore } from './memory/access/memory-keys.js';
import { MemoryBlobStore } from './memory/blobs/memory-blob-store.js';
import { PlainVerifiedBlobs } from './memory/blobs/plain-verified-blobs.js';
import { MemorySourceReader } from './memory/imports/memory-fetches.js';
import { PlainImportSteps, PlainUploadSlots } from './memory/imports/memory-uploads.js';
import { MemoryAuditLog } from './memory/memory-audit.js';
import { MemoryCustomerStore } from './memory/memory-customer-store.js';
import { MemoryCustomerDirectory } from './memory/memory-customers.js';
import { MemoryDatabase } from './memory/memory-database.js';
import { MemoryDeliveryKeyFinder } from './memory/memory-delivery.js';
import { MemoryIdempotencyStore } from './memory/memory-idempotency-store.js';
import { MemoryJobQueue } from './memory/memory-job-queue.js';
import { MemoryMediaReader } from './memory/memory-media-reader.js';
import { MemoryShareFinder } from './memory/memory-shares.js';
import { MemoryTrafficStore } from './memory/memory-traffic.js';
import { MemoryDeliveryLog, MemoryWebhookSender } from './memory/memory-webhooks.js';
import { MemoryGazetteer } from './memory/photos/memory-gazetteer.js';
import { PlainRenditionMaker } from './memory/photos/memory-renditions.js';
import { SettableClock } from './memory/settable-clock.js';
import {
  MemoryPasswordHasher,
  MemoryPasswordStrength,
  MemorySessionStore,
  MemoryUserStore,
} from './memory/users/memory-users.js';

/** Every port, in memory, with what lies behind some of them. */
export interface MemoryPorts extends Ports {
  /** It stands still until it is moved. */
  readonly clock: SettableClock;
  readonly store: MemoryCustomerStore;
  readonly database: MemoryDatabase;
  readonly sourceReader: MemorySourceReader;
  readonly webhooks: MemoryWebhookSender;
}

type Changes = Partial<Omit<Ports, 'limits'>> & { readonly limits?: Partial<Limits> };

/**
 * Returns all ports in memory, on a database of their own. A change stands in for a port, and the ports that are made from that one use it; of
 * the limits, those that are not named are the service's. Passkeys are refused, because checking one takes a library: name a reader where they matter.
 */
export function memoryPorts(): MemoryPorts;
export function memoryPorts<Given extends Changes>(
  changes: Given,
): Omit<MemoryPorts, keyof Given> & Pick<Ports, keyof Given & keyof Ports>;
export function memoryPorts(changes: Changes = {}): Ports & { readonly database: MemoryDatabase } {
  const clock = changes.clock ?? new SettableClock();
  const database = new MemoryDatabase();
  const ports = {
    ...memoryDatabasePorts(database, clock),
    clock,
    ipLists: new IpLists(),
    ipCountries: new MemoryIpCountries(),
    passwords: new MemoryPasswordHasher(),
    passkeys: noPasskeys,
    identityProviders: [],
    passwordStrength: new MemoryPasswordStrength(),
    rateWindows: new MemoryRateWindowStore(clock),
    gazetteer: new MemoryGazetteer(),
    blobs: new MemoryBlobStore(clock),
    media: new MemoryMediaReader(),
    sourceReader: new MemorySourceReader(),
    webhooks: new MemoryWebhookSender(),
    mailer: null,
    secrets: ['a secret of the tests that is long enough'] as const,
    uploads: new PlainUploadSlots(),
    directUploads: null,
    addresses: new PublicAddresses('https://photos.example.com'),
    ...changes,
    limits: { ...defaultLimits, ...changes.limits },
  };
  return { database, ...withInProcess(ports), ...changes, limits: ports.limits };
}

/** The ports that share one database. */
export function memoryDatabasePorts(database: MemoryDatabase, clock: Clock) {
  return {
    store: new MemoryCustomerStore(database, clock),
    customers: new MemoryCustomerDirectory(database),
    keys: new MemoryKeyFinder(database),
    users: new MemoryUserStore(database),
    sessions: new MemorySessionStore(database),
    idempotency: new MemoryIdempotencyStore(database, clock),
    jobs: new MemoryJobQueue(database, clock),
    deliveryLog: new MemoryDeliveryLog(database),
    deliveryKeys: new MemoryDeliveryKeyFinder(database),
    shares: new MemoryShareFinder(database),
    operatorTokens: new MemoryOperatorTokenStore(database),
    auditLog: new MemoryAuditLog(database),
    traffic: new MemoryTrafficStore(database),
  };
}

const noPasskeys: PasskeyReader = {
  claimOf: () => null,
  readNew: async () => null,
  check: async () => null,
};

type InProcess = Uses<'importSteps' | 'verifiedBlobs' | 'renditionMaker'>;

/** Adds the ports that a process makes from its others, in their plain form, in which each call is a call of its own. */
export function withInProcess<P extends Omit<Ports, keyof InProcess>>(ports: P): P & InProcess {
  const verifiedBlobs = new PlainVerifiedBlobs(ports.blobs);
  const renditionMaker = new PlainRenditionMaker(renditionMaking({ ...ports, verifiedBlobs }));
  return { ...ports, verifiedBlobs, renditionMaker, importSteps: new PlainImportSteps(ports) };
}
