import { collectGarbage } from '../../src/core/integrity/collect-garbage.js';
import { importPhotos, picture } from './support/photos.js';
import { type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const customerFields = {
  id: expect.any(Number),
  name: 'Studio Ä',
  status: 'active',
  defaultTimeZone: 'UTC',
  trashRetentionDays: 30,
  usage: { photos: 0, trashedPhotos: 0, storageBytes: 0, trashedBytes: 0, tags: 0, openImports: 0, renditionBytes: 0 },
  limits: {
    storageBytes: null,
    photos: null,
    tags: 10_000,
    tagsPerPhoto: 100,
    maxFileBytes: 200 * 1024 * 1024,
    maxPixels: 210_000_000,
    importBatchSize: 500,
    importMaxPhotos: 10_000,
    inlineMaxFiles: 20,
    inlineMaxBytes: 100 * 1024 * 1024,
    openImports: 100,
  },
  formats: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  createdAt: '2026-11-21T12:00:00.000Z',
  updatedAt: '2026-11-21T12:00:00.000Z',
  version: 1,
};

describe('GET /me', () => {
  test('returns the customer, the key and the budgets', async () => {
    const customer = await app.customer('Studio Ä');
    const actor = await customer.withKey({
      name: 'importer',
      scopes: ['photos:write', 'customer:read'],
      readLimit: null,
      writeLimit: null,
    });
    const answer = await actor.get('/me');
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toEqual({
      customer: { ...customerFields, id: actor.customerId },
      apiKey: {
        id: actor.keyId,
        name: 'importer',
        prefix: `phs_live_…${actor.token.slice(-4)}`,
        scopes: ['customer:read', 'photos:write'],
        ipRestricted: false,
        createdAt: '2026-11-21T12:00:00.000Z',
        expiresAt: null,
      },
      rateLimit: { limit: 300, remaining: 299, reset: 1795262460 },
      rateLimits: {
        read: { limit: 300, remaining: 299, reset: 1795262460 },
        write: { limit: 30, remaining: 30, reset: 1795262400 },
      },
      clientIp: '127.0.0.1',
      serverTime: '2026-11-21T12:00:00.000Z',
    });
  });
});

describe('Me', () => {
  test('of a key with an IP list and an end: ipRestricted, expiresAt', async () => {
    const customer = await app.customer();
    const expiresAt = new Date(app.clock.now().getTime() + 60_000);
    const locked = await customer.withKey({ name: 'locked', ipList: ['127.0.0.0/8'], expiresAt });
    const { apiKey } = (await locked.get('/me')).body;
    expect(apiKey).toMatchObject({
      id: locked.keyId,
      name: 'locked',
      ipRestricted: true,
      expiresAt: expiresAt.toISOString(),
    });
    expect(JSON.stringify(apiKey)).not.toContain(locked.token.slice(9, 40));
  });

  test('[spec] "rateLimit with limit, remaining, reset … carries the same data as the rate-limit response headers"', async () => {
    const actor = await (await app.customer()).withKey({ readLimit: null, writeLimit: null });
    for (const remaining of [299, 298]) {
      const { headers, body } = await actor.get('/me');
      expect(body.rateLimit).toEqual({
        limit: Number(headers['x-ratelimit-limit']),
        remaining: Number(headers['x-ratelimit-remaining']),
        reset: Number(headers['x-ratelimit-reset']),
      });
      expect(body.rateLimit).toMatchObject({ limit: 300, remaining });
      expect(body.rateLimits.read).toEqual(body.rateLimit);
    }
    await actor.post('/tags', { name: 'a write' });
    expect((await actor.get('/me')).body.rateLimits).toMatchObject({
      read: { limit: 300, remaining: 297 },
      write: { limit: 30, remaining: 29 },
    });
  });

  test('the customer is that of endpoint 2', async () => {
    const actor = await app.customer('Same');
    expect((await actor.get('/me')).body.customer).toEqual((await actor.get('/customer')).body);
  });

  test.each(['/me', '/customer'])('%s takes no parameters, and needs customer:read', async (path) => {
    const actor = await app.customer();
    expect((await actor.get(`${path}?include=usage`)).body.error.details.errors).toMatchObject([
      { field: 'include', code: 'unknown_parameter' },
    ]);
    const narrow = await actor.withKey({
      scopes: ['photos:read', 'photos:write', 'tags:read', 'tags:write', 'photos:delete'],
    });
    const refused = await narrow.get(path);
    expect([refused.status, refused.body.error.details]).toEqual([403, { scope: 'customer:read' }]);
  });
});

describe('GET /customer', () => {
  test('shows limits and usage, which is counted from what is stored', async () => {
    const actor = await app.customer('Studio Ä');
    const fresh = await actor.get('/customer');
    expect(fresh.body).toEqual({ ...customerFields, id: actor.customerId });
    expect(fresh.headers['cache-control']).toBe('private, no-cache');
    const [first, second] = [picture('one'), picture('two')];
    const [kept, trashed] = await importPhotos(app, actor, [
      { filename: 'one.jpg', content: first },
      { filename: 'two.jpg', content: second },
    ]);
    await actor.delete(`/photos/${trashed.id}`);
    await actor.post('/imports');
    expect((await actor.get('/customer')).body.usage).toEqual({
      photos: 1,
      trashedPhotos: 1,
      storageBytes: kept.sizeBytes,
      trashedBytes: trashed.sizeBytes,
      tags: 0,
      openImports: 1,
      renditionBytes: 0,
    });
  });

  test('usage.renditionBytes is what renditions took when they were last counted, against no limit', async () => {
    const [actor, other] = [await app.customer(), await app.customer()];
    const [photo] = await importPhotos(app, actor, [{ filename: 'one.jpg', content: picture('one') }]);
    const thumb = await actor.get(`/photos/${photo.id}/download?rendition=thumb`);
    await collectGarbage(app.ports, { graceSeconds: 0 });
    const { usage } = (await actor.get('/customer')).body;
    expect(usage).toMatchObject({ storageBytes: photo.sizeBytes, renditionBytes: thumb.bytes.length });
    expect((await other.get('/customer')).body.usage.renditionBytes).toBe(0);
    await actor.delete(`/photos/${photo.id}?permanent=true`);
    await collectGarbage(app.ports, { graceSeconds: 0 });
    expect((await actor.get('/customer')).body.usage.renditionBytes).toBe(0);
  });

  test('is "Read-only through the API"', async () => {
    const actor = await app.customer();
    for (const method of ['PATCH', 'PUT', 'POST', 'DELETE']) {
      const answer = await actor.send({ method, path: '/api/v1/customer', body: { name: 'other' } });
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD, OPTIONS']);
    }
  });

  test('usage.tags and usage.openImports are those of this customer', async () => {
    const [one, two] = [await app.customer(), await app.customer()];
    await one.post('/tags', { tags: [{ name: 'a' }, { name: 'b' }] });
    const { id } = (await one.post('/imports')).body;
    expect((await one.get('/customer')).body.usage).toMatchObject({ tags: 2, openImports: 1 });
    await one.post(`/imports/${id}/finalize`);
    expect((await one.get('/customer')).body.usage).toMatchObject({ tags: 2, openImports: 0 });
    expect((await two.get('/customer')).body.usage).toMatchObject({ tags: 0, openImports: 0 });
  });

  test('is 304 for a client that has it', async () => {
    const actor = await app.customer();
    const { etag } = (await actor.get('/customer')).headers;
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const again = await actor.get('/customer', { 'if-none-match': etag ?? '' });
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
    await actor.post('/imports');
    expect((await actor.get('/customer', { 'if-none-match': etag ?? '' })).status).toBe(200);
  });
});

describe('the status of a customer', () => {
  /** The API as the key store tells it of this status. */
  const startWithStatus = (customerStatus: 'suspended' | 'closing') =>
    startApp({
      ports: ({ keys }) => {
        const findByHash = async (hash: string) => {
          const known = await keys.findByHash(hash);
          return known && { ...known, customerStatus };
        };
        return { keys: Object.assign(Object.create(keys), { findByHash }) };
      },
    });

  test('suspended: reads go on, writes are 403 after the scope was asked', async () => {
    const suspended = await startWithStatus('suspended');
    try {
      const actor = await suspended.customer();
      expect((await actor.get('/photos')).status).toBe(200);
      const write = await actor.post('/tags', 'not looked at');
      expect([write.status, write.body.error.code]).toEqual([403, 'account_suspended']);
      const narrow = await actor.withKey({ scopes: ['photos:read'] });
      expect((await narrow.post('/tags', {})).body.error.code).toBe('scope_required');
      expect((await actor.post('/nothing', {})).status).toBe(404);
    } finally {
      await suspended.close();
    }
  });

  test('closing: its keys are unknown', async () => {
    const closing = await startWithStatus('closing');
    try {
      expect((await (await closing.customer()).get('/me')).status).toBe(401);
    } finally {
      await closing.close();
    }
  });
});
