import { MemoryRateWindowStore } from '../../src/adapters/memory/memory-rate-window-store.js';
import type { CustomerStatus } from '../../src/core/customers/customer.js';
import type { Id } from '../../src/core/shared/ids.js';
import { MemoryIpCountries } from '../../testing/memory/access/memory-ip-countries.js';
import { MemoryKeyFinder, MemoryOperatorTokenStore } from '../../testing/memory/access/memory-keys.js';
import { MemoryAuditLog } from '../../testing/memory/memory-audit.js';
import { MemoryCustomerStore } from '../../testing/memory/memory-customer-store.js';
import { MemoryCustomerDirectory } from '../../testing/memory/memory-customers.js';
import { MemoryDatabase, type MemoryTable } from '../../testing/memory/memory-database.js';
import { MemoryDeliveryKeyFinder } from '../../testing/memory/memory-delivery.js';
import { MemoryIdempotencyStore } from '../../testing/memory/memory-idempotency-store.js';
import { MemoryJobQueue } from '../../testing/memory/memory-job-queue.js';
import { MemoryShareFinder } from '../../testing/memory/memory-shares.js';
import { MemoryTrafficStore } from '../../testing/memory/memory-traffic.js';
import { MemoryDeliveryLog } from '../../testing/memory/memory-webhooks.js';
import { MemoryGazetteer } from '../../testing/memory/photos/memory-gazetteer.js';
import { MemoryRenditionLeases } from '../../testing/memory/photos/memory-renditions.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { MemorySessionStore, MemoryUserStore } from '../../testing/memory/users/memory-users.js';
import { present } from '../support/tenant.js';
import { bulkTagsContract } from './bulk-tags.contract.js';
import { customerDirectoryContract } from './customer-directory.contract.js';
import { customerStoreContract } from './customer-store.contract.js';
import { deliveryKeyFinderContract } from './delivery-key-finder.contract.js';
import { gazetteerContract } from './gazetteer.contract.js';
import { idempotencyStoreContract } from './idempotency-store.contract.js';
import { ipCountriesContract } from './ip-countries.contract.js';
import { jobQueueContract } from './job-queue.contract.js';
import { keysContract } from './keys.contract.js';
import { limitsContract } from './limits.contract.js';
import { operatorTokenStoreContract } from './operator-token-store.contract.js';
import { orphanRowsContract } from './orphan-rows.contract.js';
import { rateWindowStoreContract } from './rate-window-store.contract.js';
import { renditionLeasesContract } from './rendition-maker.contract.js';
import { shareFinderContract } from './share-finder.contract.js';
import { sourceFetchesContract } from './source-fetches.contract.js';
import { tagCountsContract } from './tag-counts.contract.js';
import { tombstonesContract } from './tag-tombstones.contract.js';
import { tracesContract } from './traces.contract.js';
import { transactionsContract } from './transactions.contract.js';
import { usersContract } from './users.contract.js';
import { webhooksContract } from './webhooks.contract.js';

function openMemory() {
  const clock = new SettableClock();
  const database = new MemoryDatabase();
  const store = new MemoryCustomerStore(database, clock, 'any');
  return {
    clock,
    store,
    customers: new MemoryCustomerDirectory(database),
    keys: new MemoryKeyFinder(database),
    idempotency: new MemoryIdempotencyStore(database, clock),
    otherProcess: () => new MemoryIdempotencyStore(database, clock),
    jobs: new MemoryJobQueue(database, clock),
    setCount: (_: Id, tagId: Id, photoCount: number) =>
      database.transaction(async () => {
        const tag = database.tags.get(tagId);
        if (tag !== undefined) database.tags.set(tagId, { ...tag, photoCount });
      }),
    spoil: spoiling(database),
    deliveryLog: new MemoryDeliveryLog(database),
    deliveryKeys: new MemoryDeliveryKeyFinder(database),
    shares: new MemoryShareFinder(database),
    operatorTokens: new MemoryOperatorTokenStore(database),
    auditLog: new MemoryAuditLog(database),
    traffic: new MemoryTrafficStore(database),
    users: new MemoryUserStore(database),
    sessions: new MemorySessionStore(database),
    now: async () => clock.now().getTime(),
    setStatus: (id: Id, status: CustomerStatus) => store.change(id, { status }),
    deadReason: async ({ id }: { id: Id }) => database.jobs.where((job) => job.id === id)[0]?.deadReason ?? null,
    passTime: async (seconds: number) => clock.pass(seconds * 1000),
    close: async () => {},
  };
}

/** Writes what no repository would. */
function spoiling(database: MemoryDatabase) {
  const change = <T extends { id: Id }>(table: MemoryTable<T>, id: Id, values: Partial<T>) =>
    database.transaction(async () => table.set(id, { ...present(table.get(id)), ...values }));
  return {
    importOf: (what: 'photo' | 'item', id: Id, importId: Id) =>
      what === 'photo' ? change(database.photos, id, { importId }) : change(database.importPhotos, id, { importId }),
    blobKeyOf: (id: Id, blobKey: string) => change(database.photos, id, { blobKey }),
    tagOf: (_: Id, photoId: Id, tagId: Id) =>
      database.transaction(async () => database.links.set(photoId, [...(database.links.get(photoId) ?? []), tagId])),
    rowOf: (id: Id) => database.transaction(async () => database.photos.delete(id)),
  };
}

customerStoreContract('memory', async () => openMemory());
describe('tags of many photos in memory', () => bulkTagsContract(async () => openMemory()));
describe('deleted tags with photos in memory', () => tombstonesContract(async () => openMemory()));
describe('transactions in memory', () => transactionsContract(async () => openMemory()));
customerDirectoryContract('memory', async () => openMemory());
keysContract('memory', async () => openMemory());
operatorTokenStoreContract('memory', async () => openMemory());
deliveryKeyFinderContract('memory', async () => openMemory());
shareFinderContract('memory', async () => openMemory());
idempotencyStoreContract('memory', async () => openMemory());
jobQueueContract('memory', async () => openMemory());
rateWindowStoreContract('memory', async () => {
  const { clock, passTime, close } = openMemory();
  const now = async () => clock.now().getTime();
  const store = new MemoryRateWindowStore(clock);
  return { store, passTime, now, remembered: async () => store.size, close };
});
limitsContract('memory', async () => openMemory());
describe('countries of addresses: memory', () => ipCountriesContract(() => new MemoryIpCountries()));
describe('places: memory', () => gazetteerContract(async () => new MemoryGazetteer()));
renditionLeasesContract('memory', async () => {
  const leases = new MemoryRenditionLeases();
  return { ...openMemory(), leases: () => leases, passTime: async () => leases.expire() };
});
tagCountsContract('memory', async () => openMemory());
orphanRowsContract('memory', async () => openMemory());
sourceFetchesContract('memory', async () => openMemory());
webhooksContract('memory', async () => openMemory());
usersContract('memory', async () => openMemory());

tracesContract('memory', async () => openMemory());
