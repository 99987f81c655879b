import type { Page } from './pagination.js';

/** Everything that a list has, page by page as it is asked for: never more than one page is held. */
export async function* everyPage<T>(read: (cursor: string | null) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read(cursor);
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
