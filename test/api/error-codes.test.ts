import { randomUUID } from 'node:crypto';
import { issueKey } from '../../src/core/access/keys.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { notSlower } from '../../src/core/blobs/blob-bytes.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { DomainError, type ErrorCode, errorCodes } from '../../src/core/shared/errors.js';
import { requestTimeout } from '../../src/http/server/request.js';
import { statusOfCode } from '../../src/http/status-of-code.js';
import type { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { Gate } from '../support/tenant.js';
import { until } from '../support/until.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture, postFiles } from './support/photos.js';
import { Actor, type RunningApp, type StartOptions, startApp } from './support/start-app.js';

/** The complete list. Each code is brought about once, and looked at whole. */

let app: RunningApp;
let actor: Actor;
/** Runs instead of every transaction; gets the real one. */
let instead: <T>(transaction: () => Promise<T>) => Promise<T>;

async function start(options: StartOptions = {}): Promise<void> {
  instead = (transaction) => transaction();
  app = await startApp({
    ports: ({ store }) => ({
      store: {
        query: (customerId, work) => store.query(customerId, work),
        transaction: (customerId, work) => instead(() => store.transaction(customerId, work)),
      },
    }),
    ...options,
  });
  actor = await app.customer();
}
beforeEach(() => start({}));
afterEach(() => app.close());

const file = (title: string) => ({ filename: `${title}.jpg`, content: picture(title) });
const announced = { photos: [{ filename: 'a.jpg', sizeBytes: 3 }] };
const tag = async (name: string) => (await actor.post('/tags', { name })).body.id as number;
const open = async () => (await actor.post('/imports')).body.id as number;
/** A customer who may hold one photo. */
async function smallCustomer(): Promise<Actor> {
  const { id } = await createCustomer(app.ports, commandLine, {
    name: 'Small',
    storageBytesLimit: null,
    photosLimit: 1,
  });
  const request = { name: 'a key', scopes: ['all'], ipList: [], readLimit: null, writeLimit: null, expiresAt: null };
  const { key, token } = await issueKey(app.ports, operatorFor(id), request);
  return new Actor(app.ports, app.url, id, key.id, token);
}

/** How each is brought about, its `details`, and what else its answer must say. */
const ways: Readonly<
  Record<
    ErrorCode,
    { readonly ask: () => Promise<Answer>; readonly details?: unknown; readonly headers?: Record<string, string> }
  >
> = {
  invalid_request: {
    ask: () => actor.get('/photos?limit=101'),
    details: {
      errors: [
        {
          field: 'limit',
          code: 'out_of_range',
          message: 'limit must be a whole number from 1 to 100.',
          min: 1,
          max: 100,
        },
      ],
    },
  },
  invalid_cursor: { ask: () => actor.get('/photos?cursor=x') },
  unauthorized: { ask: () => app.send({ path: '/api/v1/me' }), headers: { 'www-authenticate': 'Bearer' } },
  scope_required: {
    ask: async () => (await actor.withKey({ scopes: ['tags:read'] })).delete('/photos/1'),
    details: { scope: 'photos:delete' },
  },
  ip_not_whitelisted: { ask: async () => (await actor.withKey({ ipList: ['203.0.113.0/24'] })).get('/me') },
  account_suspended: {
    ask: async () => {
      await app.close();
      await start({
        ports: ({ keys }) => {
          const findByHash = async (hash: string) => {
            const known = await keys.findByHash(hash);
            return known && { ...known, customerStatus: 'suspended' as const };
          };
          return { keys: Object.assign(Object.create(keys), { findByHash }) };
        },
      });
      return actor.post('/tags', { name: 'a' });
    },
  },
  quota_exceeded: {
    ask: async () => {
      const small = await smallCustomer();
      const subject = (await small.post('/imports')).body.id;
      const photos = ['a', 'b'].map((clientRef) => ({ filename: 'a.jpg', sizeBytes: 3, clientRef }));
      expect((await small.post(`/imports/${subject}/photos`, { photos })).status).toBe(201);
      return small.post(`/imports/${subject}/photos`, {
        photos: ['c', 'd'].map((clientRef) => ({ filename: 'a.jpg', sizeBytes: 3, clientRef })),
      });
    },
    details: { quota: 'photos', limit: 1, used: 1, requested: 2 },
  },
  upload_forbidden: { ask: () => app.send({ method: 'PUT', path: '/uploads/x', body: 'x' }) },
  upload_in_progress: {
    ask: async () => {
      const path = await target();
      const headers = { 'content-length': '3' };
      const first = app.send({ method: 'PUT', path, headers, body: 'ab', open: true });
      await until(() => app.ports.uploads.pendingBytes === 1);
      const second = await app.send({ method: 'PUT', path, body: 'abc' });
      expect(second.status).toBe(204);
      return first;
    },
  },
  upload_offset_mismatch: {
    ask: async () => {
      const headers = {
        'tus-resumable': '1.0.0',
        'upload-offset': '1',
        'content-type': 'application/offset+octet-stream',
      };
      return app.send({ method: 'PATCH', path: await target(), headers, body: 'bc' });
    },
    details: { offset: 0 },
  },
  storage_full: {
    ask: async () => {
      const path = await target();
      (app.ports.blobs as MemoryBlobStore).disk = { freeBytes: 10, totalBytes: 1000 };
      return app.send({ method: 'PUT', path, body: 'abc' }).finally(() => {
        (app.ports.blobs as MemoryBlobStore).disk = null;
      });
    },
    headers: { 'retry-after': '60' },
  },
  request_timeout: {
    ask: async () => {
      const path = await target();
      const { put } = app.ports.blobs;
      const clock = [0, 60_000].values();
      app.ports.blobs.put = (key, bytes) =>
        put.call(
          app.ports.blobs,
          key,
          notSlower(bytes, requestTimeout, () => clock.next().value ?? 0),
        );
      return app.send({ method: 'PUT', path, body: 'abc' });
    },
    headers: { 'retry-after': '1' },
  },
  url_forbidden: { ask: () => app.send({ path: '/renditions/x' }) },
  not_found: { ask: () => actor.get('/photos/999999'), details: { resource: 'photo' } },
  method_not_allowed: { ask: () => actor.put('/me', {}), headers: { allow: 'GET, HEAD, OPTIONS' } },
  tag_name_taken: {
    ask: async () => {
      await tag('Paris');
      return actor.post('/tags', { name: 'PARIS' });
    },
    details: { tagId: 1 },
  },
  import_not_open: {
    ask: async () => {
      const id = await open();
      await actor.post(`/imports/${id}/finalize`);
      return actor.post(`/imports/${id}/photos`, announced);
    },
    details: { status: 'completed' },
  },
  import_photo_final: {
    ask: async () => {
      const id = await open();
      const item = (await actor.post(`/imports/${id}/photos`, announced)).body.data[0].photo.id;
      await actor.patch(`/imports/${id}/photos/${item}`, { status: 'cancelled' });
      return actor.patch(`/imports/${id}/photos/${item}`, { title: 'late' });
    },
    details: { status: 'cancelled', photoId: null },
  },
  uploads_incomplete: {
    ask: async () => {
      const id = await open();
      const photos = Array.from({ length: 25 }, (_, at) => ({ filename: 'a.jpg', sizeBytes: 3, clientRef: `${at}` }));
      await actor.post(`/imports/${id}/photos`, { photos });
      return actor.post(`/imports/${id}/finalize`);
    },
    details: { missing: 25, sample: Array.from({ length: 20 }, (_, at) => at + 1) },
  },
  limit_reached: {
    ask: async () => {
      await app.close();
      await start({ limits: { openImports: 1 } });
      await open();
      return actor.post('/imports');
    },
    details: { limit: 1, name: 'openImports' },
  },
  idempotency_in_progress: {
    ask: async () => {
      const same = { 'idempotency-key': randomUUID() };
      const [begun, go] = [new Gate(), new Gate()];
      instead = async (transaction) => {
        begun.open();
        await go.opened;
        return transaction();
      };
      const first = actor.post('/imports', {}, same);
      await begun.opened;
      const second = await actor.post('/imports', {}, same);
      go.open();
      expect((await first).status).toBe(201);
      return second;
    },
    headers: { 'retry-after': '1' },
  },
  size_mismatch: { ask: () => upload('ab') },
  checksum_mismatch: { ask: () => upload('xyz') },
  precondition_failed: {
    ask: async () => actor.patch(`/tags/${await tag('Paris')}`, {}, { 'if-match': '"x"' }),
    details: { currentEtag: expect.stringMatching(/^"[0-9a-f]{32}"$/) },
  },
  payload_too_large: {
    ask: () => actor.post('/tags', { name: 'x'.repeat(1024 * 1024) }),
    details: { maxBytes: 1024 * 1024 },
  },
  unsupported_media_type: {
    ask: () => actor.patch('/tags/1', 'x', { 'content-type': 'text/plain' }),
    details: { accepted: ['application/json', 'application/merge-patch+json'] },
  },
  range_not_satisfiable: {
    ask: async () => {
      const [photo] = await importPhotos(app, actor, [file('a')]);
      return actor.get(`/photos/${photo.id}/download`, { range: 'bytes=9999-' });
    },
    headers: { 'content-range': `bytes */${picture('a').length}` },
  },
  no_photos_accepted: {
    ask: async () => actor.post(`/imports/${await open()}/photos`, { photos: [{ filename: 'a.jpg', sizeBytes: 0 }] }),
    details: {
      results: [
        { index: 0, outcome: 'rejected', photo: null, error: { code: 'file_empty', message: 'The file is empty.' } },
      ],
    },
  },
  idempotency_key_reused: {
    ask: async () => {
      const same = { 'idempotency-key': randomUUID() };
      await actor.post('/imports', {}, same);
      return actor.post('/imports', { name: 'other' }, same);
    },
  },
  rate_limited: {
    ask: async () => (await actor.withKey({ readLimit: 0 })).get('/me'),
    headers: { 'retry-after': '60' },
  },
  internal_error: {
    ask: () => {
      instead = () => Promise.reject(new Error('a bug'));
      return actor.post('/imports');
    },
  },
  service_unavailable: {
    ask: () => {
      instead = () => Promise.reject(new DomainError('service_unavailable', 'Not now.'));
      return actor.post('/imports');
    },
    headers: { 'retry-after': '5' },
  },
};

/** Sends bytes to the target of an item that announced the three bytes `abc`. */
async function upload(bytes: string): Promise<Answer> {
  const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  const photos = [{ filename: 'a.jpg', sizeBytes: 3, sha256 }];
  return app.send({ method: 'PUT', path: await target(photos), body: bytes });
}

/** Where the bytes of the one item go that is announced. */
async function target(photos: readonly object[] = announced.photos): Promise<string> {
  const { data } = (await actor.post(`/imports/${await open()}/photos`, { photos })).body;
  return new URL(data[0].photo.upload.url).pathname;
}

describe('the complete list of error codes', () => {
  test.each([...errorCodes])('%s', async (code) => {
    const { ask, details, headers = {} } = ways[code];
    const answer = await ask();
    const { error } = answer.body;
    expect([answer.status, error.code]).toEqual([statusOfCode[code], code]);
    expect(Object.keys(answer.body)).toEqual(['error']);
    expect(Object.keys(error).sort()).toEqual(
      ['code', 'message', 'requestId', ...(details === undefined ? [] : ['details'])].sort(),
    );
    expect(error.details).toEqual(details);
    expect(error.message).toMatch(/^\S.*\.$/);
    expect(error.requestId).toBe(answer.headers['x-request-id']);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    });
    for (const name of ['allow', 'retry-after', 'www-authenticate', 'etag', 'location']) {
      if (!(name in headers)) expect([name, answer.headers[name]]).toEqual([name, undefined]);
    }
  });

  test('gives the codes of the contract the statuses of the contract', () => {
    expect(statusOfCode).toMatchObject({
      invalid_cursor: 400,
      unauthorized: 401,
      scope_required: 403,
      ip_not_whitelisted: 403,
      rate_limited: 429,
    });
  });

  test('not_found names the kind of resource, unless the path is unknown', async () => {
    const resources = await Promise.all(
      ['/photos/999999', '/photos/999999/tags', '/photos/999999/download', '/tags/999999', '/imports/999999'].map(
        async (path) => (await actor.get(path)).body.error.details.resource,
      ),
    );
    expect(resources).toEqual(['photo', 'photo', 'photo', 'tag', 'import']);
    const id = await open();
    const item = await actor.patch(`/imports/${id}/photos/999999`, {});
    expect(item.body.error.details).toEqual({ resource: 'import_photo' });
    expect((await actor.get('/nothing')).body.error.details).toBeUndefined();
  });
});

describe('the errors of fields', () => {
  const fault = async (ask: Promise<Answer>) => {
    const answer = await ask;
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    return answer.body.error.details.errors.map((one: { field: string; code: string }) => [one.field, one.code]);
  };

  test('include every field code, with the path of its field', async () => {
    const id = await tag('Paris');
    const subject = await open();
    expect(await fault(actor.post('/tags', {}))).toEqual([['name', 'required']]);
    expect(await fault(actor.post('/tags', { name: 'a', x: 1 }))).toEqual([['x', 'unknown_field']]);
    expect(await fault(actor.get('/tags?x=1'))).toEqual([['x', 'unknown_parameter']]);
    expect(await fault(actor.patch(`/tags/${id}`, { photoCount: 1 }))).toEqual([['photoCount', 'read_only']]);
    expect(await fault(actor.post('/tags', { name: 1 }))).toEqual([['name', 'invalid_type']]);
    expect(await fault(actor.patch(`/tags/${id}`, { color: 'red' }))).toEqual([['color', 'invalid_format']]);
    expect(await fault(actor.get('/tags?limit=0'))).toEqual([['limit', 'out_of_range']]);
    expect(await fault(actor.post('/tags', { name: '' }))).toEqual([['name', 'too_short']]);
    expect(await fault(actor.post('/tags', { name: 'x'.repeat(101) }))).toEqual([['name', 'too_long']]);
    const many = Array.from({ length: 101 }, (_, at) => at + 1);
    expect(await fault(actor.put('/photos/1/tags', { tagIds: many }))).toEqual([['tagIds', 'too_many']]);
    expect(await fault(actor.patch(`/tags/${id}`, { name: null }))).toEqual([['name', 'not_nullable']]);
    expect(await fault(actor.patch(`/tags/${id}`, { mergeTagIds: [id] }))).toEqual([['mergeTagIds', 'conflict']]);
    expect(await fault(actor.post('/imports', { tagIds: [999] }))).toEqual([['tagIds', 'unknown_tag']]);
    expect(await fault(actor.post('/tags', '{'))).toEqual([['body', 'invalid_json']]);
    const photos = [{ filename: 'a', sizeBytes: 1 }, {}, { filename: 'b', sizeBytes: 1, sha256: 7 }];
    expect(await fault(actor.post(`/imports/${subject}/photos`, { photos }))).toEqual([
      ['photos[1].filename', 'required'],
      ['photos[1].sizeBytes', 'required'],
      ['photos[2].sha256', 'invalid_type'],
    ]);
    expect(await fault(actor.patch('/photos/1', { location: { latitude: 'a' } }))).toEqual([
      ['location.latitude', 'invalid_type'],
      ['location.longitude', 'required'],
    ]);
  });

  test('are the message itself when there is one, and are counted when there are several', async () => {
    expect((await actor.post('/tags', {})).body.error.message).toBe('name is required.');
    expect((await actor.post('/tags', { x: 1, y: 1 })).body.error.message).toBe('3 fields are invalid.');
  });

  test('are reported up to a hundred', async () => {
    const photos = Array.from({ length: 200 }, () => ({}));
    const answer = await actor.post(`/imports/${await open()}/photos`, { photos });
    expect(answer.body.error.details.errors).toHaveLength(100);
  });
});

test('a rejected item in a 2xx response has its own error code, and the response has none', async () => {
  const id = await open();
  const answer = await postFiles(actor, id, [file('a'), { filename: 'b.jpg', content: 'no picture' }]);
  expect(answer.status).toBe(201);
  expect(answer.body.error).toBeUndefined();
  expect(answer.body.data[1]).toMatchObject({ outcome: 'rejected', photo: null, error: { code: 'not_an_image' } });
});
