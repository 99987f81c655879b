import fc from 'fast-check';
import type { Answer } from '../http-client.js';
import type { LibraryModel, ModelTools } from './library-model.js';
import { code, nth, pickPhotos, pickTag, pickTags, step } from './model-step.js';

export const names = fc.constantFrom('Zoo', 'zoo', 'ant', 'Ärger', 'bee');

/** A tag that an answer shows and that was not there before. */
export function created(model: LibraryModel, answer: Answer, name: string): number {
  const { id } = answer.body.data.find((tag: { name: string }) => tag.name === name);
  model.addTag(id, name);
  return id;
}

const createTag = step('create tag', { name: names }, async (model, client, { name }) => {
  const answer = await client.post('/tags', { name });
  const taken = model.tagNamed(name);
  if (taken === undefined) {
    expect(code(answer)).toBe(201);
    model.addTag(answer.body.id, name);
  } else {
    expect([code(answer), answer.body.error?.details.tagId]).toEqual(['409 tag_name_taken', taken]);
  }
});

const renameTag = step('rename tag', { at: nth, name: names }, async (model, client, { at, name }) => {
  const id = pickTag(model, at);
  const answer = await client.patch(`/tags/${id}`, { name });
  const taken = model.tagNamed(name) ?? id;
  if (!model.tags.has(id)) return expect(code(answer)).toBe('404 not_found');
  if (taken !== id) return expect(code(answer)).toBe('409 tag_name_taken');
  expect([code(answer), answer.body.name]).toEqual([200, name]);
  model.tags.set(id, name);
});

const deleteTag = step('delete tag', { at: nth }, async (model, client, { at }) => {
  const id = pickTag(model, at);
  expect(code(await client.delete(`/tags/${id}`))).toBe(model.tags.has(id) ? 204 : '404 not_found');
  model.deleteTag(id, client.now());
});

const some = fc.array(nth, { minLength: 1, maxLength: 2 });
const tools = fc.record({ add: some, remove: some, merge: some }, { requiredKeys: [] });

const useTools = step('use tools', { at: nth, tools }, async (model, client, { at, tools: { add, remove, merge } }) => {
  const id = pickTag(model, at);
  const addPhotoIds = add && pickPhotos(model, add);
  const removePhotoIds = remove && unless(pickPhotos(model, remove), addPhotoIds ?? []);
  const mergeTagIds = merge && unless(pickTags(model, merge), [id]);
  const said = { ...(add && { addPhotoIds }), ...(remove && { removePhotoIds }), ...(merge && { mergeTagIds }) };
  const answer = await client.patch(`/tags/${id}`, said);
  const refused = refusal(model, id, said);
  expect(code(answer)).toBe(refused ?? 200);
  if (refused !== null || Object.keys(said).length === 0) return;
  expect(answer.body.changes).toEqual(model.useTools(id, said, client.now()));
});

/** Without those that would make a conflict, as long as others are left. */
function unless(ids: readonly number[], conflicting: readonly number[]): number[] {
  const others = ids.filter((id) => !conflicting.includes(id));
  return others.length > 0 ? others : [...ids];
}

function refusal(model: LibraryModel, id: number, tools: ModelTools): string | null {
  const { addPhotoIds = [], removePhotoIds = [], mergeTagIds = [] } = tools;
  const conflict = mergeTagIds.includes(id) || addPhotoIds.some((photoId) => removePhotoIds.includes(photoId));
  if (conflict) return '400 invalid_request';
  if (!model.tags.has(id)) return '404 not_found';
  return mergeTagIds.every((tag) => model.tags.has(tag)) ? null : '400 invalid_request';
}

export const tagSteps = [createTag, renameTag, deleteTag, useTools, useTools];
