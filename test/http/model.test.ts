import fc from 'fast-check';
import { type PhotoSort, photoSorts } from '../../src/core/photos/photo-query.js';
import type { Answer } from './support/http-client.js';
import {
  endOf,
  files,
  LibraryModel,
  type ModelFilters,
  type ModelImport,
  type ModelItem,
} from './support/library-model.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** Programs of up to 40 steps, each on a customer of its own. A failure prints its seed and the shortest program that fails. */
const PROGRAMS = 60;
const STEPS = 40;
const NO_ID = 999_999;

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const now = () => app.clock.now().getTime();

/** One thing that a client does, and what it comes to in the model. `act` expects what it is answered. */
class Step implements fc.AsyncCommand<LibraryModel, Actor> {
  constructor(
    private readonly said: string,
    private readonly act: (model: LibraryModel, actor: Actor) => Promise<void>,
  ) {}

  check = () => true;

  async run(model: LibraryModel, actor: Actor): Promise<void> {
    app.clock.pass(1000);
    await this.act(model, actor);
  }

  toString = () => this.said;
}

function step<Values>(
  name: string,
  values: { [Name in keyof Values]: fc.Arbitrary<Values[Name]> },
  act: (model: LibraryModel, actor: Actor, values: Values) => Promise<void>,
): fc.Arbitrary<Step> {
  return fc
    .record<Values>(values)
    .map((each) => new Step(`${name} ${JSON.stringify(each)}`, (model, actor) => act(model, actor, each as Values)));
}

const nth = fc.nat(7);
const pick = <T>(all: readonly T[], at: number): T | undefined => all[at % Math.max(1, all.length)];
const code = ({ status, text }: Answer) => (status < 400 ? status : `${status} ${JSON.parse(text).error.code}`);
const names = fc.constantFrom('Zoo', 'zoo', 'ant', 'Ärger', 'bee');

const createTag = step('create tag', { name: names }, async (model, actor, { name }) => {
  const answer = await actor.post('/tags', { name });
  const taken = model.tagNamed(name);
  if (taken === undefined) {
    expect(code(answer)).toBe(201);
    model.tags.set(answer.body.id, name);
    model.tagIds.push(answer.body.id);
  } else {
    expect([code(answer), answer.body.error?.details.tagId]).toEqual(['409 tag_name_taken', taken]);
  }
});

const deleteTag = step('delete tag', { at: nth }, async (model, actor, { at }) => {
  const id = pick(model.tagIds, at) ?? NO_ID;
  expect(code(await actor.delete(`/tags/${id}`))).toBe(model.tags.has(id) ? 204 : '404 not_found');
  model.deleteTag(id, now());
});

const ofTags = { tags: fc.array(nth, { maxLength: 2 }) };
type OfTags = { tags: number[] };
async function openOne(model: LibraryModel, actor: Actor, { tags }: OfTags): Promise<void> {
  const tagIds = new Set(tags.flatMap((at) => pick(model.tagIds, at) ?? []));
  const answer = await actor.post('/imports', { tagIds: [...tagIds] });
  const known = [...tagIds].every((id) => model.tags.has(id));
  expect(code(answer)).toBe(known ? 201 : '400 invalid_request');
  if (known) model.imports.push({ id: answer.body.id, tagIds, items: [], status: 'open' });
}

const sent = fc.record({ file: fc.nat(files.length - 1), copy: fc.nat(1) });
const ofFiles = {
  at: nth,
  all: fc.uniqueArray(sent, { minLength: 1, maxLength: 4, selector: ({ file, copy }) => `${file}/${copy}` }),
};
type OfFiles = { at: number; all: { file: number; copy: number }[] };
async function register(model: LibraryModel, actor: Actor, { at, all }: OfFiles): Promise<void> {
  const subject = pick(model.imports, at);
  const photos = all.map(({ file, copy }) => {
    const { filename, bytes, sha256 } = fileAt(file);
    return { filename, sha256, sizeBytes: bytes.length, clientRef: `${file}/${copy}` };
  });
  const answer = await actor.post(`/imports/${subject?.id ?? NO_ID}/photos`, { photos });
  if (subject?.status !== 'open') {
    expect(code(answer)).toBe(subject ? '409 import_not_open' : '404 not_found');
    return;
  }
  let isNew = false;
  for (const [index, { clientRef }] of photos.entries()) {
    const { outcome, photo } = answer.body.data[index];
    const known = subject.items.find((item) => item.clientRef === clientRef);
    if (known?.status === 'failed') Object.assign(known, { status: 'awaiting_upload', error: null, source: null });
    const file = fileAt(all[index]?.file ?? 0);
    const item = known ?? {
      id: photo.id,
      clientRef,
      file,
      error: null,
      upload: null,
      ...model.placeOf(subject, file),
    };
    if (!known) subject.items.push(item);
    expect([outcome, photo.id, photo.status]).toEqual([
      known ? 'existing' : item.status === 'duplicate' ? 'duplicate' : 'created',
      item.id,
      item.status,
    ]);
    if (photo.upload) item.upload = photo.upload;
    isNew ||= !known;
  }
  expect(answer.status).toBe(isNew ? 201 : 200);
}

const ofUploads = { at: nth, many: fc.integer({ min: 1, max: 4 }) };
type OfUploads = { at: number; many: number };
async function upload(model: LibraryModel, { at, many }: OfUploads): Promise<void> {
  const waiting = model.imports.flatMap(({ items }) => items.filter(({ status }) => status === 'awaiting_upload'));
  for (const item of waiting.slice(at % Math.max(1, waiting.length)).slice(0, many)) {
    if (item.upload === null) throw new Error('an item waits without a target');
    const { pathname } = new URL(item.upload.url);
    const put = { method: 'PUT', path: pathname, headers: item.upload.headers, body: item.file.bytes };
    expect(code(await app.send(put))).toBe(204);
    item.status = 'processing';
    expect(code(await app.send(put))).toBe(204);
  }
}

const cancelItem = step('cancel item', { at: nth, item: nth }, async (model, actor, { at, item: which }) => {
  const subject = pick(model.imports, at);
  const item = pick(subject?.items ?? [], which);
  const path = `/imports/${subject?.id ?? NO_ID}/photos/${item?.id ?? NO_ID}`;
  const answer = await actor.patch(path, { status: 'cancelled' });
  if (!subject || !item) {
    expect(code(answer)).toBe('404 not_found');
    return;
  }
  if (subject.status !== 'open') {
    expect(code(answer)).toBe('409 import_not_open');
    return;
  }
  expect([code(answer), answer.body.status]).toEqual([200, 'cancelled']);
  if (item.status === 'cancelled') return;
  item.status = 'cancelled';
  model.failDependants(subject, item);
});

const how = {
  at: nth,
  action: fc.constantFrom('commit', 'commit', 'commit', 'discard'),
  missing: fc.constantFrom('reject', 'fail'),
};
type How = { at: number; action: string; missing: string };
async function finalize(model: LibraryModel, actor: Actor, { at, action, missing }: How): Promise<void> {
  const subject = pick(model.imports, at);
  const answer = await actor.post(`/imports/${subject?.id ?? NO_ID}/finalize`, { action, missingUploads: missing });
  if (!subject) {
    expect(code(answer)).toBe('404 not_found');
    return;
  }
  expect(code(answer)).toBe(finalized(model, subject, action, missing));
  if (answer.status < 300) expect(answer.body.status).toBe(subject.status);
}

function finalized(model: LibraryModel, subject: ModelImport, action: string, missing: string): number | string {
  const { items, status } = subject;
  if (status !== 'open') {
    if ((action === 'discard') !== (status === 'cancelled')) return '409 import_not_open';
    return status === 'processing' ? 202 : 200;
  }
  if (action === 'discard') {
    for (const item of items) item.status = 'cancelled';
    subject.status = 'cancelled';
    return 200;
  }
  const waiting = items.filter((item) => item.status === 'awaiting_upload');
  if (waiting.length > 0 && missing === 'reject') return '409 uploads_incomplete';
  for (const item of waiting) model.fail(subject, item, 'upload_missing');
  const left = items.some((item) => ['processing', 'ready', 'duplicate'].includes(item.status));
  subject.status = left ? 'processing' : endOf(subject);
  return left ? 202 : 200;
}

async function work(model: LibraryModel, actor: Actor): Promise<void> {
  await app.work();
  const shown = new Map<number, ModelItem['status']>();
  for (const { id } of model.imports) {
    for (const item of (await actor.get(`/imports/${id}?include=photos&limit=100`)).body.photos.data) {
      shown.set(item.id, item.status);
    }
  }
  model.work(now(), ({ id }) => shown.get(id) ?? 'failed');
}

/** An import as most are: without it few programs would get as far as a photo. */
const bring = step(
  'bring',
  { ...ofTags, ...ofFiles, worked: fc.boolean() },
  async (model, actor, { worked, ...of }) => {
    await openOne(model, actor, of);
    const at = model.imports.length - 1;
    await register(model, actor, { ...of, at });
    await upload(model, { at: 0, many: 1000 });
    await finalize(model, actor, { at, action: 'commit', missing: 'fail' });
    if (worked) await work(model, actor);
  },
);

const patches = fc.record(
  {
    title: fc.constantFrom('one', 'two', null),
    rating: fc.constantFrom(0, 3, 5, null),
    filename: fc.constantFrom('c.jpg', 'C.jpg', 'é.jpg'),
    trashed: fc.constant(false),
  },
  { requiredKeys: [] },
);
const editPhoto = step('edit photo', { at: nth, patch: patches }, async (model, actor, { at, patch }) => {
  const id = pick(model.photoIds, at) ?? NO_ID;
  const photo = model.photos.get(id);
  const answer = await actor.patch(`/photos/${id}`, patch);
  if (!photo || (photo.trashed && patch.trashed === undefined)) return expect(code(answer)).toBe('404 not_found');
  const differs = Object.entries(patch).some(([name, value]) => photo[name as keyof typeof patch] !== value);
  if (differs) model.change(photo, now(), patch as Partial<typeof photo>);
  expect([code(answer), answer.body.version, answer.body.trashedAt]).toEqual([200, photo.version, null]);
});

const setTags = step(
  'set tags',
  { at: nth, tags: fc.array(nth, { maxLength: 3 }), name: fc.option(names) },
  async (model, actor, { at, tags, name }) => {
    const id = pick(model.photoIds, at) ?? NO_ID;
    const photo = model.photos.get(id);
    const tagIds = [...new Set(tags.flatMap((each) => pick(model.tagIds, each) ?? []))];
    const answer = await actor.put(`/photos/${id}/tags`, { tagIds, ...(name !== null && { tagNames: [name] }) });
    if (!photo || photo.trashed) return expect(code(answer)).toBe('404 not_found');
    if (!tagIds.every((each) => model.tags.has(each))) return expect(code(answer)).toBe('400 invalid_request');
    expect(code(answer)).toBe(200);
    const next = new Set(tagIds);
    if (name !== null) next.add(model.tagNamed(name) ?? created(model, answer, name));
    if (next.size !== photo.tagIds.size || [...next].some((each) => !photo.tagIds.has(each))) {
      model.change(photo, now(), { tagIds: next });
    }
    expect(answer.body.data.map((tag: { id: number }) => tag.id)).toEqual(model.tagsOf(photo).map((tag) => tag.id));
  },
);

function created(model: LibraryModel, answer: Answer, name: string): number {
  const { id } = answer.body.data.find((tag: { name: string }) => tag.name === name);
  model.tags.set(id, name);
  model.tagIds.push(id);
  return id;
}

const deletePhoto = step('delete photo', { at: nth, forever: fc.boolean() }, async (model, actor, { at, forever }) => {
  const id = pick(model.photoIds, at) ?? NO_ID;
  const photo = model.photos.get(id);
  const answer = await actor.delete(`/photos/${id}${forever ? '?permanent=true' : ''}`);
  expect(code(answer)).toBe(photo && (forever || !photo.trashed) ? 204 : '404 not_found');
  if (forever) model.photos.delete(id);
  else if (photo && !photo.trashed) model.change(photo, now(), { trashed: true });
});

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
  async (model, actor, { asked, sort, limit }) => {
    const tags = (all: number[]) => all.flatMap((at) => pick([...model.tags.keys()], at) ?? []);
    const importId = asked.importId === undefined ? undefined : pick(model.imports, asked.importId)?.id;
    const named = { tagIds: tags(asked.tagIds ?? []), excludeTagIds: tags(asked.excludeTagIds ?? []), importId };
    const sent = Object.entries({ ...asked, ...named }).filter(
      ([, value]) => value !== undefined && String(value) !== '',
    );
    const met = await pages(actor, sort, limit, sent.map(([name, value]) => `&${name}=${value}`).join(''));
    expect(met.map(({ id }) => id)).toEqual(model.list(Object.fromEntries(sent) as ModelFilters, sort));
  },
);

// biome-ignore lint/suspicious/noExplicitAny: photos are looked into field by field.
async function pages(actor: Actor, sort: PhotoSort, limit: number, query: string): Promise<any[]> {
  const met = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await actor.get(`/photos?sort=${sort}&limit=${limit}${query}${cursor && `&cursor=${cursor}`}`);
    expect(body.pagination.hasMore).toBe(body.pagination.nextCursor !== null);
    met.push(...body.data);
    cursor = body.pagination.nextCursor;
  }
  return met;
}

/** Everything that the API shows is as the model has it. */
async function compare(model: LibraryModel, actor: Actor): Promise<void> {
  const photos = (await actor.get('/photos?trashed=any&sort=id&limit=100')).body.data;
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
  const counted = (id: number) => [...model.photos.values()].filter((photo) => !photo.trashed && photo.tagIds.has(id));
  const tags = (await actor.get('/tags?sort=id&limit=100')).body.data;
  expect(tags.map(({ id, name, photoCount }: Record<string, unknown>) => [id, name, photoCount])).toEqual(
    [...model.tags].sort(([a], [b]) => a - b).map(([id, name]) => [id, name, counted(id).length]),
  );
  for (const subject of model.imports) {
    const shown = (await actor.get(`/imports/${subject.id}?include=photos&limit=100`)).body;
    expect([shown.status, shown.tags]).toEqual([subject.status, model.tagsOf(subject)]);
    expect(shown.photos.data.map(itemFields)).toEqual(
      [...subject.items].sort((a, b) => a.id - b.id).map((item) => ({ ...itemFields(item), error: item.error })),
    );
  }
  const { usage } = (await actor.get('/customer')).body;
  const trashed = [...model.photos.values()].filter((photo) => photo.trashed).length;
  const openImports = model.imports.filter(({ status }) => status === 'open').length;
  expect(usage).toMatchObject({
    photos: model.photos.size - trashed,
    trashedPhotos: trashed,
    tags: model.tags.size,
    openImports,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: a photo as shown, or as the model has it.
const photoFields = ({ id, filename, title, rating, importId, version, sha256, tags, trashedAt, updatedAt }: any) => {
  return { id, filename, title, rating, importId, version, sha256, tags, trashed: Boolean(trashedAt), updatedAt };
};

// biome-ignore lint/suspicious/noExplicitAny: an item as shown, or as the model has it.
const itemFields = ({ id, clientRef, status, photoId, error }: any) => {
  return { id, clientRef, status, photoId: status === 'cancelled' ? null : photoId, error: error?.code ?? null };
};

function fileAt(at: number) {
  const file = files[at];
  if (file === undefined) throw new Error(`no file ${at}`);
  return file;
}

test('whatever clients do one after another, the API does what its model does', async () => {
  const imports = [
    step('open import', ofTags, openOne),
    step('register', ofFiles, register),
    step('upload', ofUploads, (model, _, uploads) => upload(model, uploads)),
    cancelItem,
    step('finalize', how, finalize),
    step('work', {}, work),
  ];
  const often = [bring, bring, editPhoto, deletePhoto, walk];
  const all = [...imports, ...often, createTag, deleteTag, editPhoto, setTags, deletePhoto, walk];
  const programs = fc.commands(all, { maxCommands: STEPS, size: 'max' });
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const actor = await (await app.customer()).withKey({ readLimit: 100_000, writeLimit: 100_000 });
      const model = new LibraryModel();
      await fc.asyncModelRun(() => ({ model, real: actor }), program);
      await compare(model, actor);
    }),
    { numRuns: PROGRAMS },
  );
}, 240_000);
