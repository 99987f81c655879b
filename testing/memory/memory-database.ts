import { AsyncLocalStorage } from 'node:async_hooks';
import type { ApiKey, KeyAddress } from '../../src/core/access/api-key.js';
import type { AuditEntry, NewOperatorEntry } from '../../src/core/audit/audit-entry.js';
import type { BulkChange, BulkEdit } from '../../src/core/bulk-edits/bulk-edit.js';
import type { Customer } from '../../src/core/customers/customer.js';
import type { CreationRequest, Erasure } from '../../src/core/customers/customer-directory.js';
import type { DeliveryKey } from '../../src/core/delivery/delivery-key.js';
import type { ClaimRequest, StoredResponse } from '../../src/core/idempotency/idempotency-store.js';
import type { SourceFetch } from '../../src/core/imports/fetch/source-fetch.js';
import type { Import } from '../../src/core/imports/import.js';
import type { ImportPhoto, ImportPhotoStatus } from '../../src/core/imports/import-photo.js';
import type { ResumableUpload } from '../../src/core/imports/receive/resumable-upload.js';
import type { QueuePlace, Work } from '../../src/core/jobs/job.js';
import type { ExifTags } from '../../src/core/media/picture-metadata.js';
import type { OperatorToken } from '../../src/core/operators/operator-token.js';
import type { Photo } from '../../src/core/photos/photo.js';
import type { PhotoPair } from '../../src/core/photos/similar/similar-photo.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { PageWindow, Position } from '../../src/core/shared/pagination.js';
import { compareText } from '../../src/core/shared/text.js';
import type { Tag } from '../../src/core/tags/tag.js';
import type {
  HourCount,
  PictureCount,
  RequestCount,
  RequestFailure,
  StorageCount,
  TransferCount,
} from '../../src/core/traffic/traffic.js';
import type { Session } from '../../src/core/users/session.js';
import type { User } from '../../src/core/users/user.js';
import type { Delivery, DeliveryBodies } from '../../src/core/webhooks/delivery.js';
import type { WebhookEndpoint } from '../../src/core/webhooks/webhook-endpoint.js';

/** A job and its state in the queue. */
export interface StoredJob extends QueuePlace {
  readonly id: Id;
  readonly customerId: Id;
  readonly work: Work;
  readonly attempt: number;
  readonly failures: number;
  readonly outages: number;
  readonly traceContext: string | null;
  readonly dueAt: number;
  readonly lease: string | null;
  /** The same work was added while it ran. */
  readonly again: boolean;
  readonly deadReason: string | null;
}

export interface StoredIdempotencyKey extends Pick<ClaimRequest, 'customerId' | 'key' | 'token' | 'fingerprint'> {
  readonly startedAt: Date;
  /** The process of the run. */
  readonly heldBy: number;
  /** By the database's clock. */
  readonly leaseUntil: number;
  readonly answer: StoredResponse | null;
}

/** A delivery and what was exchanged. */
export type StoredDelivery = Omit<Delivery, 'dueAt'> & DeliveryBodies;

export interface StoredBulkEdit extends BulkEdit {
  readonly photoIds: readonly Id[];
}

export interface StoredBulkChange extends BulkChange {
  readonly customerId: Id;
  readonly bulkEditId: Id;
}

export interface SeparatedPair extends PhotoPair {
  readonly customerId: Id;
  readonly createdAt: Date;
}

/** The counts of deleted items. */
export interface ForgottenItems {
  readonly byStatus: Readonly<Partial<Record<ImportPhotoStatus, number>>>;
  readonly totalBytes: number;
  /** No item is left. */
  readonly all: boolean;
}

/** A row that says whose it is. */
interface OwnedRow {
  readonly customerId: Id;
}

/** Rows by id. Values are copies: what is stored can only be changed here, and here every change can be rolled back. */
export class MemoryTable<T extends object, K extends string | number = Id> {
  private readonly rows = new Map<K, T>();

  constructor(private readonly journal: (undo: () => void) => void) {}

  get(key: K): T | undefined {
    return this.rows.get(key);
  }

  set(key: K, row: T): void {
    const before = this.rows.get(key);
    this.journal(() => this.restore(key, before));
    this.rows.set(key, copyOf(row));
  }

  delete(key: K): boolean {
    const before = this.rows.get(key);
    if (before === undefined) return false;
    this.journal(() => this.restore(key, before));
    return this.rows.delete(key);
  }

  entries(): [K, T][] {
    return [...this.rows];
  }

  /** Returns how many there were. */
  deleteWhere(condition: (row: T, key: K) => boolean): number {
    const keys = [...this.rows].flatMap(([key, row]) => (condition(row, key) ? [key] : []));
    for (const key of keys) this.delete(key);
    return keys.length;
  }

  count(condition: (row: T, key: K) => boolean): number {
    return [...this.rows].filter(([key, row]) => condition(row, key)).length;
  }

  all(): T[] {
    return [...this.rows.values()];
  }

  where(condition: (row: T) => boolean): T[] {
    const found: T[] = [];
    for (const row of this.rows.values()) if (condition(row)) found.push(row);
    return found;
  }

  private restore(key: K, row: T | undefined): void {
    if (row === undefined) this.rows.delete(key);
    else this.rows.set(key, row);
  }
}

/** Rows that say whose they are. */
export class OwnedTable<T extends OwnedRow, K extends Id | string = Id> extends MemoryTable<T, K> {
  /** Returns the row of this key; null when there is none, or it is not the customer's. */
  rowOf(customerId: Id, key: K): T | null {
    const row = this.get(key);
    return row?.customerId === customerId ? row : null;
  }

  /** Returns the customer's rows that meet the condition, or all of them. */
  rowsOf(customerId: Id, condition: (row: T) => boolean = () => true): T[] {
    return this.where((row) => row.customerId === customerId && condition(row));
  }
}

/**
 * The database whose transaction is running. One for all databases: each AsyncLocalStorage makes every promise in Node slower, and tests
 * create a database each.
 */
const inTransactionOf = new AsyncLocalStorage<MemoryDatabase>();

/** All rows of an installation. Transactions run one after another; one that throws is rolled back. */
export class MemoryDatabase {
  private undo: (() => void)[] = [];
  private last: Promise<unknown> = Promise.resolve();
  private readonly commitListeners = new Set<() => void>();
  private readonly journal = (undo: () => void) => this.undo.push(undo);

  private readonly tables = new Map<string, OwnedTable<OwnedRow, Id | string>>();

  readonly customers = new MemoryTable<Customer>(this.journal);
  readonly keys = this.table<ApiKey>('api_keys');
  /** By key. */
  readonly keyAddresses = new MemoryTable<readonly KeyAddress[]>(this.journal);
  readonly photos = this.table<Photo>('photos');
  /** By customer and both photos. */
  readonly separatedPhotos = this.table<SeparatedPair, string>('separated_photos');
  readonly exif = new MemoryTable<{ readonly tags: ExifTags }>(this.journal);
  /** Tag ids by photo. */
  readonly links = new MemoryTable<readonly Id[]>(this.journal);
  readonly tags = this.table<Tag>('tags');
  /** Tombstones of deleted tags, by id, while photos may still need a new version. */
  readonly tagTombstones = this.table<Pick<Tag, 'customerId'>>('departed_tags');
  /** Photos that had one of them and have no new version since, by photo. */
  readonly tombstonePhotos = new MemoryTable<readonly Id[]>(this.journal);
  readonly imports = this.table<Import>('imports');
  readonly importPhotos = this.table<ImportPhoto>('import_photos');
  /** By item. */
  readonly resumableUploads = this.table<ResumableUpload>('resumable_uploads');
  /** By item. */
  readonly sourceFetches = this.table<SourceFetch>('source_fetches');
  /** Referred to by photos. */
  readonly forgottenImports = this.table<{ readonly customerId: Id }>('forgotten_imports');
  /** By import. */
  readonly forgottenItems = new MemoryTable<ForgottenItems>(this.journal);
  /** Upload ids by import. */
  readonly droppedUploads = new MemoryTable<readonly number[]>(this.journal);
  /** By customer and `jobKey`. */
  readonly jobs = this.table<StoredJob, string>('job_queue');
  readonly webhookEndpoints = this.table<WebhookEndpoint>('webhook_endpoints');
  readonly deliveries = this.table<StoredDelivery>('webhook_deliveries');
  readonly deliveryKeys = this.table<DeliveryKey>('delivery_keys');
  readonly bulkEdits = this.table<StoredBulkEdit>('bulk_edits');
  /** By edit and photo. */
  readonly bulkChanges = this.table<StoredBulkChange, string>('bulk_edit_changes');
  readonly users = this.table<User>('users');
  readonly sessions = this.table<Session>('sessions');
  readonly auditEntries = this.table<AuditEntry>('audit_entries');
  /** By key and day. */
  readonly requestCounts = this.table<RequestCount, string>('request_counts');
  /** By key, day and hour. */
  readonly requestHours = this.table<HourCount, string>('request_hours');
  /** By customer, delivery key and day. */
  readonly pictureCounts = this.table<PictureCount, string>('picture_counts');
  /** By customer, channel and day. */
  readonly transferCounts = this.table<TransferCount, string>('transfer_counts');
  /** By customer and day. */
  readonly storageDays = this.table<StorageCount, string>('storage_days');
  readonly renditionTotals = this.table<{ readonly customerId: Id; readonly bytes: number }>('rendition_totals');
  readonly requestFailures = this.table<RequestFailure>('request_failures');
  /** Rows of no customer. */
  readonly customerCreations = new MemoryTable<CreationRequest, string>(this.journal);
  readonly erasures = new MemoryTable<Erasure>(this.journal);
  readonly operatorEntries = new MemoryTable<NewOperatorEntry>(this.journal);
  readonly operatorTokens = new MemoryTable<OperatorToken>(this.journal);
  /** By customer and key. */
  readonly idempotencyKeys = this.table<StoredIdempotencyKey, string>('idempotency_keys');
  /** Processes that are alive, as idempotency stores see them. */
  readonly aliveHolders = new Set<number>();

  private readonly sequences = new Map<string, number>();

  /** The table of this name, whose rows say whose they are. It is created when it is first asked for. */
  table<T extends OwnedRow, K extends Id | string = Id>(name: string): OwnedTable<T, K> {
    const table = this.tables.get(name) ?? new OwnedTable(this.journal);
    this.tables.set(name, table);
    return table as unknown as OwnedTable<T, K>;
  }

  /** All of these tables, by name: removing a customer removes the rows of each. */
  get ownedTables(): ReadonlyMap<string, OwnedTable<OwnedRow, Id | string>> {
    return this.tables;
  }

  /** The next number of a sequence. As in a database, it is not reverted by a rollback. */
  next(sequence: string): number {
    const value = (this.sequences.get(sequence) ?? 0) + 1;
    this.sequences.set(sequence, value);
    return value;
  }

  /** The effect of a foreign key: a row belongs to an existing customer. */
  requireCustomer(id: Id): void {
    if (this.customers.get(id) === undefined) throw new Error(`There is no customer ${id}.`);
  }

  /** The effect of a foreign key: the import is, or was, the customer's. */
  hasImport(customerId: Id, id: Id): boolean {
    return (this.imports.get(id) ?? this.forgottenImports.get(id))?.customerId === customerId;
  }

  /** Runs after everything requested before, all or nothing. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    // It would wait for the end of a transaction that waits for it.
    if (inTransactionOf.getStore() === this)
      return Promise.reject(new Error('A transaction was begun inside a transaction.'));
    const run = this.last.then(() => this.allOrNothing(work));
    this.last = run.catch(() => undefined);
    return run;
  }

  private async allOrNothing<T>(work: () => Promise<T>): Promise<T> {
    this.undo = [];
    try {
      const result = await inTransactionOf.run(this, work);
      if (this.undo.length > 0) this.announce();
      return result;
    } catch (error) {
      for (const undo of this.undo.reverse()) undo();
      throw error;
    }
  }

  /** Later, so that listeners find the transaction ended, and their own errors are not taken for ours. */
  private announce(): void {
    for (const listener of this.commitListeners) queueMicrotask(listener);
  }

  /** Calls back after every transaction that has changed something. */
  onCommit(listener: () => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }
}

/**
 * An immutable copy of plain data, except for its dates, which JavaScript cannot freeze: so results are copies, too. Written for speed:
 * everything that tests on memory adapters store goes through here.
 */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return new Date(value) as T;
  if (Array.isArray(value)) return Object.freeze(value.map(copyOf)) as T;
  const copy = { ...value } as Record<string, unknown>;
  for (const name of Object.keys(copy)) {
    const part = copy[name];
    if (typeof part === 'object') copy[name] = copyOf(part);
  }
  return Object.freeze(copy) as T;
}

/** Sorts rows by position, nulls last in both directions and ids in the direction of the sort, and cuts out a window. */
export function windowOf<T>(
  rows: readonly T[],
  position: (row: T) => Position,
  descending: boolean,
  { after, limit }: PageWindow,
): T[] {
  const order = (a: Position, b: Position) => compare(a, b, descending);
  return rows
    .map((row) => ({ row, at: position(row) }))
    .filter(({ at }) => after === null || order(at, after) > 0)
    .sort((a, b) => order(a.at, b.at))
    .slice(0, limit)
    .map(({ row }) => row);
}

function compare(a: Position, b: Position, descending: boolean): number {
  if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1;
  const ascending = compareValues(a.value, b.value) || a.id - b.id;
  return descending ? -ascending : ascending;
}

function compareValues(a: Position['value'], b: Position['value']): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : 0;
}
