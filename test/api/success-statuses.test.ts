import { endpoints } from './support/endpoints.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture, postFiles } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  actor = await app.customer();
});
afterAll(() => app.close());

let pictures = 0;
function fresh(): Uint8Array {
  pictures += 1;
  return picture(`status ${pictures}`);
}
const photo = async (): Promise<number> =>
  (await importPhotos(app, actor, [{ filename: 'a.jpg', content: fresh() }]))[0].id;
const opened = async (): Promise<number> => (await actor.post('/imports')).body.id;
const tag = async (): Promise<number> => (await actor.post('/tags', { name: `tag ${pictures}` })).body.id;
const said = { filename: 'a.jpg', sizeBytes: 1, clientRef: 'a' };

/** The answer for who has what a first answer showed. */
async function again(path: string): Promise<Answer> {
  const { etag = '' } = (await actor.get(path)).headers;
  return actor.get(path, { 'if-none-match': etag });
}

const table: [string, number, () => Promise<Answer>][] = [
  ['GET /me', 200, () => actor.get('/me')],
  ['GET /customer', 200, () => actor.get('/customer')],
  ['GET /customer', 304, () => again('/customer')],
  ['GET /photos', 200, () => actor.get('/photos')],
  ['GET /photos/{id}', 200, async () => actor.get(`/photos/${await photo()}`)],
  ['GET /photos/{id}', 304, async () => again(`/photos/${await photo()}`)],
  ['GET /photos/{id}/download', 200, async () => actor.get(`/photos/${await photo()}/download`)],
  [
    'GET /photos/{id}/download',
    206,
    async () => actor.get(`/photos/${await photo()}/download`, { range: 'bytes=0-0' }),
  ],
  ['GET /photos/{id}/download', 304, async () => again(`/photos/${await photo()}/download`)],
  ['GET /photos/{id}/tags', 200, async () => actor.get(`/photos/${await photo()}/tags`)],
  ['PATCH /photos/{id}', 200, async () => actor.patch(`/photos/${await photo()}`, { title: 'a' })],
  ['PATCH /photos/{id,id}', 200, async () => actor.patch(`/photos/${await photo()},${await photo()}`, { title: 'a' })],
  ['PUT /photos/{id}/tags', 200, async () => actor.put(`/photos/${await photo()}/tags`, { tagNames: ['a'] })],
  ['POST /imports', 201, () => actor.post('/imports')],
  [
    'POST /imports',
    200,
    async () => {
      await actor.post('/imports', { clientRef: 'r' });
      return actor.post('/imports', { clientRef: 'r' });
    },
  ],
  ['GET /imports/{id}', 200, async () => actor.get(`/imports/${await opened()}`)],
  ['GET /imports/{id}', 304, async () => again(`/imports/${await opened()}`)],
  [
    'POST /imports/{id}/finalize',
    202,
    async () => {
      const id = await opened();
      await postFiles(actor, id, [{ filename: 'a.jpg', content: fresh() }]);
      return actor.post(`/imports/${id}/finalize`);
    },
  ],
  ['POST /imports/{id}/finalize', 200, async () => actor.post(`/imports/${await opened()}/finalize`)],
  ['POST /imports/{id}/photos', 201, async () => actor.post(`/imports/${await opened()}/photos`, { photos: [said] })],
  [
    'POST /imports/{id}/photos',
    200,
    async () => {
      const id = await opened();
      await actor.post(`/imports/${id}/photos`, { photos: [said] });
      return actor.post(`/imports/${id}/photos`, { photos: [said] });
    },
  ],
  [
    'PATCH /imports/{id}/photos/{photoId}',
    200,
    async () => {
      const id = await opened();
      const [{ photo: item }] = (await actor.post(`/imports/${id}/photos`, { photos: [said] })).body.data;
      return actor.patch(`/imports/${id}/photos/${item.id}`, { title: 'a' });
    },
  ],
  ['DELETE /photos/{id}', 204, async () => actor.delete(`/photos/${await photo()}`)],
  ['DELETE /photos/{id,id}', 200, async () => actor.delete(`/photos/${await photo()},${await photo()}`)],
  ['GET /tags', 200, () => actor.get('/tags')],
  ['GET /tags/{id}', 200, async () => actor.get(`/tags/${await tag()}`)],
  ['GET /tags/{id}', 304, async () => again(`/tags/${await tag()}`)],
  ['POST /tags', 201, () => actor.post('/tags', { name: 'a' })],
  [
    'POST /tags?ifExists=return',
    200,
    async () => {
      await actor.post('/tags', { name: 'a' });
      return actor.post('/tags?ifExists=return', { name: 'a' });
    },
  ],
  ['POST /tags with a list', 200, () => actor.post('/tags', { tags: [{ name: 'a' }] })],
  ['PATCH /tags/{id}', 200, async () => actor.patch(`/tags/${await tag()}`, { color: '#000000' })],
  ['DELETE /tags/{id}', 204, async () => actor.delete(`/tags/${await tag()}`)],
];

/** The resources that have a tag of their own. */
const TAGGED =
  /^(GET|PATCH|POST) \/(customer|photos\/\{id\}|imports|imports\/\{id\}|imports\/\{id\}\/finalize|tags|tags\/\{id\})$/;

describe('every success status', () => {
  test.each(table)('%s is %d', async (name, status, ask) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    // [spec] "Every response carries the rate-limit headers".
    for (const header of ['limit', 'remaining', 'reset'])
      expect(answer.headers[`x-ratelimit-${header}`]).toMatch(/^\d+$/);
    expect(answer.headers['x-request-id']).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    if (status === 204 || status === 304) expect(answer.bytes.length).toBe(0);
    else if (!name.includes('download')) expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    const tagged = TAGGED.test(name) && !['GET /tags', 'GET /photos'].includes(name);
    if (tagged) expect(answer.headers.etag).toMatch(/^"[0-9a-f]{32}"$/);
    if (status === 201 && !name.includes('photos'))
      expect(answer.headers.location).toMatch(/^\/api\/v1\/(imports|tags)\/\d+$/);
    if (status !== 201 && status !== 202) expect(answer.headers.location).toBeUndefined();
  });
});

describe('"every write also 403 account_suspended", and no read', () => {
  test('applies to a suspended customer', async () => {
    const suspended = await startApp({
      ports: ({ keys }) => {
        const findByHash = async (hash: string) => {
          const known = await keys.findByHash(hash);
          return known && { ...known, customerStatus: 'suspended' as const };
        };
        return { keys: Object.assign(Object.create(keys), { findByHash }) };
      },
    });
    try {
      const client = await suspended.customer();
      for (const { method, path, body } of endpoints) {
        const answer = await client.send({ method, path: `/api/v1${path}`, body });
        const code = answer.status >= 400 ? answer.body.error.code : undefined;
        expect([method, path, code === 'account_suspended']).toEqual([method, path, method !== 'GET']);
      }
    } finally {
      await suspended.close();
    }
  });
});
