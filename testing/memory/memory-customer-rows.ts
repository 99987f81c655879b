import type { RowCounts } from '../../src/core/customers/customer-directory.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { MemoryDatabase, MemoryTable } from './memory-database.js';

/** The rows of one kind, as they are counted and removed. */
interface OwnRows {
  count(): number;
  remove(): number;
}

/** Everything of a customer but itself, by name; first what is found by other rows. */
function ownRowsOf(database: MemoryDatabase, id: Id): ReadonlyMap<string, OwnRows> {
  const isOwn = (row: { readonly customerId: Id } | undefined) => row?.customerId === id;
  const ofOwnPhoto = (_: unknown, photoId: Id) => isOwn(database.photos.get(photoId));
  const ofOwnImport = (_: unknown, importId: Id) =>
    isOwn(database.imports.get(importId) ?? database.forgottenImports.get(importId));
  return new Map([
    ['photo_tags', rowsWhere(database.links, ofOwnPhoto)],
    ['photo_exif', rowsWhere(database.exif, ofOwnPhoto)],
    ['departed_from', rowsWhere(database.tombstonePhotos, ofOwnPhoto)],
    ['dropped_uploads', rowsWhere(database.droppedUploads, ofOwnImport)],
    ['forgotten_items', rowsWhere(database.forgottenItems, ofOwnImport)],
    ['key_addresses', rowsWhere(database.keyAddresses, (_, keyId) => isOwn(database.keys.get(keyId)))],
    ...[...database.ownedTables].map(([name, table]) => [name, rowsWhere(table, isOwn)] as const),
  ]);
}

function rowsWhere<T extends object, K extends string | number>(
  table: MemoryTable<T, K>,
  isOwn: (row: T, key: K) => boolean,
): OwnRows {
  return { count: () => table.count(isOwn), remove: () => table.deleteWhere(isOwn) };
}

export function countRows(database: MemoryDatabase, id: Id): RowCounts {
  return Object.fromEntries([...ownRowsOf(database, id)].map(([name, { count }]) => [name, count()]));
}

export function removeRows(database: MemoryDatabase, id: Id): number {
  return [...ownRowsOf(database, id).values()].reduce((removed, { remove }) => removed + remove(), 0);
}

export function removeCustomer(database: MemoryDatabase, id: Id): boolean {
  const customer = database.customers.get(id);
  if (customer === undefined) return true;
  if (customer.status !== 'closing') throw new Error(`Customer ${id} is ${customer.status} and cannot be removed.`);
  if (Object.values(countRows(database, id)).some((rows) => rows > 0)) return false;
  return database.customers.delete(id);
}
