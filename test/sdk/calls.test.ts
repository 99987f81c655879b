import { ApiError, ConnectionError, PhotoService, PhotoServiceError, type Wait } from 'photo-service-sdk';
import { until } from '../support/until.js';
import type { Disturbance, Seen } from './support/front.js';
import { SdkWorld } from './support/service.js';

let world: SdkWorld;
beforeAll(async () => {
  world = await SdkWorld.start();
});
afterAll(() => world.close());
beforeEach(() => world.front.reset());

/** Disturbs the first requests that the test is about, in this order; what comes later passes. */
function disturbFirst(method: string, ...disturbances: readonly Disturbance[]): void {
  const left = [...disturbances];
  world.front.disturbing((seen) => (seen.method === method ? left.shift() : undefined));
}

const keyOf = ({ headers }: Seen) => headers['idempotency-key'];

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('a write', () => {
  it('carries a new Idempotency-Key, or the one that is given', async () => {
    const { client } = await world.client();
    await client.tags.create({ name: 'a' });
    await client.tags.create({ name: 'b' });
    await client.tags.create({ name: 'c' }, { idempotencyKey: 'mine' });
    const [a, b, c] = world.front.writes().map(keyOf);
    expect(a).toMatch(/^[\w-]{36}$/);
    expect(a).not.toBe(b);
    expect(c).toBe('mine');
  });

  it.each<Disturbance>(['forget', 'cut'])(
    'whose answer is lost (%s) is sent again with the same key, and done once',
    async (way) => {
      const { client } = await world.client();
      disturbFirst('POST', way);
      const tag = await client.tags.create({ name: 'once' });
      expect((await client.tags.list().toArray()).map(({ id }) => id)).toEqual([tag.id]);
      expect(world.front.writes()).toHaveLength(2);
      expect(new Set(world.front.writes().map(keyOf)).size).toBe(1);
    },
  );

  it('waits for its first attempt, where that is still at work', async () => {
    const { client } = await world.client();
    const body = { error: { code: 'idempotency_in_progress', message: 'It runs.' } };
    disturbFirst('POST', { status: 409, headers: { 'retry-after': '1' }, body });
    expect(await client.tags.create({ name: 'patient' })).toMatchObject({ name: 'patient' });
  });

  it('succeeds when a repeated DELETE finds nothing after an attempt that may have deleted it', async () => {
    const { client } = await world.client();
    const gone = { status: 404, body: { error: { code: 'not_found', message: 'Gone.' } } };
    disturbFirst('DELETE', { status: 502 }, gone);
    await expect(client.tags.delete(77)).resolves.toBeUndefined();
    disturbFirst('DELETE', gone);
    await expect(client.tags.delete(77)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('retries', () => {
  it.each([429, 502, 503, 504])('follow a %i, never sooner than Retry-After', async (status) => {
    const waits: Wait[] = [];
    const { client } = await world.client({}, { onWait: (wait) => waits.push(wait) });
    disturbFirst('GET', { status, headers: { 'retry-after': '1' } });
    expect(await client.me()).toMatchObject({ customer: { name: 'ACME' } });
    expect(world.front.seen).toHaveLength(2);
    expect(waits[0]).toMatchObject({ reason: status === 429 ? 'limit' : 'retry', budget: 'read' });
    expect(waits[0]?.milliseconds).toBeGreaterThanOrEqual(990);
  });

  it.each([400, 401, 403, 404, 409, 412, 422, 500])('do not follow a %i', async (status) => {
    const { client } = await world.client();
    const body = { error: { code: 'whatever', message: 'No.', requestId: 'req_1' } };
    disturbFirst('GET', { status, body });
    const error = await caught(client.me());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status, code: 'whatever', requestId: 'req_1', message: 'No.' });
    expect(world.front.seen).toHaveLength(1);
  });

  it('end with an error that names the address without an answer, but not the key', async () => {
    const { client, actor } = await world.client({}, { maxRetries: 1 });
    disturbFirst('GET', 'refuse', 'refuse');
    const error = (await caught(client.me())) as Error;
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(`no response from ${world.front.url} after 2 attempts`);
    expect(JSON.stringify([error, error.stack])).not.toContain(actor.token);
  });

  it('end at once when the service requests a wait of an hour', async () => {
    const { client } = await world.client();
    disturbFirst('GET', { status: 503, headers: { 'retry-after': '3600' } });
    await expect(client.me()).rejects.toMatchObject({ status: 503, retryAfter: 3600 });
    expect(world.front.seen).toHaveLength(1);
  });

  it('end when the signal is aborted, with its reason', async () => {
    const stop = new AbortController();
    const { client } = await world.client({}, { onWait: () => stop.abort(new Error('enough')) });
    disturbFirst('GET', { status: 503, headers: { 'retry-after': '30' } });
    await expect(client.me({ signal: stop.signal })).rejects.toThrow('enough');
    expect(world.front.seen).toHaveLength(1);
  });
});

describe('errors', () => {
  it('name the fields that are wrong', async () => {
    const { client } = await world.client();
    const error = (await caught(client.photos.list({ limit: 101 }).page())) as ApiError;
    expect(error).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(error.fields).toMatchObject([{ field: 'limit', code: 'out_of_range', max: 100 }]);
    expect(error.requestId).toMatch(/^req_/);
  });

  it('name the scope that is missing', async () => {
    const { client } = await world.client({ scopes: ['photos:read'] });
    expect(await caught(client.me())).toMatchObject({ code: 'scope_required', missingScope: 'customer:read' });
  });

  it('report an address that is not that of a Photo Service', async () => {
    const { client } = await world.client();
    disturbFirst('GET', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }, { status: 404 });
    expect(await caught(client.me())).toBeInstanceOf(PhotoServiceError);
    expect(await caught(client.me())).toMatchObject({ status: 404, code: 'http_404' });
    expect(() => new PhotoService({ baseUrl: 'photos.example.com', token: 'phs_live_x' })).toThrow('https://');
    expect(() => new PhotoService({ baseUrl: world.front.url, token: 'a b' })).toThrow('phs_live_');
  });
});

describe('budgets', () => {
  it('are waited for, so that no request is sent that would be refused', async () => {
    const waits: Wait[] = [];
    const stop = new AbortController();
    const { client } = await world.client({ writeLimit: 3 }, { onWait: (wait) => waits.push(wait) });
    await client.tags.create({ name: '1' });
    const calls = ['2', '3', '4', '5'].map((name) => client.tags.create({ name }, { signal: stop.signal }));
    const outcomes = Promise.allSettled(calls);
    await Promise.all(calls.slice(0, 2));
    await until(() => waits.length > 0);
    stop.abort();
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(waits[0]).toMatchObject({ reason: 'limit', budget: 'write', problem: null });
    expect(world.front.writes().map(({ status }) => status)).toEqual([201, 201, 201]);
    // Reads have a budget of their own.
    expect(await client.tags.list().toArray()).toHaveLength(3);
  });

  it('report a wait once, however many calls wait', async () => {
    const waits: Wait[] = [];
    const { client } = await world.client({}, { onWait: (wait) => waits.push(wait) });
    const calls = 6;
    disturbFirst('GET', ...Array.from({ length: calls }, () => ({ status: 503, headers: { 'retry-after': '1' } })));
    await Promise.all(Array.from({ length: calls }, () => client.me()));
    expect(world.front.seen).toHaveLength(2 * calls);
    expect(waits).toMatchObject([{ reason: 'retry', budget: 'read', problem: 'the service responded with 503' }]);
  });
});

describe('lists and bulk calls', () => {
  it('walk all pages, and begin anew each time', async () => {
    const { client } = await world.client();
    const creations = await client.tags.createMany(
      Array.from({ length: 103 }, (_, at) => ({ name: `tag ${1000 + at}` })),
    );
    expect(creations.map(({ index }) => index)).toEqual(Array.from({ length: 103 }, (_, at) => at));
    const tags = client.tags.list({ limit: 40 });
    const names = (await tags.toArray()).map(({ name }) => name);
    expect(names).toEqual(creations.map(({ tag }) => tag?.name));
    const sizes: number[] = [];
    let cursor: string | null = null;
    for await (const { data, pagination } of tags.pages()) {
      sizes.push(data.length);
      cursor ??= pagination.nextCursor;
    }
    expect(sizes).toEqual([40, 40, 23]);
    expect((await tags.page(cursor)).data[0]?.name).toBe('tag 1040');
  });

  it('have an outcome for each id, one of them alone included', async () => {
    const { client } = await world.client();
    expect(await client.photos.deleteMany([8])).toEqual([{ id: 8, outcome: 'not_found' }]);
    const edits = await client.photos.updateMany(
      Array.from({ length: 101 }, (_, at) => at + 1),
      { title: 'x' },
    );
    expect(edits).toHaveLength(101);
    expect(edits.every(({ outcome }) => outcome === 'not_found')).toBe(true);
  });
});
