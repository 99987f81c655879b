import type { Id } from './ids.js';
import type { Page } from './pagination.js';

/** All entries of a list, read page by page as they are consumed: only one page is in memory. */
export async function* everyPage<T>(read: (cursor: string | null) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read(cursor);
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** All rows by ascending id, in batches of this size: `read` returns those after an id. A shorter batch is the last one. */
export async function* everyBatch<T extends { readonly id: Id }>(
  size: number,
  read: (after: Id | null) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  for (let after: Id | null = null; ; ) {
    const batch: readonly T[] = await read(after);
    if (batch.length > 0) yield batch;
    after = batch.at(-1)?.id ?? null;
    if (batch.length < size) return;
  }
}
