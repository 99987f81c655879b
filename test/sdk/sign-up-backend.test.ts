import { createHash } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signUpBackend } from '../../examples/sign-up-backend/server.js';
import { listKeys } from '../../src/core/access/keys.js';
import { picture } from '../api/support/photos.js';
import { SdkWorld } from './support/service.js';

let world: SdkWorld;
let backend: Server;
let url: string;
beforeEach(async () => {
  world = await SdkWorld.start({ operatorApi: true });
  const { token: operatorToken } = await world.app.operator({ scopes: ['customers:write', 'keys:write'] });
  backend = signUpBackend({ baseUrl: world.front.url, operatorToken, webhookUrl: 'https://example.com/hooks' });
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await new Promise((resolve) => backend.close(resolve));
  await world.close();
});

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies field by field.
  readonly body: any;
}

async function post(path: string, body: object, session = ''): Promise<Answer> {
  const headers = { authorization: `Bearer ${session}`, connection: 'close' };
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

test('a person signs up, and the browser uploads a photo with what the backend returns', async () => {
  const { session } = (await post('/sign-up', { name: 'Studio Anna' })).body;
  const [customer] = await world.app.ports.customers.list();
  expect(customer).toMatchObject({ name: 'Studio Anna', photosLimit: 1000 });
  const id = customer?.id ?? 0;
  expect(await listKeys(world.app.ports, id)).toEqual([
    expect.objectContaining({ name: 'sign-up backend', scopes: ['photos:read', 'photos:write'] }),
  ]);
  const endpoints = await world.app.ports.store.query(id, ({ webhookEndpoints }) => webhookEndpoints.list());
  expect(endpoints).toEqual([
    expect.objectContaining({ url: 'https://example.com/hooks', events: ['import.completed'] }),
  ]);

  const bytes = picture('of Anna');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const files = [{ filename: 'a.jpg', sizeBytes: bytes.length, sha256 }];
  const { importId, uploads } = (await post('/uploads', { files }, session)).body;
  const [{ upload }] = uploads as [{ upload: { method: string; url: string; headers: Record<string, string> } }];
  const { 'content-length': _, ...headers } = upload.headers;
  const sent = await fetch(upload.url, { method: upload.method, headers, body: new Uint8Array(bytes) });
  expect(sent.status).toBe(204);
  expect((await post('/finish', { importId }, session)).status).toBe(200);
  await world.app.work();
  const usage = await world.app.ports.store.query(id, (reader) => reader.usage.read());
  expect(usage).toMatchObject({ photos: 1, storageBytes: bytes.length });
  expect(JSON.stringify([session, uploads])).not.toMatch(/phs_(live|op)_/);
});

test('the backend returns nothing without a session, and explains an invalid name', async () => {
  expect((await post('/uploads', { files: [] }, 'x')).status).toBe(401);
  expect(await post('/sign-up', { name: '' })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('name') },
  });
  expect(await world.app.ports.customers.list()).toEqual([]);
});
