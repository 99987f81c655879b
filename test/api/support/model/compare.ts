import type { LibraryModel } from './library-model.js';
import type { ModelClient } from './model-client.js';
import { used } from './registration-model.js';

/** Everything that the API shows is as the model has it. */
export async function compare(model: LibraryModel, client: ModelClient): Promise<void> {
  await comparePhotos(model, client);
  const counted = (id: number) => [...model.photos.values()].filter((photo) => !photo.trashed && photo.tagIds.has(id));
  const tags = (await client.get('/tags?sort=id&limit=100')).body.data;
  expect(tags.map(({ id, name, photoCount }: Record<string, unknown>) => [id, name, photoCount])).toEqual(
    [...model.tags].sort(([a], [b]) => a - b).map(([id, name]) => [id, name, counted(id).length]),
  );
  for (const subject of model.imports) {
    const shown = (await client.get(`/imports/${subject.id}?include=photos&limit=100`)).body;
    expect([shown.status, shown.tags]).toEqual([subject.status, model.tagsOf(subject)]);
    expect(shown.photos.data.map(itemFields)).toEqual(
      [...subject.items]
        .sort((a, b) => a.id - b.id)
        .map((item) => itemFields({ ...item, tags: model.tagsOf(item), error: item.error && { code: item.error } })),
    );
  }
  await compareUsage(model, client);
}

async function comparePhotos(model: LibraryModel, client: ModelClient): Promise<void> {
  const photos = (await client.get('/photos?trashed=any&sort=id&limit=100')).body.data;
  expect(photos.map(photoFields)).toEqual(
    model.list({ trashed: 'any' }, 'id').map((id) => {
      const photo = model.photos.get(id);
      return (
        photo && {
          ...photoFields(photo),
          sha256: photo.file.sha256,
          tags: model.tagsOf(photo),
          trashed: photo.trashed,
          updatedAt: new Date(photo.updatedAt).toISOString(),
        }
      );
    }),
  );
}

async function compareUsage(model: LibraryModel, client: ModelClient): Promise<void> {
  const { usage, limits } = (await client.get('/customer')).body;
  const photos = [...model.photos.values()];
  const bytes = (some: typeof photos) => some.reduce((sum, { file }) => sum + file.bytes.length, 0);
  const [shown, trashed] = [photos.filter((photo) => !photo.trashed), photos.filter((photo) => photo.trashed)];
  expect(usage).toEqual({
    photos: shown.length,
    trashedPhotos: trashed.length,
    storageBytes: bytes(shown),
    trashedBytes: bytes(trashed),
    tags: model.tags.size,
    openImports: model.imports.filter(({ status }) => status === 'open').length,
    renditionBytes: 0,
  });
  expect(limits).toMatchObject(model.quota);
  const all = used(model);
  for (const quota of ['photos', 'storageBytes'] as const) {
    expect(all[quota]).toBeLessThanOrEqual(model.quota[quota] ?? Number.POSITIVE_INFINITY);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a photo as shown, or as the model has it.
const photoFields = ({ id, filename, title, rating, importId, version, sha256, tags, trashedAt, updatedAt }: any) => {
  return { id, filename, title, rating, importId, version, sha256, tags, trashed: Boolean(trashedAt), updatedAt };
};

// biome-ignore lint/suspicious/noExplicitAny: an item as shown, or as the model has it.
const itemFields = ({ id, clientRef, status, photoId, restored, tags, error }: any) => {
  const known = status === 'cancelled' ? null : photoId;
  return { id, clientRef, status, photoId: known, restored, tags, error: error?.code ?? null };
};
