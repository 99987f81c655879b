import type { Page } from '../../core/shared/pagination.js';
import { JsonText } from './reply.js';

/** The envelope of every list. */
export function listView<T, View>({ data, nextCursor }: Page<T>, view: (item: T) => View) {
  return { data: data.map(view), pagination: { nextCursor, hasMore: nextCursor !== null } };
}

/** The same envelope around items that are JSON already. */
export function jsonListView({ data, nextCursor }: Page<string>): JsonText {
  const pagination = JSON.stringify({ nextCursor, hasMore: nextCursor !== null });
  return new JsonText(`{"data":[${data.join(',')}],"pagination":${pagination}}`);
}
