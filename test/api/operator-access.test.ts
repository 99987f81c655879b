import { issueKey } from '../../src/core/access/keys.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { deleteOperatorToken, operatorScopes } from '../../src/core/operators/operator-token.js';
import { endpoints, operatorEndpoints } from './support/endpoints.js';
import { type RunningApp, startApp } from './support/start-app.js';

const all = operatorEndpoints();

let app: RunningApp;
beforeEach(async () => {
  app = await startApp({ operatorApi: true, trustedProxies: ['127.0.0.1'] });
});
afterEach(() => app.close());

test('each endpoint is 401 without a token, and with the key of a customer', async () => {
  const customer = await app.customer();
  for (const { method, path, body } of all) {
    for (const headers of [{}, { authorization: `Bearer ${customer.token}` }]) {
      const answer = await app.send({ method, path: `/operator/v1${path}`, body, headers });
      expect([method, path, answer.status, answer.body.error.message]).toEqual([
        method,
        path,
        401,
        'Send a valid operator token: Authorization: Bearer <OPERATOR_TOKEN>.',
      ]);
      expect([answer.headers['www-authenticate'], answer.headers['x-ratelimit-resource']]).toEqual([
        'Bearer',
        'anonymous',
      ]);
    }
  }
  expect(all.length).toBeGreaterThan(15);
});

test('each endpoint of customers is 401 with a token of the operator', async () => {
  const { token } = await app.operator();
  for (const { method, path, body } of endpoints) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await app.send({ method, path: `/api/v1${path}`, body, headers });
    expect([method, path, answer.status]).toEqual([method, path, 401]);
  }
});

test.each(operatorScopes)('a token with %s alone reaches its endpoints and no other', async (scope) => {
  const operator = await app.operator({ scopes: [scope] });
  for (const { method, path, body, scope: needed } of all) {
    const answer = await operator.send({ method, path, body });
    const error = answer.status < 400 ? null : answer.body.error;
    const seen = {
      endpoint: `${method} ${path}`,
      refused: error?.code === 'scope_required',
      scope: error?.details?.scope,
    };
    const refused = { refused: true, scope: needed };
    expect(seen).toEqual({ endpoint: `${method} ${path}`, ...(needed === scope ? { refused: false } : refused) });
  }
});

test('a token that expires, or is deleted, is refused from the next request on', async () => {
  const brief = await app.operator({ expiresAt: new Date(app.clock.now().getTime() + 1000) });
  const doomed = await app.operator();
  expect((await brief.get('/customers')).status).toBe(200);
  expect((await doomed.get('/customers')).status).toBe(200);
  app.clock.pass(1000);
  await deleteOperatorToken(app.ports, commandLine, doomed.id);
  expect((await brief.get('/customers')).status).toBe(401);
  expect((await doomed.get('/customers')).status).toBe(401);
});

test('a token with an IP list is refused from elsewhere, before its budget is looked at', async () => {
  const locked = await app.operator({ ipList: ['203.0.113.0/24'] });
  const elsewhere = await locked.get('/customers', { 'x-forwarded-for': '198.51.100.1' });
  expect([elsewhere.status, elsewhere.body.error.code]).toEqual([403, 'ip_not_whitelisted']);
  expect(elsewhere.body.error.message).toBe('This token may not be used from 198.51.100.1.');
  expect(elsewhere.headers['x-ratelimit-resource']).toBe('anonymous');
  expect((await locked.get('/customers', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
});

test('reads and writes of a token are counted apart, and apart from those of the key with the same id', async () => {
  const operator = await app.operator();
  const customer = await app.customer();
  expect(customer.keyId).toBe(operator.id);
  const budget = ({ headers }: Awaited<ReturnType<typeof operator.get>>) => [
    headers['x-ratelimit-resource'],
    headers['x-ratelimit-limit'],
    headers['x-ratelimit-remaining'],
  ];
  expect(budget(await operator.get('/customers'))).toEqual(['read', '300', '299']);
  expect(budget(await operator.post('/customers', { name: 'x' }))).toEqual(['write', '300', '299']);
  expect(budget(await operator.get('/customers'))).toEqual(['read', '300', '298']);
  for (let left = 298; left > 0; left -= 1)
    await app.ports.rateWindows.hit({ name: `operator-read:${operator.id}`, limit: 300 });
  const over = await operator.get('/customers');
  expect([over.status, over.body.error.code, over.headers['retry-after']]).toEqual([429, 'rate_limited', '60']);
  expect((await customer.get('/me')).status).toBe(200);
});

test('unknown paths and methods are authenticated, too', async () => {
  const operator = await app.operator({ scopes: ['people:write'] });
  expect((await app.send({ path: '/operator/v1/nothing' })).status).toBe(401);
  expect((await operator.get('/nothing')).status).toBe(404);
  expect((await operator.get('')).status).toBe(404);
  expect((await operator.get('/customers/%31')).status).toBe(404);
  const wrong = await operator.send({ method: 'PUT', path: '/customers' });
  expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS, POST']);
  const options = await operator.send({ method: 'OPTIONS', path: '/customers/1/keys' });
  expect([options.status, options.headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
  expect((await operator.get('/customers/')).status).toBe(404);
});

test('every endpoint refuses parameters that it does not have', async () => {
  const operator = await app.operator();
  for (const { method, path, body } of all) {
    const answer = await operator.send({ method, path: `${path}?surprise=1`, body });
    expect([method, path, answer.status, answer.body.error?.code]).toEqual([method, path, 400, 'invalid_request']);
    expect(answer.body.error.details.errors).toContainEqual(
      expect.objectContaining({ field: 'surprise', code: 'unknown_parameter' }),
    );
  }
});

test('an account that does not exist is 404 at every endpoint of one', async () => {
  const operator = await app.operator();
  for (const { method, path, body } of all.filter((endpoint) => endpoint.path.includes('999999'))) {
    for (const id of ['999999', '0', 'x']) {
      for (const headers of [{}, { 'idempotency-key': 'a' }]) {
        const answer = await operator.send({ method, path: path.replace('999999', id), body, headers });
        expect([method, path, id, answer.status, answer.body.error?.code]).toEqual([
          method,
          path,
          id,
          404,
          'not_found',
        ]);
      }
    }
  }
});

test('requests are logged by the id of their token, which never appears', async () => {
  const operator = await app.operator();
  await operator.get('/customers');
  const lines = app.log.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request');
  expect(lines).toEqual([
    expect.objectContaining({
      route: '/operator/v1/customers',
      status: 200,
      keyId: null,
      operatorTokenId: operator.id,
    }),
  ]);
  expect(app.log.join()).not.toContain(operator.token);
});

test('without the setting the operator API does not exist', async () => {
  const without = await startApp();
  try {
    const { token } = await without.operator();
    for (const path of ['/operator/v1/customers', '/operator/v1', '/operator/openapi.json', '/operator']) {
      const answer = await fetch(`${without.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      expect([path, answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([path, 404, null]);
    }
  } finally {
    await without.close();
  }
});

test('keys of two customers: those of one are 404 in the account of the other', async () => {
  const operator = await app.operator();
  const [one, other] = [await app.customer(), await app.customer()];
  const { key } = await issueKey(app.ports, operatorFor(one.customerId), {
    name: 'x',
    scopes: ['all'],
    ipList: [],
    readLimit: null,
    writeLimit: null,
    expiresAt: null,
  });
  const path = `/customers/${other.customerId}/keys/${key.id}`;
  expect((await operator.get(path)).status).toBe(404);
  expect((await operator.patch(path, { name: 'y' })).status).toBe(404);
  expect((await operator.delete(path)).status).toBe(404);
  expect((await operator.get(`/customers/${one.customerId}/keys/${key.id}`)).body.name).toBe('x');
});
