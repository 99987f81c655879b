import { scopes } from '../../src/core/access/caller.js';
import { endpoints } from './support/endpoints.js';
import { type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('the scope matrix', () => {
  test.each(scopes)('a key with %s alone reaches its endpoints and no other', async (scope) => {
    const customer = await app.customer();
    const actor = await customer.withKey({ scopes: [scope] });
    for (const { method, path, body, scope: needed } of endpoints) {
      const answer = await actor.send({ method, path: `/api/v1${path}`, body });
      const error = answer.status < 400 ? null : answer.body.error;
      const seen = {
        endpoint: `${method} ${path}`,
        refused: error?.code === 'scope_required',
        details: error?.details,
      };
      if (needed === scope) expect(seen).toMatchObject({ endpoint: `${method} ${path}`, refused: false });
      else expect(seen).toEqual({ endpoint: `${method} ${path}`, refused: true, details: { scope: needed } });
    }
  });

  test('the scope is asked before the resource: an id that exists is refused like one that does not', async () => {
    const owner = await app.customer();
    const { id } = (await owner.post('/tags', { name: 'Paris' })).body;
    const reader = await owner.withKey({ scopes: ['photos:read'] });
    const [existing, missing] = [await reader.get(`/tags/${id}`), await reader.get('/tags/999999')];
    expect([existing.status, missing.status]).toEqual([403, 403]);
    expect({ ...existing.body.error, requestId: null }).toEqual({ ...missing.body.error, requestId: null });
  });

  test('the scope is asked before the body', async () => {
    const reader = await (await app.customer()).withKey({ scopes: ['photos:read'] });
    const answer = await reader.post('/tags', 'not json', { 'content-type': 'text/plain' });
    expect(answer.status).toBe(403);
  });
});
