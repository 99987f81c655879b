import { endpoints } from './support/endpoints.js';
import type { Answer, RequestParts } from './support/http-client.js';
import { importPhotos, multipart, picture, postFiles, sha256 } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** What a request can name of somebody else's, as it stands in paths, queries and bodies. */
interface Names {
  readonly photo: number;
  readonly trashed: number;
  readonly tag: number;
  readonly openImport: number;
  readonly waiting: number;
  readonly endedImport: number;
  readonly imported: number;
  readonly sha256: string;
  readonly entityTag: string;
  readonly photoCursor: string;
  readonly tagCursor: string;
  readonly itemCursor: string;
  /** One of each collection that takes new entries, by its path. */
  readonly created: Readonly<Record<string, number>>;
}

/** Collections whose entries have endpoints of their own, with the least that a new entry needs. */
const collections = endpoints.filter(
  ({ method, path }) => method === 'POST' && endpoints.some((each) => each.path.startsWith(`${path}/999999`)),
);

let app: RunningApp;
let anna: Actor;
let bob: Actor;
/** Things of Anna's, and things that nobody has. */
let hers: Names;
let nobodys: Names;
/** Things of Bob's that requests bring together with those. */
let own: { photo: number; import: number; item: number };

const original = picture('hers');

beforeAll(async () => {
  app = await startApp();
  anna = await app.customer('Anna');
  bob = await app.customer('Bob');
  for (const name of ['Holiday', 'Work']) await anna.post('/tags', { name });
  const files = ['a.jpg', 'b.jpg', 'c.jpg'].map((filename) => ({ filename, content: picture(filename) }));
  const [photo, trashed] = await importPhotos(app, anna, [{ filename: 'hers.jpg', content: original }, ...files]);
  await anna.patch(`/photos/${photo.id}`, { title: 'Secret', externalId: 'her own' });
  await anna.put(`/photos/${photo.id}/tags`, { tagIds: [1] });
  await anna.delete(`/photos/${trashed.id}`);
  const open = (await anna.post('/imports', { clientRef: 'card' })).body;
  const waiting = ['x.jpg', 'y.jpg'].map((filename) => ({ filename, clientRef: filename, sizeBytes: 9 }));
  const { data } = (await anna.post(`/imports/${open.id}/photos`, { photos: waiting })).body;
  await postFiles(anna, open.id, [{ filename: 'z.jpg', content: picture('z') }]);
  const list = `/imports/${open.id}?include=photos&limit=1`;
  const created: Record<string, number> = {};
  for (const { path, body } of collections) created[path] = (await anna.post(path, body)).body.id;
  hers = {
    created,
    photo: photo.id,
    trashed: trashed.id,
    tag: 1,
    openImport: open.id,
    waiting: data[0].photo.id,
    endedImport: photo.importId,
    imported: photo.id,
    sha256: sha256(original),
    entityTag: String((await anna.get(`/photos/${photo.id}`)).headers.etag),
    photoCursor: (await anna.get('/photos?limit=1')).body.pagination.nextCursor,
    tagCursor: (await anna.get('/tags?limit=1')).body.pagination.nextCursor,
    itemCursor: (await anna.get(list)).body.photos.pagination.nextCursor,
  };
  nobodys = {
    created: Object.fromEntries(collections.map(({ path }) => [path, 992])),
    photo: 999,
    trashed: 998,
    tag: 997,
    openImport: 996,
    waiting: 995,
    endedImport: 994,
    imported: 993,
    sha256: 'f'.repeat(64),
    entityTag: `"${'0'.repeat(32)}"`,
    photoCursor: scrambled(hers.photoCursor),
    tagCursor: scrambled(hers.tagCursor),
    itemCursor: scrambled(hers.itemCursor),
  };
  const [his] = await importPhotos(app, bob, [{ filename: 'his.jpg', content: picture('his') }]);
  const { id } = (await bob.post('/imports')).body;
  const registered = await bob.post(`/imports/${id}/photos`, { photos: [{ filename: 'w.jpg', sizeBytes: 5 }] });
  own = { photo: his.id, import: id, item: registered.body.data[0].photo.id };
});
afterAll(() => app.close());

type Asking = (names: Names) => Pick<RequestParts, 'method' | 'path' | 'body' | 'headers'>;
const get =
  (path: (names: Names) => string): Asking =>
  (names) => ({ path: path(names) });
const send =
  (method: string, path: (names: Names) => string, body?: (names: Names) => unknown, headers = {}): Asking =>
  (names) => ({ method, path: path(names), body: body?.(names), headers });

const files = multipart([{ filename: 'a.jpg', content: picture('sent to another') }]);
const registration = { photos: [{ filename: 'a.jpg', sizeBytes: 3 }] };

/** Every endpoint with every kind of name that it takes. */
const askings: readonly Asking[] = [
  ...collections.flatMap((collection) =>
    endpoints
      .filter(({ path }) => path.startsWith(`${collection.path}/999999`))
      .map(({ method, path, body }) =>
        send(
          method,
          (names) => path.replace('999999', String(names.created[collection.path])),
          () => body,
        ),
      ),
  ),
  ...(['photo', 'trashed', 'waiting'] as const).flatMap((kind) => [
    ...['', '?trashed=any', '?include=exif,urls', '/tags', '/download', '/download?rendition=thumb'].map((rest) =>
      get((names) => `/photos/${names[kind]}${rest}`),
    ),
    send('HEAD', (names) => `/photos/${names[kind]}/download`),
    ...[{ title: 'mine' }, { trashed: false }, {}].map((patch) =>
      send(
        'PATCH',
        (names) => `/photos/${names[kind]}`,
        () => patch,
      ),
    ),
    send(
      'PATCH',
      (names) => `/photos/${names[kind]}`,
      () => ({ title: 'mine' }),
      { 'if-match': '"x"' },
    ),
    ...[{ tagIds: [] }, { tagNames: ['Mine'] }].map((tags) =>
      send(
        'PUT',
        (names) => `/photos/${names[kind]}/tags`,
        () => tags,
      ),
    ),
    send('DELETE', (names) => `/photos/${names[kind]}`),
    send('DELETE', (names) => `/photos/${names[kind]}?permanent=true`),
    send('DELETE', (names) => `/photos/${names[kind]}`, undefined, { 'if-match': '*' }),
    get((names) => `/photos?trashed=any&ids=${names[kind]}`),
  ]),
  (names) => ({ path: `/photos/${names.photo}`, headers: { 'if-none-match': names.entityTag } }),
  (names) => ({
    method: 'PATCH',
    path: `/photos/${names.photo}`,
    body: { title: 'mine' },
    headers: { 'if-match': names.entityTag },
  }),
  (names) => ({ path: `/photos/${names.photo}/download`, headers: { 'if-none-match': `"sha256-${names.sha256}"` } }),
  (names) => ({ path: `/photos/${names.photo}/download`, headers: { range: 'bytes=0-1' } }),

  ...(['tagIds', 'anyTagIds', 'excludeTagIds'] as const).map((filter) =>
    get((names) => `/photos?${filter}=${names.tag}`),
  ),
  get((names) => `/photos?importId=${names.endedImport}`),
  get((names) => `/photos?importId=${names.openImport}&trashed=any`),
  get((names) => `/photos?sha256=${names.sha256}&trashed=any`),
  get((names) => `/photos?limit=1&cursor=${names.photoCursor}`),
  get((names) => `/tags?limit=1&cursor=${names.tagCursor}`),
  get((names) => `/imports/${own.import}?include=photos&limit=1&cursor=${names.itemCursor}`),
  get((names) => `/imports/${names.openImport}?include=photos&limit=1&cursor=${names.itemCursor}`),

  get((names) => `/tags/${names.tag}`),
  get((names) => `/tags?ids=${names.tag}`),
  send(
    'PATCH',
    (names) => `/tags/${names.tag}`,
    () => ({ name: 'Mine' }),
  ),
  send(
    'PATCH',
    (names) => `/tags/${names.tag}`,
    () => ({}),
    { 'if-match': '"x"' },
  ),
  send('DELETE', (names) => `/tags/${names.tag}`),
  send('DELETE', (names) => `/tags/${names.tag}`, undefined, { 'if-match': '*' }),

  ...(['openImport', 'endedImport'] as const).flatMap((kind) => [
    get((names) => `/imports/${names[kind]}`),
    get((names) => `/imports/${names[kind]}?include=photos&photoStatus=failed`),
    send(
      'POST',
      (names) => `/imports/${names[kind]}/photos`,
      () => registration,
    ),
    send(
      'POST',
      (names) => `/imports/${names[kind]}/photos`,
      () => files.body,
      { 'content-type': files.type },
    ),
    ...[undefined, { action: 'discard' }, { missingUploads: 'fail' }].map((how) =>
      send(
        'POST',
        (names) => `/imports/${names[kind]}/finalize`,
        () => how,
      ),
    ),
    ...[{ title: 'mine' }, { status: 'cancelled' }, { status: 'uploaded' }, {}].flatMap((patch) =>
      (['waiting', 'imported'] as const).flatMap((item) => [
        send(
          'PATCH',
          (names) => `/imports/${names[kind]}/photos/${names[item]}`,
          () => patch,
        ),
        send(
          'PATCH',
          (names) => `/imports/${own.import}/photos/${names[item]}`,
          () => patch,
        ),
        send(
          'PATCH',
          (names) => `/imports/${names[kind]}/photos/${own.item}`,
          () => patch,
        ),
      ]),
    ),
  ]),

  send(
    'PUT',
    () => `/photos/${own.photo}/tags`,
    (names) => ({ tagIds: [names.tag] }),
  ),
  send(
    'POST',
    () => '/imports',
    (names) => ({ tagIds: [names.tag] }),
  ),
  send(
    'POST',
    () => `/imports/${own.import}/photos`,
    (names) => ({
      photos: [{ ...registration.photos[0], tagIds: [names.tag] }],
    }),
  ),
  send(
    'PATCH',
    () => `/imports/${own.import}/photos/${own.item}`,
    (names) => ({ tagIds: [names.tag] }),
  ),
];

test("another customer's resource is answered like a missing one, to the byte", async () => {
  const before = { hers: await library(anna, hers.openImport), his: await library(bob, own.import) };
  for (const asking of askings) {
    const [foreign, missing] = [asking(hers), asking(nobodys)];
    const answers = [shown(await ask(bob, foreign), hers), shown(await ask(bob, missing), nobodys)];
    expect({ asked: foreign, answer: answers[0] }).toEqual({ asked: foreign, answer: answers[1] });
    const { status = 0, body = '' } = answers[0] ?? {};
    expect([200, 400, 404]).toContain(status);
    if (status === 200) expect(JSON.parse(body).data).toEqual([]);
  }
  expect(await library(anna, hers.openImport)).toEqual(before.hers);
  expect(await library(bob, own.import)).toEqual(before.his);
});

test('the sweep requests every endpoint that takes an id', () => {
  const asked = new Set(askings.map((asking) => pattern(asking(hers))));
  const withIds = endpoints.filter(({ path }) => path.includes('999999')).map(pattern);
  expect(withIds.filter((endpoint) => !asked.has(endpoint))).toEqual([]);
});

test('the reads of the sweep find everything when the owner requests it', async () => {
  const found = new Set<string>();
  for (const asking of askings.filter((each) => (each(hers).method ?? 'GET') === 'GET')) {
    const { status } = await ask(anna, asking(hers));
    if (status < 300) found.add(pattern(asking(hers)));
  }
  const reads = endpoints.filter(({ method, path }) => method === 'GET' && path.includes('999999')).map(pattern);
  expect([...found]).toEqual(expect.arrayContaining([...reads, 'GET /photos', 'GET /tags']));
});

test("names, hashes and references are each customer's own", async () => {
  const carl = await app.customer('Carl');
  expect((await carl.post('/tags?ifExists=return', { name: 'holiday' })).status).toBe(201);
  const opened = await carl.post('/imports', { clientRef: 'card' });
  expect(opened.status).toBe(201);
  const { data } = (
    await carl.post(`/imports/${opened.body.id}/photos`, {
      photos: [{ filename: 'x.jpg', clientRef: 'x.jpg', sizeBytes: original.length, sha256: hers.sha256 }],
    })
  ).body;
  expect(data[0]).toMatchObject({ outcome: 'created', photo: { status: 'awaiting_upload', photoId: null } });
  const [photo] = await importPhotos(app, carl, [{ filename: 'hers.jpg', content: original }]);
  expect(photo).toMatchObject({ title: 'hers', externalId: null, tags: [], sha256: hers.sha256 });
  await carl.delete(`/photos/${photo.id}?permanent=true`);
  expect((await anna.get(`/photos/${hers.photo}/download`)).bytes).toEqual(Buffer.from(original));
  for (const filter of ['q=secret', 'q=holiday', 'externalId=her%20own', 'filename=hers.jpg']) {
    expect((await bob.get(`/photos?trashed=any&${filter}`)).body.data).toEqual([]);
    expect((await anna.get(`/photos?trashed=any&${filter}`)).body.data).not.toEqual([]);
  }
});

function ask(actor: Actor, { path, ...parts }: ReturnType<Asking>): Promise<Answer> {
  return actor.send({ ...parts, path: `/api/v1${path}` });
}

/** An answer without what differs between any two, and without the echo of the names that were sent. */
function shown({ status, headers, text }: Answer, names: Names) {
  const { date: _, 'x-request-id': requestId, 'content-length': length, ...kept } = headers;
  const numbers = Object.entries(kept).filter(([name]) => !name.startsWith('x-ratelimit-'));
  const body = text
    .replaceAll(String(requestId), 'req')
    .replaceAll(`Tag ${names.tag} `, 'Tag # ')
    .replaceAll(`contains ${names.tag},`, 'contains #,');
  return { status, headers: numbers, body, hasLength: length !== undefined };
}

/** Everything that a customer can see of what is theirs. */
async function library(actor: Actor, importId: number) {
  const paths = ['/photos?trashed=any&sort=id', '/tags', '/customer', `/imports/${importId}?include=photos`];
  const answers = await Promise.all(paths.map((path) => actor.get(path)));
  return answers.map(({ body }) => body);
}

function pattern({ method = 'GET', path }: { method?: string | undefined; path: string }): string {
  return `${method} ${path.replace(/\?.*/, '').replace(/\d+/g, '*')}`;
}

/** As long and made of the same characters, and signed by nobody. */
function scrambled(cursor: string): string {
  return [...cursor].reverse().join('');
}
