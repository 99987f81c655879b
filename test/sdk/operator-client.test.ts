import { OperatorClient, PhotoService } from 'photo-service-sdk';
import { type RunningApp, startApp } from '../api/support/start-app.js';

let app: RunningApp;
let client: OperatorClient;
beforeEach(async () => {
  app = await startApp({ operatorApi: true });
  client = new OperatorClient({ baseUrl: app.url, token: (await app.operator()).token });
});
afterEach(() => app.close());

test('the operator client administers an account from its creation to its erasure', async () => {
  const { id } = await client.createCustomer({ name: 'Studio' }, { idempotencyKey: 'sign-up' });
  expect((await client.createCustomer({ name: 'Studio' }, { idempotencyKey: 'sign-up' })).id).toBe(id);
  expect(await client.updateCustomer(id, { photosLimit: 5 })).toMatchObject({ name: 'Studio', photosLimit: 5 });
  expect(await client.customer(id)).toMatchObject({ id, version: 2 });
  expect((await client.customers().toArray()).map((customer) => customer.id)).toEqual([id]);

  const { token, ...key } = await client.createKey(id, { name: 'app', scopes: ['all'] });
  expect((await new PhotoService({ baseUrl: app.url, token }).me()).customer.id).toBe(id);
  expect(await client.keys(id)).toEqual([key]);
  expect(await client.updateKey(id, key.id, { name: 'shop' })).toMatchObject({ name: 'shop' });

  const { person, link } = await client.invite(id, { email: 'anna@example.com' });
  expect([await client.people(id), link]).toEqual([[person], expect.stringContaining('/settings/enter/')]);
  await client.removePerson(id, person.id);
  expect(await client.people(id)).toEqual([]);

  const { secret, ...webhook } = await client.createWebhook(id, { url: 'https://example.com/hook' });
  expect([await client.webhooks(id), secret]).toEqual([[webhook], expect.stringMatching(/^whsec_/)]);
  expect(await client.updateWebhook(id, webhook.id, { enabled: false })).toMatchObject({ enabled: false });
  await client.deleteWebhook(id, webhook.id);

  expect(await client.usage(id)).toMatchObject({ photos: 0, days: expect.any(Array) });
  expect(await client.usageCsv(id)).toMatch(/^day,requests,/);
  await client.deleteKey(id, key.id);
  expect((await client.suspendCustomer(id)).status).toBe('suspended');
  expect((await client.resumeCustomer(id)).status).toBe('active');
  expect(await client.eraseCustomer(id, 'Studio')).toMatchObject({ complete: true });
  await expect(client.customer(id)).rejects.toMatchObject({ code: 'not_found' });
});

test('the operator client refuses the key of a customer, and an invalid id, before anything is sent', async () => {
  const { token } = await app.customer();
  expect(() => new OperatorClient({ baseUrl: app.url, token })).toThrow(TypeError);
  await expect(client.customer(-1)).rejects.toThrow(TypeError);
});
