import type { Page } from '../../core/shared/pagination.js';

/** The envelope of every list. */
export function listView<T, View>({ data, nextCursor }: Page<T>, view: (item: T) => View) {
  return { data: data.map(view), pagination: { nextCursor, hasMore: nextCursor !== null } };
}
