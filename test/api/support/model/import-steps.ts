import fc from 'fast-check';
import type { LibraryModel, ModelImport } from './library-model.js';
import type { ModelClient } from './model-client.js';
import { fileAt, files } from './model-files.js';
import { type Act, type Arbitraries, code, NO_ID, nth, pick, pickTags, step } from './model-step.js';
import { failDependants, finalized, type Seen, work as worked } from './publishing-model.js';
import { type Announced, registered } from './registration-model.js';

const someTags = fc.array(nth, { maxLength: 2 });

interface Opening {
  readonly tags: number[];
  readonly duplicatePolicy: ModelImport['duplicatePolicy'];
  readonly restoreTrashed: boolean;
}

const openings: Arbitraries<Opening> = {
  tags: someTags,
  duplicatePolicy: fc.constantFrom('skip', 'skip', 'allow'),
  restoreTrashed: fc.constantFrom(true, true, false),
};

const open: Act<Opening> = async (model, client, { tags, duplicatePolicy, restoreTrashed }) => {
  const how = { duplicatePolicy, restoreTrashed };
  const tagIds = pickTags(model, tags);
  const answer = await client.post('/imports', { tagIds, ...how });
  const known = tagIds.every((id) => model.tags.has(id));
  expect(code(answer)).toBe(known ? 201 : '400 invalid_request');
  if (known) model.imports.push({ id: answer.body.id, tagIds: new Set(tagIds), ...how, items: [], status: 'open' });
};

interface Registering {
  readonly at: number;
  readonly all: { file: number; copy: number; tags: number[] }[];
}

const announced = fc.record({
  file: fc.nat(files.length - 1),
  copy: fc.nat(1),
  tags: fc.oneof({ weight: 2, arbitrary: fc.constant<number[]>([]) }, { weight: 1, arbitrary: someTags }),
});
const registrations: Arbitraries<Registering> = {
  at: nth,
  all: fc.uniqueArray(announced, { minLength: 1, maxLength: 4, selector: ({ file, copy }) => `${file}/${copy}` }),
};

const register: Act<Registering> = async (model, client, { at, all }) => {
  const subject = pick(model.imports, at);
  const said = all.map(({ file, copy, tags }): Announced => {
    return { file: fileAt(file), clientRef: `${file}/${copy}`, tagIds: pickTags(model, tags) };
  });
  const photos = said.map(({ file: { filename, bytes, sha256 }, clientRef, tagIds }) => {
    return { filename, sha256, sizeBytes: bytes.length, clientRef, tagIds };
  });
  const answer = await client.post(`/imports/${subject?.id ?? NO_ID}/photos`, { photos });
  if (subject?.status !== 'open') {
    expect(code(answer)).toBe(subject ? '409 import_not_open' : '404 not_found');
    return;
  }
  const { code: expected, results } = registered(model, subject, said);
  expect(code(answer)).toBe(expected);
  if (answer.status >= 300) return;
  for (const [index, { outcome, item, photoIds }] of results.entries()) {
    const { outcome: told, photo, error } = answer.body.data[index];
    expect([told, error?.code ?? null]).toEqual([outcome, item ? null : 'quota_exceeded']);
    if (item === null) continue;
    if (item.id === 0) item.id = photo.id;
    if (photoIds !== null) {
      expect(photoIds).toContain(photo.photoId);
      item.photoId = photo.photoId;
    }
    expect([photo.id, photo.status]).toEqual([item.id, item.status]);
    if (photo.upload) item.upload = photo.upload;
  }
};

interface Uploading {
  readonly at: number;
  readonly many: number;
}

const upload: Act<Uploading> = async (model, client, { at, many }) => {
  const waiting = model.imports.flatMap(({ items }) => items.filter(({ status }) => status === 'awaiting_upload'));
  for (const item of waiting.slice(at % Math.max(1, waiting.length)).slice(0, many)) {
    if (item.upload === null) throw new Error('an item waits without a target');
    const { pathname } = new URL(item.upload.url);
    const put = { method: 'PUT', path: pathname, headers: item.upload.headers, body: item.file.bytes };
    expect(code(await client.app.send(put))).toBe(204);
    item.status = 'processing';
    expect(code(await client.app.send(put))).toBe(204);
  }
};

const cancelItem = step('cancel item', { at: nth, item: nth }, async (model, client, { at, item: which }) => {
  const subject = pick(model.imports, at);
  const item = pick(subject?.items ?? [], which);
  const path = `/imports/${subject?.id ?? NO_ID}/photos/${item?.id ?? NO_ID}`;
  const answer = await client.patch(path, { status: 'cancelled' });
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
  failDependants(subject, item);
});

interface Finalizing {
  readonly at: number;
  readonly action: string;
  readonly missing: string;
}

const finalizations: Arbitraries<Finalizing> = {
  at: nth,
  action: fc.constantFrom('commit', 'commit', 'commit', 'discard'),
  missing: fc.constantFrom('reject', 'fail'),
};

const finalize: Act<Finalizing> = async (model, client, { at, action, missing }) => {
  const subject = pick(model.imports, at);
  const answer = await client.post(`/imports/${subject?.id ?? NO_ID}/finalize`, { action, missingUploads: missing });
  if (!subject) {
    expect(code(answer)).toBe('404 not_found');
    return;
  }
  expect(code(answer)).toBe(finalized(subject, action, missing));
  if (answer.status < 300) expect(answer.body.status).toBe(subject.status);
};

async function work(model: LibraryModel, client: ModelClient): Promise<void> {
  await client.app.work();
  const shown = new Map<number, Seen>();
  for (const { id } of model.imports) {
    for (const item of (await client.get(`/imports/${id}?include=photos&limit=100`)).body.photos.data) {
      shown.set(item.id, item);
    }
  }
  worked(model, client.now(), ({ id }) => shown.get(id) ?? { status: 'failed', photoId: null });
}

interface Bringing extends Opening, Registering {
  readonly until: 'inspected' | 'finalized' | 'published';
}

const bringings: Arbitraries<Bringing> = {
  ...openings,
  ...registrations,
  until: fc.constantFrom('inspected', 'finalized', 'published', 'published'),
};

/** An import as most are, left at one of its moments: without it few programs would get as far as a photo. */
const bring: Act<Bringing> = async (model, client, { until, ...of }) => {
  await open(model, client, of);
  const at = model.imports.length - 1;
  await register(model, client, { ...of, at });
  await upload(model, client, { at: 0, many: 1000 });
  if (until !== 'inspected') await finalize(model, client, { at, action: 'commit', missing: 'fail' });
  if (until !== 'finalized') await work(model, client);
};

/** What every program begins with: a photo of each picture, as far as the quota allows, the first of them with a tag of its own. */
export const bringFirst: Act<object> = (model, client) => {
  const all = [0, 1, 2, 3].map((file) => ({ file, copy: 0, tags: file === 0 ? [1] : [] }));
  return bring(model, client, {
    tags: [2],
    duplicatePolicy: 'skip',
    restoreTrashed: true,
    at: 0,
    all,
    until: 'published',
  });
};

export const importSteps = [
  step('open import', openings, open),
  step('register', registrations, register),
  step('upload', { at: nth, many: fc.integer({ min: 1, max: 4 }) }, upload),
  cancelItem,
  step('finalize', finalizations, finalize),
  step('work', {}, work),
  ...Array.from({ length: 3 }, () => step('bring', bringings, bring)),
];
