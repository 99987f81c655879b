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
