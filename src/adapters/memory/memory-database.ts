import type { ApiKey } from '../../core/access/api-key.js';
import type { Customer } from '../../core/customers/customer.js';
import type { Import } from '../../core/imports/import.js';
import type { ImportPhoto } from '../../core/imports/import-photo.js';
import type { JobWork } from '../../core/jobs/job.js';
import type { ExifTags, Photo } from '../../core/photos/photo.js';
import type { Id } from '../../core/shared/ids.js';
import type { Tag } from '../../core/tags/tag.js';

/** A job with what the queue knows of it. */
export interface StoredJob {
  readonly id: Id;
  readonly customerId: Id;
  readonly work: JobWork;
  readonly attempt: number;
  readonly dueAt: number;
  readonly lease: string | null;
  /** The same work was added while it ran. */
  readonly again: boolean;
  readonly deadReason: string | null;
}

/** Rows by id. Values are frozen copies: nobody changes what is stored but through here, and here every change can be undone. */
export class MemoryTable<T extends object, K extends string | number = Id> {
  private readonly rows = new Map<K, T>();

  constructor(private readonly journal: (undo: () => void) => void) {}

  get(key: K): T | undefined {
    return this.rows.get(key);
  }

  set(key: K, row: T): void {
    const before = this.rows.get(key);
    this.journal(() => this.restore(key, before));
    this.rows.set(key, frozen(structuredClone(row)));
  }

  delete(key: K): boolean {
    const before = this.rows.get(key);
    if (before === undefined) return false;
    this.journal(() => this.restore(key, before));
    return this.rows.delete(key);
  }

  all(): T[] {
    return [...this.rows.values()];
  }

  where(condition: (row: T) => boolean): T[] {
    return this.all().filter(condition);
  }

  private restore(key: K, row: T | undefined): void {
    if (row === undefined) this.rows.delete(key);
    else this.rows.set(key, row);
  }
}

/** All rows of an installation. Transactions run one after another; one that throws is undone. */
export class MemoryDatabase {
  private undo: (() => void)[] = [];
  private last: Promise<unknown> = Promise.resolve();
  private commitListeners = new Set<() => void>();
  private readonly journal = (undo: () => void) => this.undo.push(undo);

  readonly customers = new MemoryTable<Customer>(this.journal);
  readonly keys = new MemoryTable<ApiKey>(this.journal);
  readonly photos = new MemoryTable<Photo>(this.journal);
  readonly exif = new MemoryTable<{ readonly tags: ExifTags }>(this.journal);
  /** Tag ids by photo. */
  readonly links = new MemoryTable<readonly Id[]>(this.journal);
  readonly tags = new MemoryTable<Tag>(this.journal);
  readonly imports = new MemoryTable<Import>(this.journal);
  readonly importPhotos = new MemoryTable<ImportPhoto>(this.journal);
  /** By customer and `jobKey`. */
  readonly jobs = new MemoryTable<StoredJob, string>(this.journal);

  private readonly sequences = new Map<string, number>();

  /** The next number of a sequence. Like a database's it is not given back when a transaction is undone. */
  next(sequence: string): number {
    const value = (this.sequences.get(sequence) ?? 0) + 1;
    this.sequences.set(sequence, value);
    return value;
  }

  /** Runs after everything that was asked for before, all of it or nothing of it. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    const run = this.last.then(async () => {
      this.undo = [];
      try {
        const result = await work();
        for (const listener of this.commitListeners) listener();
        return result;
      } catch (error) {
        for (const undo of this.undo.reverse()) undo();
        throw error;
      } finally {
        this.undo = [];
      }
    });
    this.last = run.catch(() => undefined);
    return run;
  }

  /** Calls back after every transaction that has changed something or may have. */
  onCommit(listener: () => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
