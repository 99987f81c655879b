import { randomUUID } from 'node:crypto';
import { TypeormKeyFinder } from '../../src/adapters/typeorm/access/api-key.repository.js';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { TypeormIdempotencyStore } from '../../src/adapters/typeorm/idempotency/idempotency.repository.js';
import { TypeormJobQueue } from '../../src/adapters/typeorm/jobs/job.repository.js';
import { CLAIM_LEASE_SECONDS, sweepIdempotencyKeys } from '../../src/core/idempotency/claim-key.js';
import type { CustomerStore, Ports } from '../../src/core/ports.js';
import { DAY, MINUTE, SECOND } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { MemoryKeyFinder } from '../../testing/memory/access/memory-keys.js';
import { MemoryCustomerStore } from '../../testing/memory/memory-customer-store.js';
import { MemoryCustomerDirectory } from '../../testing/memory/memory-customers.js';
import { MemoryDatabase } from '../../testing/memory/memory-database.js';
import { MemoryIdempotencyStore } from '../../testing/memory/memory-idempotency-store.js';
import { MemoryJobQueue } from '../../testing/memory/memory-job-queue.js';
import { testDatabase } from '../support/postgres.js';
import { atOnce, Gate } from '../support/tenant.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, multipart, picture, sha256 } from './support/photos.js';
import { Actor, type RunningApp, startApp } from './support/start-app.js';

/** The transactions of the tests' app, which a test can hold up or break. */
class BreakableStore implements CustomerStore {
  /** Runs instead of each transaction; gets the real one. */
  instead: <T>(transaction: () => Promise<T>) => Promise<T> = (transaction) => transaction();

  constructor(private readonly store: CustomerStore) {}

  transaction: CustomerStore['transaction'] = (customerId, work) =>
    this.instead(() => this.store.transaction(customerId, work));

  query: CustomerStore['query'] = (customerId, work) => this.store.query(customerId, work);
}

let app: RunningApp;
let actor: Actor;
let database: MemoryDatabase;
let memory: MemoryCustomerStore;
let store: BreakableStore;

function portsOnDatabase({ clock }: Ports): Partial<Ports> {
  database = new MemoryDatabase();
  memory = new MemoryCustomerStore(database, clock);
  store = new BreakableStore(memory);
  return {
    store,
    customers: new MemoryCustomerDirectory(database),
    keys: new MemoryKeyFinder(database),
    jobs: new MemoryJobQueue(database, clock),
    idempotency: new MemoryIdempotencyStore(database, clock),
  };
}

beforeAll(async () => {
  app = await startApp({ ports: portsOnDatabase });
});
beforeEach(async () => {
  actor = await app.customer();
});
afterEach(() => {
  store.instead = (transaction) => transaction();
});
afterAll(() => app.close());

const key = (value: string = randomUUID()) => ({ 'idempotency-key': value });
const isReplayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';
const seen = (answer: Answer) => [answer.status, answer.text, answer.headers.location];
const code = (answer: Answer) => [answer.status, answer.body.error.code];
const tagCount = async (client = actor) => (await client.get('/tags')).body.data.length;
const openImports = async (client = actor) => (await client.get('/customer')).body.usage.openImports;

describe('the key', () => {
  test('is optional: without it every request is done', async () => {
    const answers = [await actor.post('/imports'), await actor.post('/imports')];
    expect(answers.map((answer) => [answer.status, isReplayed(answer)])).toEqual([
      [201, false],
      [201, false],
    ]);
    expect(await openImports()).toBe(2);
  });

  test.each([
    ['one character', 'a'],
    ['255 characters', 'x'.repeat(255)],
    ['255 characters in quotes', `"${'x'.repeat(255)}"`],
    ['a UUID', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['every visible character', Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('')],
    ['a quote in the middle', 'a"b'],
  ])('can be %s', async (_, value) => {
    const answers = [await actor.post('/imports', {}, key(value)), await actor.post('/imports', {}, key(value))];
    expect(answers.map((answer) => [answer.status, isReplayed(answer)])).toEqual([
      [201, false],
      [201, true],
    ]);
  });

  test.each([
    ['nothing', ''],
    ['empty quotes', '""'],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters in quotes', `"${'x'.repeat(256)}"`],
    ['a space', 'a b'],
    ['a space in quotes', '"a b"'],
    ['a tab', 'a\tb'],
    ['what is not ASCII', 'clé'],
    ['half a quote', '"abc'],
    ['more behind the quotes', '"abc"d'],
    ['an escape of nothing', '"a\\b"'],
    ['two headers', ['a', 'b']],
  ])('%s is 400, and nothing is done', async (_, value) => {
    const headers = { 'idempotency-key': value };
    const answer = await actor.post('/imports', {}, headers);
    expect(code(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details.errors).toEqual([
      { field: 'Idempotency-Key', code: 'invalid_format', message: expect.any(String) },
    ]);
    expect(await openImports()).toBe(0);
  });

  test('is the same quoted and bare', async () => {
    const value = `a"\\${randomUUID()}`;
    const first = await actor.post('/imports', {}, key(value));
    const again = await actor.post('/imports', {}, key(`"${value.replace(/["\\]/g, '\\$&')}"`));
    expect([isReplayed(again), again.body]).toEqual([true, first.body]);
  });

  test('is ignored on a read', async () => {
    const headers = { 'idempotency-key': 'not a key' };
    expect((await actor.get('/tags', headers)).status).toBe(200);
    const same = key();
    expect((await actor.get('/tags', same)).body.data).toEqual([]);
    await actor.post('/tags', { name: 'Paris' }, same);
    expect((await actor.get('/tags', same)).body.data).toHaveLength(1);
  });

  test('belongs to the customer: a retry after key rotation still matches, a stranger has keys of its own', async () => {
    const same = key();
    const first = await actor.post('/imports', {}, same);
    const rotated = await actor.withKey({});
    await actor.deleteKey();
    expect(seen(await rotated.post('/imports', {}, same))).toEqual(seen(first));
    const stranger = await app.customer();
    const other = await stranger.post('/imports', {}, same);
    expect([other.status, isReplayed(other)]).toEqual([201, false]);
    expect(other.body.id).not.toBe(first.body.id);
  });

  test('is kept for 24 hours', async () => {
    const same = key();
    const first = await actor.post('/imports', {}, same);
    app.clock.pass(DAY);
    const after24h = await actor.post('/imports', {}, same);
    expect([isReplayed(after24h), after24h.body.id]).toEqual([true, first.body.id]);
    app.clock.pass(1);
    const later = await actor.post('/imports', {}, same);
    expect([later.status, isReplayed(later)]).toEqual([201, false]);
    expect(later.body.id).not.toBe(first.body.id);
  });

  test('is swept after 24 hours, and not before', async () => {
    await actor.post('/imports', {}, key());
    app.clock.pass(DAY);
    await sweepIdempotencyKeys(app.ports);
    expect(database.idempotencyKeys.all().length).toBeGreaterThan(0);
    app.clock.pass(1);
    const left = database.idempotencyKeys.all().length;
    expect(await sweepIdempotencyKeys(app.ports)).toBe(left);
    expect(database.idempotencyKeys.all()).toEqual([]);
  });
});

describe('a repeated request', () => {
  test('POST /imports: the same status, body, Location and ETag, and one import', async () => {
    const same = key();
    const body = { name: 'Paris', tagNames: ['A'] };
    const first = await actor.post('/imports', body, same);
    const again = await actor.post('/imports', body, same);
    expect(seen(again)).toEqual(seen(first));
    expect(again.headers.etag).toBe(first.headers.etag);
    expect([isReplayed(first), isReplayed(again)]).toEqual([false, true]);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await openImports()).toBe(1);
  });

  test('gets the stored answer, whatever has happened since', async () => {
    const same = key();
    const first = await actor.post('/tags', { name: 'Paris' }, same);
    await actor.patch(`/tags/${first.body.id}`, { name: 'London' });
    expect(seen(await actor.post('/tags', { name: 'Paris' }, same))).toEqual(seen(first));
    await actor.delete(`/tags/${first.body.id}`);
    expect(seen(await actor.post('/tags', { name: 'Paris' }, same))).toEqual(seen(first));
    expect(await tagCount()).toBe(0);
  });

  test('has its stored answer for every other write of one resource', async () => {
    const [photo, doomed, purged] = await importPhotos(
      app,
      actor,
      ['a', 'b', 'c'].map((title) => ({ filename: `${title}.jpg`, content: picture(title) })),
    );
    const tag = (await actor.post('/tags', { name: 'Paris' })).body;
    const merged = (await actor.post('/tags', { name: 'Pariss' })).body;
    const subject = (await actor.post('/imports')).body;
    const writes: readonly (readonly [string, string, unknown])[] = [
      ['PATCH', `/photos/${photo.id}`, { title: 'new' }],
      ['PUT', `/photos/${photo.id}/tags`, { tagIds: [tag.id], tagNames: ['Rome'] }],
      ['PATCH', `/tags/${tag.id}`, { color: '#aabbcc', mergeTagIds: [merged.id] }],
      ['DELETE', `/tags/${tag.id}`, undefined],
      ['DELETE', `/photos/${doomed.id}`, undefined],
      ['DELETE', `/photos/${purged.id}?permanent=true`, undefined],
      ['POST', `/imports/${subject.id}/finalize`, undefined],
    ];
    for (const [method, path, body] of writes) {
      const request = { method, path: `/api/v1${path}`, body, headers: key() };
      const first = await actor.send(request);
      const again = await actor.send(request);
      expect([method, path, first.status < 300, isReplayed(first)]).toEqual([method, path, true, false]);
      expect([isReplayed(again), ...seen(again)]).toEqual([true, ...seen(first)]);
    }
    expect((await actor.get(`/photos/${photo.id}`)).body).toMatchObject({ title: 'new', version: 4 });
    expect((await actor.delete(`/photos/${doomed.id}`)).status).toBe(404);
  });

  test('has its stored answer for bulk writes, without an ETag', async () => {
    const photos = await importPhotos(
      app,
      actor,
      ['a', 'b'].map((title) => ({ filename: `${title}.jpg`, content: picture(`bulk ${title}`) })),
    );
    const ids = photos.map(({ id }) => id).join();
    for (const [method, path, body] of [
      ['POST', '/tags', { tags: [{ name: 'x' }, { name: 'y' }] }],
      ['PATCH', `/photos/${ids}`, { title: 'both' }],
      ['DELETE', `/photos/${ids}`, undefined],
    ] as const) {
      const request = { method, path: `/api/v1${path}`, body, headers: key() };
      const first = await actor.send(request);
      const again = await actor.send(request);
      expect([first.status, first.headers.etag]).toEqual([200, undefined]);
      expect([isReplayed(again), again.headers.etag, ...seen(again)]).toEqual([true, undefined, ...seen(first)]);
    }
  });

  test('counts against the budget, and shows its own', async () => {
    const client = await actor.withKey({ writeLimit: 3 });
    const same = key();
    const answers = await Promise.all([client.post('/imports', {}, same)]);
    for (let call = 2; call <= 4; call += 1) answers.push(await client.post('/imports', {}, same));
    expect(answers.map(({ status, headers }) => [status, headers['x-ratelimit-remaining']])).toEqual([
      [201, '2'],
      [201, '1'],
      [201, '0'],
      [429, '0'],
    ]);
    expect(answers.map(isReplayed)).toEqual([false, true, true, false]);
  });

  test('is not answered to a key without the scope', async () => {
    const same = key();
    await actor.post('/imports', {}, same);
    const reader = await actor.withKey({ scopes: ['photos:read'] });
    expect(code(await reader.post('/imports', {}, same))).toEqual([403, 'scope_required']);
  });
});

describe('the same key for another request', () => {
  test('is refused with 422 for another body, path, method or query, and nothing is done', async () => {
    const same = key();
    const first = await actor.post('/tags', { name: 'Paris' }, same);
    const id = first.body.id;
    const others = [
      await actor.post('/tags', { name: 'London' }, same),
      await actor.post('/tags', { name: 'Paris', color: null }, same),
      await actor.post('/tags?ifExists=return', { name: 'Paris' }, same),
      await actor.post('/imports', { name: 'Paris' }, same),
      await actor.patch(`/tags/${id}`, { name: 'London' }, same),
      await actor.delete(`/tags/${id}`, same),
    ];
    for (const other of others) expect(code(other)).toEqual([422, 'idempotency_key_reused']);
    expect((await actor.get(`/tags/${id}`)).body).toEqual(first.body);
    expect([await tagCount(), await openImports()]).toEqual([1, 0]);
    expect(seen(await actor.post('/tags', { name: 'Paris' }, same))).toEqual(seen(first));
  });

  test('is recognized whatever the order of fields and parameters, or white space', async () => {
    const same = key();
    const first = await actor.post('/tags', '{"name":"Paris","color":"#aabbcc"}', same);
    const again = await actor.post('/tags', '{ "color": "#aabbcc",\n "name": "Paris" }', same);
    expect([isReplayed(again), again.body]).toEqual([true, first.body]);
  });

  test('is recognized whatever body a DELETE has', async () => {
    const { id } = (await actor.post('/tags', { name: 'Paris' })).body;
    const same = key();
    expect((await actor.delete(`/tags/${id}`, same)).status).toBe(204);
    const again = await actor.send({ method: 'DELETE', path: `/api/v1/tags/${id}`, body: 'x', headers: same });
    expect([again.status, isReplayed(again), again.bytes.length]).toEqual([204, true, 0]);
  });
});

describe('while the first request runs', () => {
  test('a repeated request is 409 with Retry-After: 1, and gets the answer afterwards', async () => {
    const same = key();
    const [begun, go] = [new Gate(), new Gate()];
    store.instead = async (transaction) => {
      begun.open();
      await go.opened;
      return transaction();
    };
    const first = actor.post('/imports', {}, same);
    await begun.opened;
    const meanwhile = await actor.post('/imports', {}, same);
    expect([...code(meanwhile), meanwhile.headers['retry-after']]).toEqual([409, 'idempotency_in_progress', '1']);
    expect(code(await actor.post('/imports', { name: 'x' }, same))).toEqual([422, 'idempotency_key_reused']);
    go.open();
    expect((await first).status).toBe(201);
    expect(seen(await actor.post('/imports', {}, same))).toEqual(seen(await first));
    expect(await openImports()).toBe(1);
  });

  test('twenty requests at once have one effect, and the others get 409 or its answer', async () => {
    const same = key();
    const answers = await atOnce(20, () => actor.post('/imports', {}, same));
    expectOneEffect(answers);
    expect(await openImports()).toBe(1);
  });

  test('a request is taken over once its lease has expired, and can no longer complete', async () => {
    const same = key();
    const [begun, go] = [new Gate(), new Gate()];
    store.instead = async (transaction) => {
      begun.open();
      await go.opened;
      return transaction();
    };
    const stuck = actor.post('/imports', {}, same);
    await begun.opened;
    store.instead = (transaction) => transaction();
    app.clock.pass(CLAIM_LEASE_SECONDS * SECOND - 1);
    expect(code(await actor.post('/imports', {}, same))).toEqual([409, 'idempotency_in_progress']);
    app.clock.pass(1);
    const second = await actor.post('/imports', {}, same);
    expect([second.status, isReplayed(second)]).toEqual([201, false]);
    go.open();
    expect(code(await stuck)).toEqual([409, 'idempotency_in_progress']);
    expect(await openImports()).toBe(1);
    expect(seen(await actor.post('/imports', {}, same))).toEqual(seen(second));
  });
});

function expectOneEffect(answers: readonly Answer[]): void {
  const done = answers.filter((answer) => answer.status === 201);
  expect(done.filter((answer) => !isReplayed(answer))).toHaveLength(1);
  expect(new Set(done.map((answer) => answer.text)).size).toBe(1);
  for (const refused of answers.filter((answer) => answer.status !== 201)) {
    expect(code(refused)).toEqual([409, 'idempotency_in_progress']);
  }
}

describe('errors that are stored', () => {
  /** The same error again, naming the request that it was first given to. */
  async function expectKept(ask: (headers: Record<string, string>) => Promise<Answer>, fix: () => Promise<unknown>) {
    const same = key();
    const first = await ask(same);
    await fix();
    const again = await ask(same);
    expect([isReplayed(again), again.status, again.body]).toEqual([true, first.status, first.body]);
    expect(again.body.error.requestId).toBe(first.headers['x-request-id']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect([again.headers['cache-control'], again.headers.etag]).toEqual(['no-store', undefined]);
    const anew = await ask(key());
    expect([anew.status < 300, isReplayed(anew)]).toEqual([true, false]);
    return first;
  }

  test('include 404', async () => {
    const { id } = (await actor.post('/tags', { name: 'Paris' })).body;
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('kept 404') }]);
    await actor.delete(`/photos/${photo.id}`);
    const first = await expectKept(
      (headers) => actor.put(`/photos/${photo.id}/tags`, { tagIds: [id] }, headers),
      () => actor.patch(`/photos/${photo.id}`, { trashed: false }),
    );
    expect(code(first)).toEqual([404, 'not_found']);
  });

  test('include 409', async () => {
    const { id } = (await actor.post('/tags', { name: 'Paris' })).body;
    const first = await expectKept(
      (headers) => actor.post('/tags', { name: 'PARIS' }, headers),
      () => actor.delete(`/tags/${id}`),
    );
    expect([...code(first), first.body.error.details]).toEqual([409, 'tag_name_taken', { tagId: id }]);
  });

  test('include 412', async () => {
    const { id } = (await actor.post('/tags', { name: 'Paris' })).body;
    const { etag = '' } = (await actor.patch(`/tags/${id}`, { name: 'Rome' })).headers;
    await actor.patch(`/tags/${id}`, { name: 'London' });
    const first = await expectKept(
      (headers) => actor.patch(`/tags/${id}`, { color: '#000000' }, { ...headers, 'if-match': etag }),
      // Back to the version that the condition names, which only the database can bring about.
      () => restore(id, etag),
    );
    expect(code(first)).toEqual([412, 'precondition_failed']);
  });

  async function restore(id: number, etag: string): Promise<void> {
    const tag = database.tags.get(id);
    if (!tag) throw new Error('no such tag');
    await database.transaction(async () =>
      database.tags.set(id, { ...tag, name: 'Rome', nameKey: 'rome', version: tag.version - 1 }),
    );
    expect((await actor.get(`/tags/${id}`)).headers.etag).toBe(etag);
  }

  test('include 403 quota_exceeded', async () => {
    const { id } = (await actor.post('/imports')).body;
    await memory.change(actor.customerId, { photosLimit: 0 });
    const photos = [{ filename: 'a.jpg', sizeBytes: 1000 }];
    const first = await expectKept(
      (headers) => actor.post(`/imports/${id}/photos`, { photos }, headers),
      () => memory.change(actor.customerId, { photosLimit: null }),
    );
    expect(code(first)).toEqual([403, 'quota_exceeded']);
  });

  test('include 422 no_photos_accepted', async () => {
    const { id } = (await actor.post('/imports')).body;
    const same = key();
    const photos = [{ filename: 'a.jpg', sizeBytes: 0 }];
    const first = await actor.post(`/imports/${id}/photos`, { photos }, same);
    expect(code(first)).toEqual([422, 'no_photos_accepted']);
    const again = await actor.post(`/imports/${id}/photos`, { photos }, same);
    expect([isReplayed(again), again.status, again.body]).toEqual([true, 422, first.body]);
  });
});

describe('errors that are not stored: the same key works once the cause is gone', () => {
  async function expectFree(first: Answer, status: number, again: () => Promise<Answer>): Promise<void> {
    expect([first.status, isReplayed(first)]).toEqual([status, false]);
    const answer = await again();
    expect([answer.status, isReplayed(answer)]).toEqual([201, false]);
  }

  test('include 400, found in the shape or in the values', async () => {
    for (const wrong of [{ name: 1 }, { name: ' ' }, '{']) {
      const same = key();
      await expectFree(await actor.post('/tags', wrong, same), 400, () =>
        actor.post('/tags', { name: same['idempotency-key'] }, same),
      );
    }
  });

  test('include 401', async () => {
    const same = key();
    const stranger = await app.send({ method: 'POST', path: '/api/v1/imports', headers: same });
    await expectFree(stranger, 401, () => actor.post('/imports', undefined, same));
  });

  test('include 403 for a scope, of the route or of the body', async () => {
    const writer = await actor.withKey({ scopes: ['photos:write'] });
    const [one, two] = [key(), key()];
    await expectFree(await writer.post('/tags', { name: 'a' }, one), 403, () =>
      actor.post('/tags', { name: 'a' }, one),
    );
    const body = { tagNames: ['b'] };
    await expectFree(await writer.post('/imports', body, two), 403, () => actor.post('/imports', body, two));
  });

  test('include 413 and 415', async () => {
    const [one, two] = [key(), key()];
    const large = await actor.post('/tags', { name: 'x'.repeat(1024 * 1024) }, one);
    await expectFree(large, 413, () => actor.post('/tags', { name: 'c' }, one));
    const odd = await actor.post('/tags', '{"name":"d"}', { ...two, 'content-type': 'text/plain' });
    await expectFree(odd, 415, () => actor.post('/tags', { name: 'd' }, two));
  });

  test('include 429', async () => {
    const client = await actor.withKey({ writeLimit: 1 });
    await client.post('/imports');
    const same = key();
    const refused = await client.post('/imports', {}, same);
    app.clock.pass(MINUTE);
    await expectFree(refused, 429, () => client.post('/imports', {}, same));
  });

  test('include 500 and 503: the work is undone and the key is free', async () => {
    for (const [status, error] of [
      [500, new Error('a bug')],
      [503, new DomainError('service_unavailable', 'Not now.')],
    ] as const) {
      const before = await openImports();
      const same = key();
      store.instead = () => Promise.reject(error);
      const failed = await actor.post('/imports', {}, same);
      store.instead = (transaction) => transaction();
      await expectFree(failed, status, () => actor.post('/imports', {}, same));
      expect(await openImports()).toBe(before + 1);
    }
  });
});

describe('an unknown outcome', () => {
  /** The change is committed, and then nobody hears of it. */
  const losesItsAnswer = async <T>(transaction: () => Promise<T>): Promise<T> => {
    await transaction();
    throw new DomainError('service_unavailable', 'The connection was cut.');
  };

  test.each([
    ['POST', '/imports', {}, 201],
    ['POST', '/tags', { name: 'once' }, 201],
    ['POST', '/imports/:import/photos', { photos: [{ filename: 'a.jpg', sizeBytes: 7 }] }, 201],
    ['PATCH', '/tags/:tag', { name: 'edited' }, 200],
    ['DELETE', '/tags/:tag', undefined, 204],
  ])('%s %s: a commit whose answer was lost is found again by its key', async (method, path, body, status) => {
    const subject = (await actor.post('/imports')).body.id;
    const tag = (await actor.post('/tags', { name: 'a tag' })).body.id;
    const at = path.replace(':import', subject).replace(':tag', tag);
    const request = { method, path: `/api/v1${at}`, body, headers: key() };
    store.instead = losesItsAnswer;
    expect((await actor.send(request)).status).toBe(503);
    store.instead = (transaction) => transaction();
    const before = await state(subject);
    const again = await actor.send(request);
    expect([again.status, isReplayed(again)]).toEqual([status, true]);
    expect(await state(subject)).toEqual(before);
  });

  test('a list of photos whose capture times are shifted is shifted once, although a shift does not find its work done', async () => {
    const photos = await importPhotos(
      app,
      actor,
      ['a', 'b'].map((title) => ({ filename: `${title}.jpg`, content: picture(`shift ${title}`) })),
    );
    const path = `/api/v1/photos/${photos.map(({ id }) => id).join()}`;
    await actor.send({ method: 'PATCH', path, body: { takenAt: '2024-12-21T23:39:24+01:00' } });
    const request = { method: 'PATCH', path, body: { shiftTakenAt: { seconds: -3600 } }, headers: key() };
    store.instead = losesItsAnswer;
    expect((await actor.send(request)).status).toBe(503);
    store.instead = (transaction) => transaction();
    const again = await actor.send(request);
    expect([again.status, isReplayed(again)]).toEqual([200, true]);
    expect(again.body.data).toMatchObject(photos.map(({ id }) => ({ id, outcome: 'updated', photo: { version: 3 } })));
    for (const { id } of photos) {
      const { body } = await actor.get(`/photos/${id}`);
      expect([body.takenAtLocal, body.version]).toEqual(['2024-12-21T22:39:24', 3]);
    }
  });

  async function state(importId: number) {
    const [tags, imports] = [await actor.get('/tags'), await actor.get(`/imports/${importId}`)];
    return [tags.body.data, imports.body.counts, await openImports()];
  }

  test('a process that ends between commit and answer leaves both: the work and its answer', async () => {
    const same = key();
    const [committed, over] = [new Gate(), new Gate()];
    store.instead = async (transaction) => {
      await transaction();
      committed.open();
      await over.opened;
      throw new Error('nobody hears this');
    };
    const lost = actor.post('/imports', {}, same);
    await committed.opened;
    store.instead = (transaction) => transaction();
    const again = await actor.post('/imports', {}, same);
    expect([again.status, isReplayed(again)]).toEqual([201, true]);
    expect(again.headers.location).toBe(`/api/v1/imports/${again.body.id}`);
    expect(await openImports()).toBe(1);
    over.open();
    await lost;
  });

  test('a process that ends before the commit leaves neither, and its key is free when its lease has run out', async () => {
    const same = key();
    const [begun, over] = [new Gate(), new Gate()];
    store.instead = async () => {
      begun.open();
      await over.opened;
      throw new Error('nobody hears this');
    };
    const lost = actor.post('/imports', {}, same);
    await begun.opened;
    store.instead = (transaction) => transaction();
    expect(code(await actor.post('/imports', {}, same))).toEqual([409, 'idempotency_in_progress']);
    app.clock.pass(CLAIM_LEASE_SECONDS * SECOND);
    expect((await actor.post('/imports', {}, same)).status).toBe(201);
    expect(await openImports()).toBe(1);
    over.open();
    await lost;
  });

  test('a response that cannot be stored is sent all the same', async () => {
    const { id } = (await actor.post('/imports')).body;
    let transactions = 0;
    store.instead = (transaction) => {
      transactions += 1;
      if (transactions > 1) return Promise.reject(new DomainError('service_unavailable', 'Not now.'));
      return transaction();
    };
    const answer = await actor.post(`/imports/${id}/finalize`, {}, key());
    expect([answer.status, answer.body.status]).toEqual([200, 'completed']);
    expect(app.log.some((line) => line.includes('could not be stored'))).toBe(true);
  });
});

describe('POST /imports/{id}/photos', () => {
  const file = (title: string) => ({ filename: `${title}.jpg`, content: picture(title) });
  const words = (title: string) => ({
    filename: `${title}.jpg`,
    sizeBytes: picture(title).length,
    sha256: sha256(picture(title)),
  });
  const open = async () => (await actor.post('/imports')).body.id as number;
  const files = (
    id: number,
    parts: Parameters<typeof multipart>[0],
    headers: Record<string, string>,
    boundary?: string,
  ) => {
    const { body, type } = multipart(parts, boundary);
    return actor.post(`/imports/${id}/photos`, body, { 'content-type': type, ...headers });
  };

  test('keeps no upload target; a repetition gets fresh ones, which work', async () => {
    const id = await open();
    const same = key();
    const body = { photos: [words('a'), { filename: 'bad.jpg', sizeBytes: 0 }, words('b'), words('a')] };
    const first = await actor.post(`/imports/${id}/photos`, body, same);
    expect(first.body.data[0].photo.upload.url).toContain('/uploads/');
    expect(JSON.stringify(database.idempotencyKeys.all())).not.toContain('/uploads/');
    app.clock.pass(7 * 60 * MINUTE);
    const again = await actor.post(`/imports/${id}/photos`, body, same);
    expect([again.status, isReplayed(again)]).toEqual([201, true]);
    expect(withoutTargets(again)).toEqual(withoutTargets(first));
    const { upload } = again.body.data[2].photo;
    expect(new Date(upload.expiresAt).getTime()).toBeGreaterThan(app.clock.now().getTime());
    const put = { method: 'PUT', path: new URL(upload.url).pathname, headers: upload.headers };
    expect((await app.send({ ...put, body: picture('b') })).status).toBe(204);
    expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(3);
  });

  const withoutTargets = ({ body }: Answer) =>
    JSON.parse(JSON.stringify(body), (name, value: unknown) => (name === 'upload' ? value && 'a target' : value));

  test('shows items in their current state', async () => {
    const id = await open();
    const same = key();
    const body = { photos: [words('moves on')] };
    const first = await actor.post(`/imports/${id}/photos`, body, same);
    const { upload } = first.body.data[0].photo;
    await app.send({
      method: 'PUT',
      path: new URL(upload.url).pathname,
      headers: upload.headers,
      body: picture('moves on'),
    });
    const again = await actor.post(`/imports/${id}/photos`, body, same);
    expect(again.body.data[0]).toMatchObject({ outcome: 'created', photo: { status: 'processing', upload: null } });
  });

  test('shows the current state of an item after a repeated PATCH, too', async () => {
    const id = await open();
    const { data } = (await actor.post(`/imports/${id}/photos`, { photos: [words('patched')] })).body;
    const path = `/imports/${id}/photos/${data[0].photo.id}`;
    const same = key();
    const first = await actor.patch(path, { title: 'x' }, same);
    expect(first.body.upload.url).toContain('/uploads/');
    expect(JSON.stringify(database.idempotencyKeys.all())).not.toContain('/uploads/');
    const again = await actor.patch(path, { title: 'x' }, same);
    expect([isReplayed(again), again.status, withoutTargets(again)]).toEqual([true, 200, withoutTargets(first)]);
    expect(again.body.upload.url).toContain('/uploads/');
  });

  test('stores files in the request once', async () => {
    const id = await open();
    const same = key();
    const first = await files(id, [file('one'), file('two')], same);
    const again = await files(id, [file('one'), file('two')], same, 'another-boundary');
    expect([first.status, isReplayed(first)]).toEqual([201, false]);
    expect([isReplayed(again), ...seen(again)]).toEqual([true, ...seen(first)]);
    expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(2);
  });

  test('compares a multipart body by its part photos', async () => {
    const id = await open();
    const same = key();
    const said = (title: string) => ({ name: 'photos', content: JSON.stringify([{ title }]) });
    const first = await files(id, [said('A'), file('x')], same);
    expect(first.status).toBe(201);
    expect(code(await files(id, [said('B'), file('x')], same))).toEqual([422, 'idempotency_key_reused']);
    expect(code(await files(id, [file('x')], same))).toEqual([422, 'idempotency_key_reused']);
    expect(isReplayed(await files(id, [said('A'), file('y')], same))).toBe(true);
  });

  test('a large body that is not needed is no obstacle, for the next request on its connection either', async () => {
    const id = await open();
    const headers = { ...key(), authorization: `Bearer ${actor.token}` };
    const url = `${app.url}/api/v1/imports/${id}/photos`;
    const upload = () => {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(picture('x'.repeat(3_000_000)))]), 'large.jpg');
      return fetch(url, { method: 'POST', headers, body });
    };
    const first = await upload();
    const text = await first.text();
    for (let call = 1; call <= 3; call += 1) {
      const again = await upload();
      expect([again.status, again.headers.get('idempotent-replayed'), await again.text()]).toEqual([201, 'true', text]);
      const me = await fetch(`${app.url}/api/v1/me`, { headers });
      expect(await me.json()).toMatchObject({ apiKey: { id: actor.keyId } });
    }
    expect(await staged()).toHaveLength(1);
  });

  test('registers one file when twenty requests come at once, and leaves one staged', async () => {
    const id = await open();
    const same = key();
    expectOneEffect(await atOnce(20, () => files(id, [file('crowd')], same)));
    expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(1);
    expect(await staged()).toHaveLength(1);
  });
});

async function staged(): Promise<string[]> {
  const names: string[] = [];
  for await (const { key: name } of app.ports.blobs.list(`staging/${actor.customerId}/`)) names.push(name);
  return names;
}

test('docs/reliability.md F17: a request that reaches two nodes on one database has one effect', async () => {
  const server = await testDatabase();
  const sources = await Promise.all([openDataSource(server), openDataSource(server)]);
  const nodes = await Promise.all(
    sources.map((source) =>
      startApp({
        ports: () => ({
          store: new TypeormCustomerStore(source),
          customers: new TypeormCustomerDirectory(source),
          keys: new TypeormKeyFinder(source),
          jobs: new TypeormJobQueue(source),
          idempotency: new TypeormIdempotencyStore(source),
        }),
      }),
    ),
  );
  try {
    const [one, two] = nodes as [RunningApp, RunningApp];
    const here = await one.customer();
    const there = new Actor(two.ports, two.url, here.customerId, here.keyId, here.token);
    for (let round = 1; round <= 5; round += 1) {
      const same = key();
      expectOneEffect(await atOnce(20, (at) => (at % 2 === 0 ? here : there).post('/imports', {}, same)));
      expect(await openImports(here)).toBe(round);
    }
    const { id } = (await here.post('/imports')).body;
    const same = key();
    const photos = [{ filename: 'a.jpg', sizeBytes: 7 }];
    expectOneEffect(
      await atOnce(20, (at) => (at % 2 === 0 ? here : there).post(`/imports/${id}/photos`, { photos }, same)).then(
        withoutBodies,
      ),
    );
    expect((await there.get(`/imports/${id}`)).body.counts.total).toBe(1);
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    await Promise.all(sources.map((source) => source.destroy()));
    await server.close();
  }
});

/** Upload targets differ by node and time. */
function withoutBodies(answers: readonly Answer[]): Answer[] {
  return answers.map((answer) => (answer.status === 201 ? { ...answer, text: '' } : answer));
}
