import type { PhotoPatch, PhotoService, TagChanges } from 'photo-service-sdk';
import { UsageError } from '../exit-codes.js';
import { photoChanges } from './api-schemas.js';
import { importTool } from './import-tool.js';
import { defineTool, schemaOf, type Tool } from './tool.js';

/** The number of photos that the API changes by one write. */
const MAX_PHOTOS = 100;
/** Each costs a write of its own. */
const MAX_TAGS = 10;

const ids = { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 1, maxItems: MAX_PHOTOS };
const tagNames = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, maxItems: MAX_TAGS };

const editPhotos = defineTool<{ readonly ids: number[]; readonly changes: PhotoPatch }>({
  name: 'edit_photos',
  title: 'Edit photos',
  description:
    'Gives the same values to all of these photos. Fields that are not named keep theirs; null clears. `shiftTakenAt` moves each photo from its own time: a second call moves it again.',
  scopes: ['photos:write'],
  effect: 'destroys',
  addsUp: true,
  input: schemaOf(
    { ids, changes: { type: 'object', properties: photoChanges, minProperties: 1, additionalProperties: false } },
    ['ids', 'changes'],
  ),
  run: ({ client, signal }, { ids, changes }) => edited(client, ids, changes, signal),
});

const restorePhotos = defineTool<{ readonly ids: number[] }>({
  name: 'restore_photos',
  title: 'Restore photos',
  description: 'Brings photos back from the trash.',
  scopes: ['photos:write'],
  effect: 'adds',
  input: schemaOf({ ids }, ['ids']),
  run: ({ client, signal }, { ids }) => edited(client, ids, { trashed: false }, signal),
});

async function edited(client: PhotoService, ids: readonly number[], changes: PhotoPatch, signal: AbortSignal) {
  const edits = await client.photos.updateMany(ids, changes, { signal });
  return { data: { photos: edits.map(({ id, outcome, error }) => ({ id, outcome, error })) } };
}

const trashPhotos = defineTool<{ readonly ids: number[] }>({
  name: 'trash_photos',
  title: 'Move photos to the trash',
  description:
    'Moves photos to the trash, from where `restore_photos` brings them back for 30 days. Nothing is deleted permanently.',
  scopes: ['photos:delete'],
  effect: 'destroys',
  input: schemaOf({ ids }, ['ids']),
  async run({ client, signal }, { ids }) {
    return { data: { photos: await client.photos.deleteMany(ids, { signal }) } };
  },
});

const tagPhotos = defineTool<{ readonly ids: number[]; readonly add?: string[]; readonly remove?: string[] }>({
  name: 'tag_photos',
  title: 'Tag photos',
  description: 'Adds tags to photos, and removes others from them. Tags that do not exist are created.',
  scopes: ['tags:read', 'tags:write', 'photos:write'],
  effect: 'destroys',
  input: schemaOf({ ids, add: tagNames, remove: tagNames }, ['ids']),
  async run({ client, signal }, { ids, add = [], remove = [] }) {
    if (add.length + remove.length === 0) throw new UsageError('Name at least one tag to add or to remove.');
    const changes: { readonly tag: string; readonly changes: TagChanges | null }[] = [];
    for (const tag of add) {
      const { id } = await client.tags.create({ name: tag }, { ifExists: 'return', signal });
      changes.push({ tag, changes: await client.tags.attach(id, ids, { signal }) });
    }
    for (const tag of remove) {
      const known = await client.tags.named(tag, { signal });
      changes.push({ tag, changes: known && (await client.tags.detach(known.id, ids, { signal })) });
    }
    return { data: { tags: changes } };
  },
});

/** The tools that `--write` adds. Nothing here deletes for good. */
export const writeTools: readonly Tool[] = [importTool, editPhotos, tagPhotos, trashPhotos, restorePhotos];
