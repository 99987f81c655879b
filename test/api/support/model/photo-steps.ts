import fc from 'fast-check';
import { type PhotoSort, photoSorts } from '../../../../src/core/photos/photo-query.js';
import type { LibraryModel, ModelFilters, ModelPhoto } from './library-model.js';
import type { ModelClient } from './model-client.js';
import { code, NO_ID, nth, pick, pickPhoto, pickTags, step } from './model-step.js';
import { created, names } from './tag-steps.js';

const patches = fc.record(
  {
    title: fc.constantFrom('one', 'two', null),
    rating: fc.constantFrom(0, 3, 5, null),
    filename: fc.constantFrom('c.jpg', 'C.jpg', 'é.jpg'),
    trashed: fc.constant(false),
  },
  { requiredKeys: [] },
);
type Patch = Partial<Pick<ModelPhoto, 'title' | 'rating' | 'filename' | 'trashed'>>;

/** What a patch comes to for one photo. */
function edited(model: LibraryModel, id: number, patch: Patch, at: number): 'updated' | 'unchanged' | 'not_found' {
  const photo = model.photos.get(id);
  if (!photo || (photo.trashed && patch.trashed === undefined)) return 'not_found';
  if (Object.entries(patch).every(([name, value]) => photo[name as keyof Patch] === value)) return 'unchanged';
  model.change(photo, at, patch);
  return 'updated';
}

const editPhoto = step('edit photo', { at: nth, patch: patches }, async (model, client, { at, patch }) => {
  const id = pickPhoto(model, at);
  const answer = await client.patch(`/photos/${id}`, patch);
  if (edited(model, id, patch as Patch, client.now()) === 'not_found') {
    expect(code(answer)).toBe('404 not_found');
  } else {
    expect([code(answer), answer.body.version, answer.body.trashedAt]).toEqual([
      200,
      model.photos.get(id)?.version,
      null,
    ]);
  }
});

/** Two ids or more, some of them twice, some never there. */
const lists = fc.array(fc.oneof(nth, nth, fc.constant(null)), { minLength: 2, maxLength: 5 });
const idsOf = (model: LibraryModel, list: readonly (number | null)[]) =>
  list.map((at) => (at === null ? NO_ID : pickPhoto(model, at)));

const editPhotos = step('edit photos', { list: lists, patch: patches }, async (model, client, { list, patch }) => {
  const ids = idsOf(model, list);
  const answer = await client.patch(`/photos/${ids.join()}`, patch);
  const expected = [...new Set(ids)].map((id) => {
    const outcome = edited(model, id, patch as Patch, client.now());
    return { id, outcome, version: outcome === 'not_found' ? null : model.photos.get(id)?.version, error: null };
  });
  expect(code(answer)).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: an entry as answered.
  const told = ({ id, outcome, photo, error }: any) => ({ id, outcome, version: photo?.version ?? null, error });
  expect(answer.body.data.map(told)).toEqual(expected);
});

/** What a deletion comes to for one photo. */
function deleted(model: LibraryModel, id: number, forever: boolean, at: number): 'deleted' | 'not_found' {
  const photo = model.photos.get(id);
  if (!photo || (photo.trashed && !forever)) return 'not_found';
  if (forever) model.photos.delete(id);
  else model.change(photo, at, { trashed: true });
  return 'deleted';
}

const query = (forever: boolean) => (forever ? '?permanent=true' : '');

const deletePhoto = step('delete photo', { at: nth, forever: fc.boolean() }, async (model, client, { at, forever }) => {
  const id = pickPhoto(model, at);
  const answer = await client.delete(`/photos/${id}${query(forever)}`);
  expect(code(answer)).toBe(deleted(model, id, forever, client.now()) === 'deleted' ? 204 : '404 not_found');
});

const deletePhotos = step(
  'delete photos',
  { list: lists, forever: fc.boolean() },
  async (model, client, { list, forever }) => {
    const ids = idsOf(model, list);
    const answer = await client.delete(`/photos/${ids.join()}${query(forever)}`);
    const expected = [...new Set(ids)].map((id) => ({ id, outcome: deleted(model, id, forever, client.now()) }));
    expect([code(answer), answer.body.data]).toEqual([200, expected]);
  },
);

const setTags = step(
  'set tags',
  { at: nth, tags: fc.array(nth, { maxLength: 3 }), name: fc.option(names) },
  async (model, client, { at, tags, name }) => {
    const id = pickPhoto(model, at);
    const photo = model.photos.get(id);
    const tagIds = pickTags(model, tags);
    const answer = await client.put(`/photos/${id}/tags`, { tagIds, ...(name !== null && { tagNames: [name] }) });
    if (!photo || photo.trashed) return expect(code(answer)).toBe('404 not_found');
    if (!tagIds.every((each) => model.tags.has(each))) return expect(code(answer)).toBe('400 invalid_request');
    expect(code(answer)).toBe(200);
    const next = new Set(tagIds);
    if (name !== null) next.add(model.tagNamed(name) ?? created(model, answer, name));
    if (next.size !== photo.tagIds.size || [...next].some((each) => !photo.tagIds.has(each))) {
      model.change(photo, client.now(), { tagIds: next });
    }
    expect(answer.body.data.map((tag: { id: number }) => tag.id)).toEqual(model.tagsOf(photo).map((tag) => tag.id));
  },
);

const filters = fc.record(
  {
    tagIds: fc.array(nth, { minLength: 1, maxLength: 2 }),
    excludeTagIds: fc.array(nth, { minLength: 1, maxLength: 2 }),
    untagged: fc.boolean(),
    minRating: fc.constantFrom(0, 3, 4),
    filename: fc.constantFrom('C.JPG', 'a.jpg', 'SS.JPG'),
    importId: nth,
    trashed: fc.constantFrom('true', 'any'),
  },
  { requiredKeys: [] },
);

const walk = step(
  'walk',
  { asked: filters, sort: fc.constantFrom(...photoSorts), limit: fc.integer({ min: 1, max: 4 }) },
  async (model, client, { asked, sort, limit }) => {
    const tags = (all: number[]) => all.flatMap((at) => pick([...model.tags.keys()], at) ?? []);
    const importId = asked.importId === undefined ? undefined : pick(model.imports, asked.importId)?.id;
    const named = { tagIds: tags(asked.tagIds ?? []), excludeTagIds: tags(asked.excludeTagIds ?? []), importId };
    const sent = Object.entries({ ...asked, ...named }).filter(
      ([, value]) => value !== undefined && String(value) !== '',
    );
    const met = await pages(client, sort, limit, sent.map(([name, value]) => `&${name}=${value}`).join(''));
    expect(met.map(({ id }) => id)).toEqual(model.list(Object.fromEntries(sent) as ModelFilters, sort));
  },
);

// biome-ignore lint/suspicious/noExplicitAny: photos are looked into field by field.
async function pages(client: ModelClient, sort: PhotoSort, limit: number, query: string): Promise<any[]> {
  const met = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await client.get(`/photos?sort=${sort}&limit=${limit}${query}${cursor && `&cursor=${cursor}`}`);
    expect(body.pagination.hasMore).toBe(body.pagination.nextCursor !== null);
    met.push(...body.data);
    cursor = body.pagination.nextCursor;
  }
  return met;
}

export const photoSteps = [
  editPhoto,
  editPhoto,
  editPhotos,
  deletePhoto,
  deletePhoto,
  deletePhotos,
  setTags,
  setTags,
  walk,
  walk,
];
