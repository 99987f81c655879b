/* @slow @rest */
import fc from 'fast-check';
import { errorCodes } from '../../src/core/shared/errors.js';
import { statusOfCode } from '../../src/http/status-of-code.js';
import type { Answer, RequestParts } from './support/http-client.js';
import { requests } from './support/odd-requests.js';
import { importPhotos, picture, postFiles } from './support/photos.js';
import { type PostgresPorts, postgresPorts } from './support/postgres-ports.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** Requests per store and run; a failure prints its seed and the smallest request that fails. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1000);

describe.each([
  ['in memory', async () => null],
  ['in Postgres', postgresPorts],
])('random requests, with rows %s', (_, openRows) => {
  let rows: PostgresPorts | null;
  let app: RunningApp;
  let actor: Actor;

  beforeAll(async () => {
    rows = await openRows();
    app = await startApp({ ports: () => rows?.ports ?? {}, ...(rows && { leases: rows.leases }) });
    actor = await (await app.customer()).withKey({ readLimit: 100_000, writeLimit: 100_000 });
    const titles = Array.from({ length: 20 }, (_, at) => `${at}.jpg`);
    for (const name of titles) await actor.post('/tags', { name });
    for (const round of ['a', 'b']) {
      const sent = titles.map((filename) => ({ filename, content: picture(round + filename) }));
      for (const { id } of await importPhotos(app, actor, sent))
        await actor.put(`/photos/${id}/tags`, { tagIds: [1, 2] });
    }
    for (const clientRef of titles) {
      const { id } = (await actor.post('/imports', { clientRef })).body;
      await actor.post(`/imports/${id}/photos`, {
        photos: ['a', 'b'].map((name) => ({ filename: 'd.jpg', sizeBytes: 3, clientRef: name })),
      });
      await postFiles(actor, id, [{ filename: 'e.jpg', content: picture(`e${clientRef}`) }]);
    }
  });
  afterAll(async () => {
    await app.close();
    await rows?.close();
  });

  test('get documented responses only, and the process survives', async () => {
    const property = fc.asyncProperty(requests, async (request) => {
      // Budgets of the address refill, and instants differ.
      app.clock.pass(1000);
      expectDocumented(request, await actor.send(request));
    });
    await fc.assert(property, { numRuns: REQUESTS });
    expect((await actor.get('/me')).status).toBe(200);
    expect(app.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  }, 240_000);
});

function expectDocumented({ method, path }: RequestParts, answer: Answer): void {
  const { status, headers } = answer;
  expect(status).toBeLessThan(500);
  expect(headers['x-request-id']).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
  if (/^\/api\/v1([/?]|$)/.test(path)) {
    for (const name of ['limit', 'remaining', 'reset']) expect(headers[`x-ratelimit-${name}`]).toMatch(/^[0-9]+$/);
  }
  if (method === 'HEAD' || status === 204 || status === 304) expect(answer.bytes).toHaveLength(0);
  else if (status >= 400) expectEnvelope(answer);
  else expect(headers['content-type']).toMatch(/^(application\/json; charset=utf-8$|image\/)/);
}

function expectEnvelope({ status, headers, body }: Answer): void {
  const { code, message, requestId, details = {} } = body.error;
  expect(Object.keys(body)).toEqual(['error']);
  expect(errorCodes).toContain(code);
  expect(statusOfCode[code as keyof typeof statusOfCode]).toBe(status);
  expect([typeof message, typeof details, requestId]).toEqual(['string', 'object', headers['x-request-id']]);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
}
