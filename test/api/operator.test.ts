import { listKeys } from '../../src/core/access/keys.js';
import { listAudit } from '../../src/core/audit/audit-log.js';
import type { CustomerStore } from '../../src/core/ports.js';
import { countStorage, readDailyUsage } from '../../src/core/traffic/read-traffic.js';
import { builtProgram } from '../support/built-program.js';
import { importPhotos, picture } from './support/photos.js';
import { type OperatorActor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let operator: OperatorActor;
beforeEach(async () => {
  await builtProgram();
  app = await startApp({ operatorApi: true });
  operator = await app.operator();
});
afterEach(() => app.close());

/** Its answer is lost each time: what it did is done. */
function losingAnswers(store: CustomerStore): CustomerStore {
  const transaction: CustomerStore['transaction'] = async (...given) => {
    await store.transaction(...given);
    throw new Error('the connection to the database was lost');
  };
  return Object.assign(Object.create(store), { transaction });
}

const once = (key: string) => ({ 'idempotency-key': key });
const audited = async (customerId: number) => {
  const { data } = await listAudit(app.ports, customerId, { limit: 100, cursor: null });
  return data.map(({ action, actorKind, actorId, actorName, address, changes }) => [
    action,
    [actorKind, actorId, actorName, address].join(' '),
    ...changes,
  ]);
};
const byOperator = () => `operator ${operator.id} sign-up 127.0.0.1`;

describe('customers', () => {
  test('are created, read, listed and changed', async () => {
    const created = await operator.post('/customers', {
      name: ' Studio ',
      defaultTimeZone: 'Europe/Paris',
      photosLimit: 5,
    });
    const { id } = created.body;
    expect([created.status, created.headers.location]).toEqual([201, `/operator/v1/customers/${id}`]);
    expect(created.body).toEqual({
      id,
      name: 'Studio',
      status: 'active',
      defaultTimeZone: 'Europe/Paris',
      trashRetentionDays: 30,
      storageBytesLimit: null,
      photosLimit: 5,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      version: 1,
    });
    const read = await operator.get(`/customers/${id}`);
    expect([read.status, read.body, read.headers.etag]).toEqual([200, created.body, created.headers.etag]);
    expect((await operator.get(`/customers/${id}`, { 'if-none-match': String(read.headers.etag) })).status).toBe(304);

    const inAnyCase = await operator.patch(`/customers/${id}`, { defaultTimeZone: 'EUROPE/PARIS' });
    expect(inAnyCase.body).toEqual(created.body);
    const changes = { name: 'Atelier', trashRetentionDays: 7, storageBytesLimit: 1000, photosLimit: null };
    const changed = await operator.patch(`/customers/${id}`, changes);
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...read.body, ...changes, updatedAt: expect.any(String), version: 2 },
    ]);
    expect((await operator.patch(`/customers/${id}`, {})).body.version).toBe(2);
    const stale = await operator.patch(`/customers/${id}`, { name: 'x' }, { 'if-match': String(read.headers.etag) });
    expect([stale.status, stale.body.error.code]).toEqual([412, 'precondition_failed']);
    expect(await audited(id)).toEqual([
      ['customer.edited', byOperator(), 'name', 'trashRetentionDays', 'storageBytesLimit', 'photosLimit'],
      ['customer.created', byOperator()],
    ]);
  });

  test('are listed page by page', async () => {
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push((await operator.post('/customers', { name })).body.id);
    const first = (await operator.get('/customers?limit=3')).body;
    expect([first.data.map(({ id }: { id: number }) => id), first.pagination.hasMore]).toEqual([ids.slice(0, 3), true]);
    const second = (await operator.get(`/customers?limit=3&cursor=${first.pagination.nextCursor}`)).body;
    expect(second.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(3));
    expect(second.pagination).toEqual({ nextCursor: null, hasMore: false });
    expect((await operator.get('/customers?cursor=x')).body.error.code).toBe('invalid_cursor');
  });

  test.each([
    [{}, 'name', 'required'],
    [{ name: '' }, 'name', 'required'],
    [{ name: 'a\u0000b' }, 'name', 'invalid_format'],
    [{ name: '\ud800' }, 'name', 'invalid_format'],
    [{ name: 'x', defaultTimeZone: '+01:00' }, 'defaultTimeZone', 'invalid_format'],
    [{ name: 'x', photosLimit: -1 }, 'photosLimit', 'out_of_range'],
    [{ name: 'x', storageBytesLimit: 0.5 }, 'storageBytesLimit', 'out_of_range'],
    [{ name: 'x', id: 3 }, 'id', 'read_only'],
    [{ name: 'x', secret: 3 }, 'secret', 'unknown_field'],
  ])('%j is refused', async (body, field, code) => {
    const answer = await operator.post('/customers', body);
    expect([answer.status, answer.body.error.details.errors]).toEqual([
      400,
      [expect.objectContaining({ field, code })],
    ]);
    expect(await app.ports.customers.list()).toEqual([]);
  });

  test('that are created again with the same Idempotency-Key are the same', async () => {
    const create = (name: string) => operator.post('/customers', { name }, once('a'));
    const answers = await Promise.all([create('Studio'), create('Studio'), create('Studio')]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(2);
    const other = await create('Atelier');
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await app.ports.customers.list()).toHaveLength(1);
  });

  test('that are suspended are read-only for their keys, and can be administered', async () => {
    const customer = await app.customer();
    const path = `/customers/${customer.customerId}`;
    expect((await operator.post(`${path}/suspend`)).body.status).toBe('suspended');
    expect((await operator.post(`${path}/suspend`)).body.version).toBe(2);
    expect((await customer.post('/tags', { name: 'x' })).body.error.code).toBe('account_suspended');
    expect((await operator.patch(path, { photosLimit: 1 })).status).toBe(200);
    expect((await operator.post(`${path}/resume`)).body.status).toBe('active');
    expect((await customer.post('/tags', { name: 'x' })).status).toBe(201);
  });

  test('are erased only with their exact name, and the proof stays', async () => {
    const customer = await app.customer('ACME');
    await importPhotos(app, customer, [{ filename: 'a.jpg', content: picture('a') }]);
    const path = `/customers/${customer.customerId}`;
    for (const query of ['', '?name=Acme']) {
      const refused = await operator.delete(`${path}${query}`);
      expect([refused.status, refused.body.error.details.errors[0].field]).toEqual([400, 'name']);
    }
    expect((await customer.get('/me')).status).toBe(200);
    const erased = await operator.delete(`${path}?name=ACME`);
    expect([erased.status, erased.body]).toEqual([
      200,
      {
        customerId: customer.customerId,
        complete: true,
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
        rowsBefore: expect.objectContaining({ photos: 1, api_keys: 1 }),
        rowsAfter: expect.objectContaining({ photos: 0, api_keys: 0 }),
        filesRemoved: expect.objectContaining({ originals: 1 }),
        filesAfter: { originals: 0, renditions: 0, staging: 0, bytes: 0 },
      },
    ]);
    expect((await customer.get('/me')).status).toBe(401);
    expect((await operator.get(path)).status).toBe(404);
    expect((await operator.delete(`${path}?name=ACME`)).body).toEqual(erased.body);
  });
});

describe('keys', () => {
  test('are created with a token that works at once, listed, changed and deleted', async () => {
    const { id } = (await operator.post('/customers', { name: 'Studio' })).body;
    const path = `/customers/${id}/keys`;
    const made = await operator.post(path, {
      name: 'gallery',
      scopes: ['photos:read', 'customer:read'],
      ipList: ['127.0.0.1', '10.1.1.1/8'],
      readLimit: 900,
      expiresAt: '2099-01-31T00:00:00+01:00',
    });
    const { token, ...key } = made.body;
    expect([made.status, made.headers.location]).toEqual([201, `/operator/v1/customers/${id}/keys/${key.id}`]);
    expect(made.headers['cache-control']).toBe('no-store');
    expect(key).toEqual({
      id: key.id,
      name: 'gallery',
      prefix: `phs_live_…${token.slice(-4)}`,
      scopes: ['customer:read', 'photos:read'],
      ipList: ['127.0.0.1/32', '10.0.0.0/8'],
      readLimit: 900,
      writeLimit: null,
      createdAt: expect.any(String),
      expiresAt: '2099-01-30T23:00:00.000Z',
    });
    const me = () => app.send({ path: '/api/v1/me', headers: { authorization: `Bearer ${token}` } });
    expect([(await me()).status, (await me()).body.rateLimit.limit]).toEqual([200, 900]);
    expect((await operator.get(path)).body).toEqual({ data: [key], pagination: { nextCursor: null, hasMore: false } });
    const read = await operator.get(`${path}/${key.id}`);
    expect([
      read.body,
      (await operator.get(`${path}/${key.id}`, { 'if-none-match': String(read.headers.etag) })).status,
    ]).toEqual([key, 304]);
    const edited = await operator.patch(`${path}/${key.id}`, {
      name: 'shop',
      ipList: [],
      readLimit: null,
      expiresAt: null,
    });
    expect(edited.body).toEqual({ ...key, name: 'shop', ipList: [], readLimit: null, expiresAt: null });
    const wrong = await operator.patch(`${path}/${key.id}`, { scopes: ['photos:read'], expiresAt: 'soon' });
    expect(
      wrong.body.error.details.errors.map(({ field, code }: { field: string; code: string }) => [field, code]),
    ).toEqual([
      ['scopes', 'read_only'],
      ['expiresAt', 'invalid_format'],
    ]);
    for (const [settings, field, code] of [
      [{ expiresAt: '2020-01-31T00:00:00Z' }, 'expiresAt', 'out_of_range'],
      [{ name: 'a\u0000b' }, 'name', 'invalid_format'],
    ]) {
      const request = { name: 'a', scopes: ['photos:read'], ...(settings as object) };
      for (const refused of [await operator.post(path, request), await operator.patch(`${path}/${key.id}`, settings)]) {
        expect([refused.status, refused.body.error.details.errors]).toMatchObject([400, [{ field, code }]]);
      }
    }
    expect((await operator.delete(`${path}/${key.id}`)).status).toBe(204);
    expect((await operator.delete(`${path}/${key.id}`)).status).toBe(404);
    expect((await me()).status).toBe(401);
    expect((await audited(id)).map(([action, who]) => [action, who])).toEqual(
      ['api_key.deleted', 'api_key.edited', 'api_key.created', 'customer.created'].map((action) => [
        action,
        byOperator(),
      ]),
    );
  });

  test('a repeated creation gets the same token, which is stored encrypted; another request under its key is 422', async () => {
    const { customerId } = await app.customer();
    const create = (name: string) =>
      operator.post(`/customers/${customerId}/keys`, { name, scopes: ['all'] }, once('k'));
    const [first, again] = [await create('x'), await create('x')];
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true']);
    expect((await create('y')).status).toBe(422);
    expect(await listKeys(app.ports, customerId)).toHaveLength(2);
    // The key of a customer is another one, though it reads the same.
    const client = await app.customer();
    expect((await client.post('/tags', { name: 'x' }, once('k'))).headers['idempotent-replayed']).toBeUndefined();
  });

  test('a key whose creation was cut off is made once, and its token is in the repeated response', async () => {
    const cut = await startApp({ operatorApi: true, ports: ({ store }) => ({ store: losingAnswers(store) }) });
    try {
      const { body: customer } = await (await cut.operator()).post('/customers', { name: 'ACME' });
      const path = `/customers/${customer.id}/keys`;
      const create = async () => (await cut.operator()).post(path, { name: 'x', scopes: ['photos:read'] }, once('k'));
      expect((await create()).status).toBe(500);
      const again = await create();
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
      const me = await cut.send({ path: '/api/v1/photos', headers: { authorization: `Bearer ${again.body.token}` } });
      expect(me.status).toBe(200);
      expect(await listKeys(cut.ports, customer.id)).toHaveLength(1);
    } finally {
      await cut.close();
    }
  });

  test('a deletion that was cut off is 204 when it is repeated, as it would have been', async () => {
    const cut = await startApp({ operatorApi: true, ports: ({ store }) => ({ store: losingAnswers(store) }) });
    try {
      const by = await cut.operator();
      const { body: customer } = await by.post('/customers', { name: 'ACME' });
      const path = `/customers/${customer.id}/keys`;
      await by.post(path, { name: 'x', scopes: ['photos:read'] });
      const [key] = await listKeys(cut.ports, customer.id);
      expect((await by.delete(`${path}/${key?.id}`, once('d'))).status).toBe(500);
      expect(await listKeys(cut.ports, customer.id)).toEqual([]);
      const again = await by.delete(`${path}/${key?.id}`, once('d'));
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([204, 'true']);
      expect((await by.delete(`${path}/${key?.id}`, once('e'))).status).toBe(404);
    } finally {
      await cut.close();
    }
  });

  test('a write is not executed again: deleting with an Idempotency-Key is 204 twice', async () => {
    const customer = await app.customer();
    const path = `/customers/${customer.customerId}/keys/${customer.keyId}`;
    expect((await operator.delete(path, once('d'))).status).toBe(204);
    const again = await operator.delete(path, once('d'));
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([204, 'true']);
  });

  test('the key of a customer never meets the same one of an operator', async () => {
    const customer = await app.customer();
    const edited = await operator.patch(`/customers/${customer.customerId}`, { name: 'x' }, once('same'));
    expect(edited.status).toBe(200);
    const tag = await customer.post('/tags', { name: 'x' }, once('same'));
    expect([tag.status, tag.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });
});

describe('people', () => {
  test('are invited by a link, listed and removed', async () => {
    const { id } = (await operator.post('/customers', { name: 'Studio' })).body;
    const path = `/customers/${id}/people`;
    const invited = await operator.post(path, { email: ' Anna@Example.com ' }, once('p'));
    const { person, link } = invited.body;
    expect([invited.status, person]).toEqual([
      201,
      {
        id: person.id,
        email: 'anna@example.com',
        role: 'owner',
        hasJoined: false,
        createdAt: expect.any(String),
        lastSignInAt: null,
      },
    ]);
    expect(link).toMatch(/^http:\/\/photos\.test\/settings\/enter\/[\w-]{43}$/);
    expect((await operator.post(path, { email: ' Anna@Example.com ' }, once('p'))).body.link).toBe(link);
    expect((await operator.post(path, { email: 'anna@example.com', role: 'editor' })).body).toMatchObject({
      person: { role: 'owner' },
    });
    expect((await operator.get(path)).body.data).toEqual([person]);
    expect((await operator.post(path, { email: 'x' })).body.error.details.errors[0]).toMatchObject({ field: 'email' });
    expect((await operator.delete(`${path}/${person.id}`)).status).toBe(204);
    expect((await operator.delete(`${path}/${person.id}`)).status).toBe(404);
    expect((await operator.get(path)).body.data).toEqual([]);
  });
});

describe('keys and webhooks', () => {
  test.each([
    ['keys', { name: 'app', scopes: ['photos:read'] }, { name: 'other' }],
    ['webhooks', { url: 'https://example.com/hook' }, { description: 'other' }],
  ])('of %s, only the state that If-Match names is changed or deleted', async (kind, made, change) => {
    const { id } = (await operator.post('/customers', { name: 'Studio' })).body;
    const path = `/customers/${id}/${kind}/${(await operator.post(`/customers/${id}/${kind}`, made)).body.id}`;
    const stale = { 'if-match': String((await operator.get(path)).headers.etag) };
    const changed = await operator.patch(path, change, stale);
    expect([changed.status, changed.body]).toMatchObject([200, change]);
    const current = String(changed.headers.etag);
    for (const refused of [await operator.patch(path, change, stale), await operator.delete(path, stale)]) {
      expect([refused.status, refused.body.error]).toMatchObject([
        412,
        { code: 'precondition_failed', details: { currentEtag: current } },
      ]);
    }
    expect((await operator.get(path)).body).toEqual(changed.body);
    expect((await operator.delete(path, { 'if-match': `W/${current}` })).status).toBe(204);
  });
});

describe('webhooks', () => {
  test('are created with a secret, read, changed and deleted', async () => {
    const { id } = (await operator.post('/customers', { name: 'Studio' })).body;
    const path = `/customers/${id}/webhooks`;
    const input = { url: 'https://example.com/hook', events: ['photo.created'] };
    const made = await operator.post(path, input, once('w'));
    const { secret, ...endpoint } = made.body;
    expect(made.headers['cache-control']).toBe('no-store');
    expect([made.status, endpoint]).toEqual([
      201,
      {
        ...input,
        id: endpoint.id,
        description: null,
        enabled: true,
        disabledReason: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect(secret).toMatch(/^whsec_/);
    expect((await operator.post(path, input, once('w'))).body).toEqual(made.body);
    expect((await operator.get(path)).body.data).toEqual([endpoint]);
    const off = await operator.patch(`${path}/${endpoint.id}`, { enabled: false, description: 'off' });
    expect(off.body).toMatchObject({ enabled: false, disabledReason: 'by_owner', description: 'off', url: input.url });
    expect((await operator.get(`${path}/${endpoint.id}`)).body).toEqual(off.body);
    const wrong = await operator.post(path, { url: 'http://x', events: ['nothing'] });
    expect(wrong.status).toBe(400);
    expect((await operator.delete(`${path}/${endpoint.id}`)).status).toBe(204);
    expect((await operator.get(`${path}/${endpoint.id}`)).status).toBe(404);
  });
});

describe('usage', () => {
  test('is the sum of what keys and delivery keys were counted with, as JSON and as CSV', async () => {
    const customer = await app.customer();
    const other = await customer.withKey({ scopes: ['tags:read'] });
    await importPhotos(app, customer, [{ filename: 'a.jpg', content: picture('a') }]);
    await other.get('/photos');
    await customer.get('/me');
    const day = app.clock.now().toISOString().slice(0, 10);
    const image = { customerId: customer.customerId, deliveryKeyId: 5, day, requests: 3, bytes: 700, made: 1 };
    await app.writeCounts();
    await app.ports.traffic.add({
      counts: [],
      hours: [],
      failures: [],
      pictures: [image, { ...image, deliveryKeyId: 6 }],
      transfers: [{ customerId: customer.customerId, day, channel: 'shares', receivedBytes: 5, sentBytes: 9 }],
    });
    await countStorage(app.ports);
    const path = `/customers/${customer.customerId}/usage`;
    const { body } = await operator.get(path);
    const counts = await app.ports.store.query(customer.customerId, ({ traffic }) => traffic.counts(day));
    const requests = counts.reduce((sum, count) => sum + count.requests, 0);
    expect(requests).toBeGreaterThan(4);
    expect(body).toMatchObject({ photos: 1, trashedPhotos: 0, storageBytes: picture('a').length, trashedBytes: 0 });
    expect(body.days).toHaveLength(30);
    const today = { day, requests, limited: 0, failed: 1, images: 6, imageBytes: 1400, imagesMade: 2 };
    const stored = { photos: 1, storageBytes: picture('a').length, renditionBytes: 0 };
    const transfers = await app.ports.store.query(customer.customerId, ({ traffic }) => traffic.transfers(day));
    const sumOf = (name: 'receivedBytes' | 'sentBytes') => transfers.reduce((sum, count) => sum + count[name], 0);
    const transferred = { receivedBytes: sumOf('receivedBytes'), sentBytes: sumOf('sentBytes') };
    expect(transfers.map(({ channel }) => channel)).toEqual(['api', 'shares']);
    expect(body.days.at(-1)).toEqual({ ...today, ...stored, ...transferred });
    expect(body.days[0]).toMatchObject({ requests: 0, images: 0, photos: null, storageBytes: null });

    const csv = await operator.get(`${path}?format=csv`);
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = csv.text.split('\r\n');
    expect(lines[0]).toBe(
      'day,requests,limited,failed,images,imageBytes,imagesMade,photos,storageBytes,renditionBytes,receivedBytes,sentBytes',
    );
    expect(lines.slice(1, -1).map((line) => line.split(',')[0])).toEqual(
      body.days.map((each: { day: string }) => each.day),
    );
    const bytes = `${transferred.receivedBytes},${transferred.sentBytes}`;
    expect(lines.at(-2)).toBe(`${day},${requests},0,1,6,1400,2,1,${picture('a').length},0,${bytes}`);
    expect(lines[1]).toMatch(/,0,0,0,0,0,0,,,,0,0$/);
    const report = await readDailyUsage(app.ports, customer.customerId);
    expect(report.days.at(-1)).toMatchObject({ ...today, ...transferred, stored });
  });
});

test('the document is served, and revalidated', async () => {
  const answer = await app.send({ path: '/operator/openapi.json' });
  expect([answer.status, answer.body.info.title]).toEqual([200, 'Photo Service, operator API']);
  const headers = { 'if-none-match': String(answer.headers.etag) };
  expect((await app.send({ path: '/operator/openapi.json', headers })).status).toBe(304);
});
