import { hash } from 'node:crypto';
import { type Clock, DAY } from './clock.js';
import { DomainError } from './errors.js';
import type { Id } from './ids.js';
import { readToken, type Secrets, signToken } from './secrets.js';
import { canonical } from './text.js';

export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 100;

/** A position in a total order: the sort value of a row (null sorts last in both directions) and its id. */
export interface Position {
  readonly value: string | number | null;
  readonly id: Id;
}

/** A repository's parameters for a page: rows strictly after `after`, at most `limit`. */
export interface PageWindow {
  readonly after: Position | null;
  readonly limit: number;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number;
  readonly cursor: string | null;
}

/** The identity of a list in its cursors. Everything here must be repeated with the cursor. */
export interface Listing<T> {
  readonly customerId: Id;
  /** `photos`, `tags`, `imports/7/photos` … */
  readonly list: string;
  readonly sort: string;
  readonly filters: unknown;
  position(row: T): Position;
  rows(window: PageWindow): Promise<readonly T[]>;
  /** Only called for cursors over 24 hours old: is the row that the cursor was taken from still at this position? */
  hasRowAt(position: Position): Promise<boolean>;
}

/** Returns what a list by id needs: ids never change, so such a list does not shift. */
export function orderById<T extends { readonly id: Id }>(): Pick<Listing<T>, 'position' | 'hasRowAt'> {
  return { position: ({ id }) => ({ value: id, id }), hasRowAt: async () => true };
}

/** A page of a list by id: rows after this one; null: from the first. */
export function windowAfter(id: Id | null, limit: number): PageWindow {
  return { after: id === null ? null : { value: id, id }, limit };
}

interface CursorPayload {
  readonly v: 1;
  readonly c: Id;
  readonly e: string;
  readonly s: string;
  readonly f: string;
  readonly k: string | number | null;
  readonly i: Id;
  readonly t: number;
}

/** One page of a listing. Errors: `invalid_cursor`. */
export async function readPage<T>(
  uses: { secrets: Secrets; clock: Clock },
  listing: Listing<T>,
  request: PageRequest,
): Promise<Page<T>> {
  const after = request.cursor === null ? null : await resume(uses, listing, request.cursor);
  const rows = await listing.rows({ after, limit: request.limit + 1 });
  const data = rows.slice(0, request.limit);
  const last = data.at(-1);
  if (rows.length <= request.limit || last === undefined) return { data, nextCursor: null };
  const { value, id } = listing.position(last);
  const payload: CursorPayload = {
    v: 1,
    c: listing.customerId,
    e: listing.list,
    s: listing.sort,
    f: fingerprint(listing.filters),
    k: value,
    i: id,
    t: uses.clock.now().getTime(),
  };
  return { data, nextCursor: signToken(uses.secrets, 'cursor', payload) };
}

async function resume<T>(
  uses: { secrets: Secrets; clock: Clock },
  listing: Listing<T>,
  cursor: string,
): Promise<Position> {
  const bound = readToken(uses.secrets, 'cursor', cursor) as CursorPayload | null;
  if (
    bound?.v !== 1 ||
    bound.c !== listing.customerId ||
    bound.e !== listing.list ||
    bound.s !== listing.sort ||
    bound.f !== fingerprint(listing.filters)
  ) {
    const message =
      'This cursor does not belong to this list. Send the same sort order and filters, or start again without a cursor.';
    throw new DomainError('invalid_cursor', message);
  }
  const position = { value: bound.k, id: bound.i };
  if (uses.clock.now().getTime() - bound.t > DAY && !(await listing.hasRowAt(position))) {
    const message = 'This cursor is older than 24 hours and the list has changed. Start again without a cursor.';
    throw new DomainError('invalid_cursor', message);
  }
  return position;
}

/** Filters are compared by value. */
function fingerprint(filters: unknown): string {
  return hash('sha256', canonical(filters)).slice(0, 16);
}

/** All entries of a list, read page by page as they are consumed: only one page is in memory. */
export async function* everyPage<T>(read: (cursor: string | null) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read(cursor);
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** All rows, in batches of this size: `read` returns those after the last one of the batch before. A shorter batch is the last one. */
export async function* everyBatch<T>(
  size: number,
  read: (last: T | null) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let last: T | null = null; ; ) {
    const batch: readonly T[] = await read(last);
    if (batch.length > 0) yield batch;
    last = batch.at(-1) ?? null;
    if (batch.length < size) return;
  }
}

/** All rows, one by one, as `everyBatch` reads them, until the signal aborts. */
export async function* everyRow<T>(
  size: number,
  read: (last: T | null) => Promise<readonly T[]>,
  stopping?: AbortSignal,
): AsyncGenerator<T> {
  for await (const batch of everyBatch(size, read)) {
    for (const row of batch) {
      if (stopping?.aborted) return;
      yield row;
    }
  }
}
