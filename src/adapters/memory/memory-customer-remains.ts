import type { RowCounts } from '../../core/customers/customer-directory.js';
import type { Id } from '../../core/shared/ids.js';
import type { MemoryDatabase, MemoryTable } from './memory-database.js';

/** What is counted and removed of one kind of row. */
interface Remains {
  count(): number;
  remove(): number;
}

/** Everything of a customer but itself, by name; those first that no others refer to, or are found by. */
function remainsOf(database: MemoryDatabase, id: Id): ReadonlyMap<string, Remains> {
  const isOwn = (row: { readonly customerId: Id } | undefined) => row?.customerId === id;
  const ofOwnPhoto = (_: unknown, photoId: Id) => isOwn(database.photos.get(photoId));
  const ofOwnImport = (_: unknown, importId: Id) =>
    isOwn(database.imports.get(importId) ?? database.forgottenImports.get(importId));
  return new Map([
    ['idempotency_keys', remains(database.idempotencyKeys, isOwn)],
    ['jobs', remains(database.jobs, isOwn)],
    ['webhook_deliveries', remains(database.deliveries, isOwn)],
    ['webhook_endpoints', remains(database.webhookEndpoints, isOwn)],
    ['photo_tags', remains(database.links, ofOwnPhoto)],
    ['photo_exif', remains(database.exif, ofOwnPhoto)],
    ['departed_from', remains(database.tombstonePhotos, ofOwnPhoto)],
    ['departed_tags', remains(database.tagTombstones, isOwn)],
    ['photos', remains(database.photos, isOwn)],
    ['tags', remains(database.tags, isOwn)],
    ['import_photos', remains(database.importPhotos, isOwn)],
    ['dropped_uploads', remains(database.droppedUploads, ofOwnImport)],
    ['forgotten_items', remains(database.forgottenItems, ofOwnImport)],
    ['imports', remains(database.imports, isOwn)],
    ['forgotten_imports', remains(database.forgottenImports, isOwn)],
    ['request_counts', remains(database.requestCounts, isOwn)],
    ['request_failures', remains(database.requestFailures, isOwn)],
    ['audit_entries', remains(database.auditEntries, isOwn)],
    ['sessions', remains(database.sessions, isOwn)],
    ['users', remains(database.users, isOwn)],
    ['key_addresses', remains(database.keyAddresses, (_, keyId) => isOwn(database.keys.get(keyId)))],
    ['api_keys', remains(database.keys, isOwn)],
  ]);
}

function remains<T extends object, K extends string | number>(
  table: MemoryTable<T, K>,
  isOwn: (row: T, key: K) => boolean,
): Remains {
  return { count: () => table.count(isOwn), remove: () => table.deleteWhere(isOwn) };
}

export function countRows(database: MemoryDatabase, id: Id): RowCounts {
  return Object.fromEntries([...remainsOf(database, id)].map(([name, { count }]) => [name, count()]));
}

export function removeRows(database: MemoryDatabase, id: Id): number {
  return [...remainsOf(database, id).values()].reduce((removed, { remove }) => removed + remove(), 0);
}

export function removeCustomer(database: MemoryDatabase, id: Id): boolean {
  const customer = database.customers.get(id);
  if (customer === undefined) return true;
  if (customer.status !== 'closing') throw new Error(`Customer ${id} is ${customer.status} and cannot be removed.`);
  if (Object.values(countRows(database, id)).some((rows) => rows > 0)) return false;
  return database.customers.delete(id);
}
