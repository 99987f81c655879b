import type { ApiKey } from '../access/api-key.js';
import type { KeyStore } from '../access/key-store.js';
import { type Event, isDeletion, subjectKind } from '../events/event.js';
import { type ImportDetails, importDetailsOf } from '../imports/import-details.js';
import type { PhotoWithTags } from '../photos/photo.js';
import type { Id } from '../shared/ids.js';
import type { Readable, Reader } from '../shared/transactional.js';
import type { Tag } from '../tags/tag.js';

/** The resource that an event is about, in its current state. */
export type EventSubject =
  | { readonly kind: 'photo'; readonly photo: PhotoWithTags }
  | { readonly kind: 'tag'; readonly tag: Tag }
  | { readonly kind: 'import'; readonly import: ImportDetails }
  | { readonly kind: 'apiKey'; readonly apiKey: ApiKey };

/** Null when there is nothing to show: a test, a deletion, and a resource that has been deleted permanently since. */
export async function readSubject(
  { store, keys }: { store: Readable<'photos' | 'tags' | 'imports'>; keys: KeyStore },
  { type, subjectId: id, customerId }: Event,
): Promise<EventSubject | null> {
  const kind = subjectKind(type);
  if (kind === null || id === null || isDeletion(type)) return null;
  if (kind !== 'apiKey') return store.query(customerId, (reader) => readers[kind](reader, id));
  const known = await keys.find(id);
  return known?.key.customerId === customerId ? { kind, apiKey: known.key } : null;
}

const readers = {
  async photo({ photos }: Reader<'photos'>, id: Id): Promise<EventSubject | null> {
    const photo = await photos.get(id);
    return photo && { kind: 'photo', photo };
  },
  async tag({ tags }: Reader<'tags'>, id: Id): Promise<EventSubject | null> {
    const tag = await tags.get(id);
    return tag && { kind: 'tag', tag };
  },
  async import({ imports, tags }: Reader<'imports' | 'tags'>, id: Id): Promise<EventSubject | null> {
    const subject = await imports.get(id);
    return subject && { kind: 'import', import: await importDetailsOf(tags, subject) };
  },
};
