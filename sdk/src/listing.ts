import { PhotoServiceError } from './errors.js';

/** One page, as returned by every list endpoint. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

/**
 * A list that is read page by page while it is walked:
 *
 *     for await (const photo of client.photos.list({ minRating: 4 })) …
 *
 * Each walk begins anew and costs one read for each page (`limit` items, 50 unless told otherwise, 100 at most).
 */
export class Listing<T> implements AsyncIterable<T> {
  constructor(private readonly read: (cursor: string | null) => Promise<Page<T>>) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /**
   * The pages, one read each.
   * @param cursor Where to begin: a `pagination.nextCursor` of the same list, kept for up to 24 hours and longer.
   */
  async *pages(cursor: string | null = null): AsyncGenerator<Page<T>, void, undefined> {
    const seen = new Set<string>();
    for (let next = cursor; ; ) {
      const page = await this.read(next);
      yield page;
      next = page.pagination.nextCursor;
      if (next === null) return;
      if (seen.has(next)) throw new PhotoServiceError('The list returned a cursor that was used before.');
      seen.add(next);
    }
  }

  /** One page: the first one, or the one that another page's cursor refers to. */
  page(cursor: string | null = null): Promise<Page<T>> {
    return this.read(cursor);
  }

  /** Everything, in memory. */
  async toArray(): Promise<T[]> {
    const all: T[] = [];
    for await (const item of this) all.push(item);
    return all;
  }
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Lists of at most `size`, in order: as many as one call takes. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
