import { hash } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import type { Photo, PhotoWithTags } from '../../../core/photos/photo.js';
import type { PhotoQuery } from '../../../core/photos/photo-query.js';
import type { Id } from '../../../core/shared/ids.js';
import { type Batcher, readBatcher, setNewest } from '../../shared-work.js';
import { anyOf, type JsonRow, prepared, select } from '../database/sql.js';
import { withoutTransaction } from '../database/transaction.js';
import { taggedPhotoJson, taggedPhotoOf, tagsOfPhoto, visiblePhotos } from './photo-rows.js';

/**
 * SQL: the state of a photo `p` and its tags. It differs after every change, whatever statement makes it:
 *
 * - Postgres writes a row that changes anew: at another place (`ctid`), by another transaction (`xmin`).
 * - A photo gets or loses a tag together with a change of its row, or because the tag is deleted. Deleted and changed tags change the stamp of
 *   their customer's tags (migrations/1764000000005-tags.ts).
 * - Numbers of transactions are those of one server. After restoring a backup, or when a standby takes over, another one answers.
 *
 * `$1` is the customer.
 */
const stamp = `concat(p.id, ' ', p.xmin, p.ctid, (
  SELECT concat(pg_postmaster_start_time(), (SELECT t.stamp FROM tag_stamps t WHERE t.customer_id = $1))
))`;

/** The columns of a `StampedId`, of photos `p`. */
export const stampColumns = `p.id, ${stamp} AS stamp`;

/** The columns of a `StampedRow`, of photos `p` and their tags, which are null for none. */
export const stampedColumns = (tags: string) => `${stampColumns}, ${taggedPhotoJson(tags)}::text AS photo`;

/** A photo as a statement has found it. */
export interface StampedId {
  readonly id: Id;
  readonly stamp: string;
}

export interface StampedRow extends StampedId {
  /** The `JsonRow` that `taggedPhotoOf` reads, as text; null if it is cached. */
  readonly photo: string | null;
}

/** Photos that exist, each as a `StampedRow`; null for those that have one of the given stamps. */
const selectChanged = prepared(
  `SELECT ${stampColumns}, CASE WHEN ${stamp} = ANY($3::text[]) THEN NULL ELSE ${taggedPhotoJson(tagsOfPhoto)}::text END AS photo
   FROM photos p WHERE p.customer_id = $1 AND p.id = ${anyOf('$2::bigint[]')}`,
);

/** The memory for the photos of all customers together. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The memory that a photo takes, with its text in a response, beside a multiple of the text of its row. Measured, see bench/measurements.md; V8
 * stores texts with characters beyond Latin-1 in two bytes for each.
 */
const BYTES_PER_PHOTO = 1200;
const BEYOND_LATIN_1 = /[\u0100-\uffff]/;

interface Entry {
  readonly stamp: string;
  readonly photo: PhotoWithTags;
  readonly bytes: number;
}

/** A page takes some hundred bytes of memory to be recognized. */
const MAX_PAGES = 1000;

/**
 * Photos as they were read outside of transactions. Every page and every photo is still found by a statement, with its stamp: a cached photo takes
 * the place only of a row that has the stamp by which it was cached. The least recently used ones are dropped. A photo that is returned from here is
 * frozen, and remains the same object for as long as nothing changes, so that what is made of it can be kept with it.
 *
 * A page that is requested for the first time is read as if there were no cache: walks through whole libraries pay nothing for it, and displace
 * nothing. For the second time it is cached. From then on it is asked for its stamps first.
 */
export class PhotoCache {
  /** The least recently used first. */
  private readonly entries = new Map<Id, Entry>();
  private bytes = 0;
  /** Pages by a hash of their query, and how they are to be read next; the least recently requested first. */
  private readonly pages = new Map<string, 'whole' | 'stamps'>();

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** Returns how to read this page of the customer. */
  request(customerId: Id, query: PhotoQuery): 'plain' | 'whole' | 'stamps' {
    const key = hash('sha256', JSON.stringify([customerId, query]), 'base64url');
    const known = this.pages.get(key);
    setNewest(this.pages, key, known === undefined ? 'whole' : 'stamps', MAX_PAGES);
    return known ?? 'plain';
  }

  /** Returns the photos of a page that was read as a whole. */
  addPage(customerId: Id, rows: readonly StampedRow[]): PhotoWithTags[] {
    return rows.map((row) => this.find(customerId, row) ?? this.add(row));
  }

  /**
   * Returns the photos of a page of which the stamps were read; null if most of them are not cached, so that they are better read as a page, or if
   * one has changed since.
   */
  async page(
    manager: EntityManager,
    customerId: Id,
    found: readonly StampedId[],
  ): Promise<readonly PhotoWithTags[] | null> {
    const cached = found.map((row) => this.find(customerId, row));
    const missing = found.filter((_, at) => cached[at] === undefined);
    if (missing.length === 0) return cached as PhotoWithTags[];
    if (missing.length * 2 > found.length) return null;
    const read = await this.readChanged(
      manager,
      customerId,
      missing.map(({ id }) => id),
    );
    if (missing.some(({ id, stamp }) => read.get(id)?.stamp !== stamp)) return null;
    return found.map(({ id }, at) => (cached[at] ?? read.get(id)?.photo) as PhotoWithTags);
  }

  /** The photos of these ids that exist, with their tags, by id. */
  async photos(manager: EntityManager, customerId: Id, ids: readonly Id[]): Promise<ReadonlyMap<Id, PhotoWithTags>> {
    const read = await this.readChanged(manager, customerId, ids);
    return new Map([...read].map(([id, { photo }]) => [id, photo]));
  }

  private async readChanged(
    manager: EntityManager,
    customerId: Id,
    ids: readonly Id[],
  ): Promise<ReadonlyMap<Id, Pick<Entry, 'stamp' | 'photo'>>> {
    // Held until the answer is there: others may drop them meanwhile.
    const known = ids.flatMap((id) => this.entryOf(customerId, id) ?? []);
    const stamps = known.map(({ stamp }) => stamp);
    const rows = await select<StampedRow>(manager, selectChanged, [customerId, ids, stamps]);
    return new Map(
      rows.map((row) => {
        const unchanged = row.photo === null && known.find(({ stamp }) => stamp === row.stamp);
        return [row.id, { stamp: row.stamp, photo: unchanged ? this.touch(unchanged) : this.add(row) }];
      }),
    );
  }

  private find(customerId: Id, { id, stamp }: StampedId): PhotoWithTags | undefined {
    const entry = this.entryOf(customerId, id);
    return entry?.stamp === stamp ? this.touch(entry) : undefined;
  }

  private entryOf(customerId: Id, id: Id): Entry | undefined {
    const entry = this.entries.get(id);
    return entry?.photo.customerId === customerId ? entry : undefined;
  }

  /** Makes it the most recently used one, unless it was dropped or replaced. */
  private touch(entry: Entry): PhotoWithTags {
    const { photo } = entry;
    if (this.entries.get(photo.id) === entry) {
      this.entries.delete(photo.id);
      this.entries.set(photo.id, entry);
    }
    return photo;
  }

  private add({ id, stamp, photo: read }: StampedRow): PhotoWithTags {
    const text = read as string;
    const photo = frozen(taggedPhotoOf(JSON.parse(text) as JsonRow));
    const bytes = BYTES_PER_PHOTO + (BEYOND_LATIN_1.test(text) ? 6 : 3) * text.length;
    this.bytes += bytes - (this.entries.get(id)?.bytes ?? 0);
    this.entries.delete(id);
    this.entries.set(id, { stamp, photo, bytes });
    for (const [oldest, entry] of this.entries) {
      if (this.bytes <= this.maxBytes) break;
      this.entries.delete(oldest);
      this.bytes -= entry.bytes;
    }
    return photo;
  }
}

/** A time that stays as it is: dates cannot be frozen. What would change it has no effect. */
class FixedDate extends Date {}

for (const name of Object.getOwnPropertyNames(Date.prototype).filter((each) => each.startsWith('set'))) {
  Object.defineProperty(FixedDate.prototype, name, { value: Date.prototype.getTime });
}

/** Freezes it deeply, in place. */
function frozen<T extends object>(value: T): T {
  for (const [name, each] of Object.entries(value)) {
    if (each instanceof Date) (value as Record<string, unknown>)[name] = new FixedDate(each);
    else if (typeof each === 'object' && each !== null) frozen(each);
  }
  return Object.freeze(value);
}

/** The things that the reads of all requests outside transactions share. */
export interface SharedReads {
  readonly cache: PhotoCache;
  /** Null if there is nothing to batch, because the reader has its connection already. */
  readonly together: PhotosReadTogether | null;
}

/** Reads of single photos: concurrent reads of one customer share one statement. */
export class PhotosReadTogether {
  readonly tagged: Batcher<Id, Id, PhotoWithTags | null>;
  readonly visible: Batcher<Id, Id, Photo | null>;

  constructor(dataSource: DataSource, cache: PhotoCache) {
    this.tagged = readBatcher((customerId, ids) =>
      withoutTransaction(dataSource, (manager) => cache.photos(manager, customerId, ids)),
    );
    this.visible = readBatcher((customerId, ids) =>
      withoutTransaction(dataSource, async (manager) => {
        const photos = await visiblePhotos(manager, customerId, ids);
        return new Map(photos.map((photo) => [photo.id, photo]));
      }),
    );
  }
}
