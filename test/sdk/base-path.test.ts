import { OperatorClient } from 'photo-service-sdk';
import { imageUrl, importFiles } from 'photo-service-sdk/node';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import { picture, sha256 } from '../api/support/photos.js';
import { SdkWorld } from './support/service.js';

let world: SdkWorld;
beforeAll(async () => {
  world = await SdkWorld.start({ operatorApi: true }, '/photos');
});
afterAll(() => world.close());
beforeEach(() => world.front.reset());

/** Whether every request since the last reset was to an address below PUBLIC_URL. */
const allUnderPath = () =>
  world.front.seen.length > 0 && world.front.seen.every(({ path }) => path.startsWith('/photos/'));

test('a client imports, lists and downloads by a base URL with a path', async () => {
  const { client, actor } = await world.client({}, { baseUrl: `${world.url}/` });
  const small = picture('small');
  // Sent by tus.
  const large = Buffer.alloc(9_000_000, ' ');
  large.set(picture('large'));
  const files = [await world.file('small.jpg', small), await world.file('large.jpg', large)];
  const { imported } = await importFiles(client, files);
  expect(imported).toBe(2);
  const ids: number[] = [];
  for await (const { id } of client.photos.list({ limit: 1 })) ids.push(id);
  expect(ids).toHaveLength(2);
  const hashes: string[] = [];
  for (const id of ids) hashes.push(sha256(await (await client.photos.download(id)).bytes()));
  expect(new Set(hashes)).toEqual(new Set([small, large].map(sha256)));
  expect(new Set(world.front.seen.map(({ method }) => method))).toEqual(
    new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH']),
  );
  expect(allUnderPath()).toBe(true);

  const caller = { customerId: actor.customerId, actor: commandLine };
  const { key, secret } = await createDeliveryKey(world.app.ports, caller, {
    name: 'site',
    presetsOnly: false,
    expiresAt: null,
  });
  const address = imageUrl({
    publicUrl: world.url,
    keyId: key.publicId,
    secret,
    photoId: ids[0] ?? 0,
    options: { width: 100 },
  });
  expect(address.startsWith(`${world.url}/img/`)).toBe(true);
  expect((await fetch(address)).status).toBe(200);
});

test('a client of the operator creates an account by a base URL with a path', async () => {
  const { token } = await world.app.operator();
  const operator = new OperatorClient({ baseUrl: world.url, token });
  const { id } = await operator.createCustomer({ name: 'Studio South' });
  expect((await operator.customer(id)).name).toBe('Studio South');
  expect(allUnderPath()).toBe(true);
});
