import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Page, type PageRequest, type PageWindow, type Position, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import { foldKey } from '../shared/text.js';
import type { Readable } from '../shared/transactional.js';
import { type Tag, type TagFilters, type TagSort, tagPosition } from './tag.js';

/** Errors: `not_found`. */
export function readTag({ store }: TagReading, caller: Pick<Caller, 'customerId'>, id: Id): Promise<Tag> {
  return store.query(caller.customerId, async (reader) => requireFound(await reader.tags.get(id), 'tag'));
}

type TagReading = { store: Readable<'tags'> };

/** The tags of these ids that exist. */
export function readTags(
  { store }: TagReading,
  caller: Pick<Caller, 'customerId'>,
  ids: readonly Id[],
): Promise<readonly Tag[]> {
  return store.query(caller.customerId, ({ tags }) => tags.getMany(ids));
}

/** The tag of this name, in any letter case; null if there is none. */
export async function findTagNamed(
  { store }: TagReading,
  caller: Pick<Caller, 'customerId'>,
  name: string,
): Promise<Tag | null> {
  const [found = null] = await store.query(caller.customerId, ({ tags }) => tags.findByNameKeys([foldKey(name)]));
  return found;
}

export interface TagListRequest extends PageRequest {
  readonly filters: TagFilters;
  readonly sort: TagSort;
}

/** Errors: `invalid_cursor`. */
export function listTags(
  { store, secrets, clock }: { store: Readable<'tags'>; secrets: Secrets; clock: Clock },
  { customerId }: Caller,
  { filters, sort, ...request }: TagListRequest,
): Promise<Page<Tag>> {
  return store.query(customerId, (reader) => {
    const listing = {
      customerId,
      list: 'tags',
      sort,
      filters,
      position: (tag: Tag) => tagPosition(tag, sort),
      rows: (window: PageWindow) => reader.tags.list({ filters, sort, window }),
      // Ids never change, so a list sorted by them does not shift.
      hasRowAt: async (position: Position) =>
        sort.endsWith('id') || (await reader.tags.hasRowAt(filters, sort, position)),
    };
    return readPage({ secrets, clock }, listing, request);
  });
}
