import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { createDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import { deliverySignature } from '../../src/core/delivery/signed-address.js';
import type { Id } from '../../src/core/shared/ids.js';
import { createShare } from '../../src/core/shares/own-shares.js';
import type { Channel, TransferCount } from '../../src/core/traffic/traffic.js';
import { Formats } from '../../src/pages/formats.js';
import { until } from '../support/until.js';
import { BrowserClient } from './support/browser-client.js';
import { importPhotos, picture, sha256 } from './support/photos.js';
import { type Actor, type RunningApp, type StartOptions, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;

async function start(options: StartOptions = {}): Promise<void> {
  app = await startApp({ operatorApi: true, ...options });
  actor = await app.customer();
}
afterEach(() => app.close());

/** A client that knows what its connection has carried, in one direction and the other. */
class MeasuringClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private socket: Socket | undefined;

  async send(method: string, path: string, of: Actor | null = null, body: Uint8Array | string = '') {
    const { hostname, port } = new URL(app.url);
    const headers = {
      ...(of && { authorization: `Bearer ${of.token}` }),
      ...(body.length > 0 && { 'content-length': String(body.length), 'content-type': 'application/json' }),
      'accept-encoding': 'gzip',
    };
    const before = this.carried();
    const request = httpRequest({ hostname, port, method, path, headers, agent: this.agent });
    request.end(body);
    const [response] = await once(request, 'response');
    this.socket = request.socket ?? undefined;
    response.resume();
    await once(response, 'end');
    const after = this.carried();
    const sizes = { receivedBytes: after.sent - before.sent, sentBytes: after.received - before.received };
    return { status: response.statusCode, encoding: response.headers['content-encoding'], ...sizes };
  }

  close(): void {
    this.agent.destroy();
  }

  private carried() {
    return { sent: this.socket?.bytesWritten ?? 0, received: this.socket?.bytesRead ?? 0 };
  }
}

type Sizes = Pick<TransferCount, 'receivedBytes' | 'sentBytes'>;

const none: Sizes = { receivedBytes: 0, sentBytes: 0 };

const sum = (all: readonly Sizes[]): Sizes =>
  all.reduce((total, { receivedBytes, sentBytes }) => {
    return { receivedBytes: total.receivedBytes + receivedBytes, sentBytes: total.sentBytes + sentBytes };
  }, none);

/** What was counted of an account by now, with requests that have ended a moment ago. */
async function counted(customerId: Id, channel?: Channel): Promise<Sizes> {
  await app.writeCounts();
  const all = await app.ports.store.query(customerId, ({ traffic }) => traffic.transfers('2000-01-01'));
  return sum(all.filter((count) => channel === undefined || count.channel === channel));
}

/** What this work adds to it, once it is as much as expected. */
async function expectAdded<T extends Sizes>(
  customerId: Id,
  channel: Channel,
  work: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const before = await counted(customerId, channel);
  const done = await work();
  const expected = sum([before, ...done]);
  await until(async () => (await counted(customerId, channel)).sentBytes >= expected.sentBytes);
  expect(await counted(customerId, channel)).toEqual(expected);
  return done;
}

test('transferred bytes are those that the connections of clients have carried, to the byte, as JSON, as CSV and on the page', async () => {
  await start();
  const { customerId } = actor;
  const client = new MeasuringClient();
  const content = picture('a'.repeat(100_000));
  const upload = await registered(content);
  const [put] = await expectAdded(customerId, 'signed_urls', async () => [
    await client.send('PUT', upload, null, content),
  ]);
  expect(put).toMatchObject({ status: 204 });
  expect(Number(put?.receivedBytes) - content.length).toBeGreaterThan(0);
  expect(Number(put?.receivedBytes) - content.length).toBeLessThan(500);

  const [photo] = await importPhotos(app, actor, [{ filename: 'b.jpg', content: picture('b'.repeat(200_000)) }]);
  for (const at of Array(20).keys()) await actor.post('/tags', { name: `tag ${at} of many` });
  const [download, list, refused, missing] = await expectAdded(customerId, 'api', async () => [
    await client.send('GET', `/api/v1/photos/${photo.id}/download`, actor),
    await client.send('GET', '/api/v1/tags', actor),
    await client.send('POST', '/api/v1/tags', actor, '{"name":7}'),
    await client.send('GET', '/api/v1/photos/987654321', actor),
  ]);
  expect([download?.status, refused?.status, missing?.status]).toEqual([200, 400, 404]);
  expect(download?.sentBytes).toBeGreaterThan(200_000);
  expect([list?.status, list?.encoding]).toEqual([200, 'gzip']);

  const { urls } = (await actor.get(`/photos/${photo.id}?include=urls`)).body;
  await expectAdded(customerId, 'signed_urls', async () => [
    await client.send('GET', new URL(urls.thumb).pathname),
    await client.send('PUT', upload, null, 'of the wrong size'),
  ]);

  const named = { name: 'site', presetsOnly: false, expiresAt: null };
  const { key, secret } = await createDeliveryKey(app.ports, { customerId, actor: commandLine }, named);
  const path = `/img/${key.publicId}/${photo.id}/w=100`;
  await expectAdded(customerId, 'images', async () => {
    return [await client.send('GET', `${path}?sig=${deliverySignature(secret, path)}`)];
  });
  const settings = { title: 'Paris', mayDownload: true, uploadFilesLimit: 0, uploadBytesLimit: 0, expiresAt: null };
  const shared = { ...settings, password: null, photoIds: [photo.id] };
  const { token } = await createShare(app.ports, operatorFor(customerId), shared);
  await expectAdded(customerId, 'shares', async () => [
    await client.send('GET', `/s/${token}`),
    await client.send('GET', `/s/${token}/photos/${photo.id}/download`),
    await client.send('GET', `/s/${token}/photos/987654321/download`),
  ]);
  client.close();

  const browser = new BrowserClient(app.url);
  await browser.enter(app.ports, customerId);
  await browser.get('/settings/usage');
  await until(async () => (await counted(customerId, 'settings')).sentBytes > 0);
  const operator = await app.operator();
  const report = async (format: string) => operator.get(`/customers/${customerId}/usage?format=${format}`);
  // The page counts itself as well, once it is sent.
  const total = await counted(customerId);
  const page = await browser.get('/settings/usage');
  const shown = (size: number) => new Formats().bytes(size);
  const row = `Total</td><td data-column="Received">${shown(total.receivedBytes)}</td><td data-column="Sent">${shown(total.sentBytes)}</td>`;
  expect(page.text.split('Data transfer by channel')[1]).toContain(row);
  await until(async () => (await counted(customerId)).sentBytes > total.sentBytes);
  const today = (await report('json')).body.days.at(-1);
  const { receivedBytes, sentBytes } = await counted(customerId);
  expect(today).toMatchObject({ receivedBytes, sentBytes });
  const csv = (await report('csv')).text.split('\r\n');
  expect(csv[0]).toMatch(/,receivedBytes,sentBytes$/);
  expect(csv.at(-2)).toMatch(new RegExp(`^${today.day},.*,${receivedBytes},${sentBytes}$`));
});

test('transferred bytes of a connection shared by several accounts belong to each of them, and those of no account to none', async () => {
  await start({ limits: { inlineMaxBytes: 1000 } });
  const other = await app.customer('Studio South');
  const proxy = new MeasuringClient();
  await expectAdded(other.customerId, 'api', async () => [await proxy.send('GET', '/api/v1/me', other)]);
  await expectAdded(actor.customerId, 'api', async () => {
    const mine = [await proxy.send('GET', '/api/v1/me', actor)];
    const unknown = { token: 'phs_live_of-nobody' } as Actor;
    expect(await proxy.send('GET', '/api/v1/me', unknown)).toMatchObject({ status: 401 });
    expect(await proxy.send('PUT', '/uploads/of-nobody', null, 'x'.repeat(1000))).toMatchObject({ status: 403 });
    return [...mine, await proxy.send('GET', '/api/v1/me', actor)];
  });
  const before = await counted(actor.customerId);
  // Refused by its length: what still comes is discarded while the next request may be under way.
  const tooLarge = await proxy.send('POST', '/api/v1/tags', other, 'x'.repeat(8_000_000));
  expect(tooLarge.status).toBe(413);
  const next = await proxy.send('GET', '/api/v1/me', actor);
  await until(async () => (await counted(actor.customerId)).sentBytes > before.sentBytes);
  const { receivedBytes, sentBytes } = await counted(actor.customerId);
  expect(sentBytes - before.sentBytes).toBe(next.sentBytes);
  expect(receivedBytes - before.receivedBytes).toBeLessThanOrEqual(next.receivedBytes);
  proxy.close();
});

test('transferred bytes of many requests at once are all counted', async () => {
  await start();
  const clients = Array.from({ length: 12 }, () => new MeasuringClient());
  await expectAdded(actor.customerId, 'api', async () => {
    const ask = async (client: MeasuringClient) => {
      const done = [];
      for (const path of ['me', 'tags', 'photos', 'nothing']) {
        done.push(await client.send('GET', `/api/v1/${path}`, actor));
        await app.writeCounts();
      }
      return done;
    };
    return (await Promise.all(clients.map(ask))).flat();
  });
  for (const client of clients) client.close();
});

test('transferred bytes include a file that the server in front sends', async () => {
  await start({ trustedProxies: ['127.0.0.1/32'], blobsLocation: '/stored-blobs' });
  const content = picture('a'.repeat(100_000));
  const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content }]);
  const client = new MeasuringClient();
  await expectAdded(actor.customerId, 'api', async () => {
    const told = await client.send('GET', `/api/v1/photos/${photo.id}/download`, actor);
    const asked = await client.send('HEAD', `/api/v1/photos/${photo.id}/download`, actor);
    return [{ ...told, sentBytes: told.sentBytes + content.length }, asked];
  });
  client.close();
});

/** The path of a signed upload target for these bytes. */
async function registered(content: Uint8Array): Promise<string> {
  const { id } = (await actor.post('/imports')).body;
  const photos = [{ filename: 'a.jpg', sizeBytes: content.length, sha256: sha256(content) }];
  const { upload } = (await actor.post(`/imports/${id}/photos`, { photos })).body.data[0].photo;
  return new URL(upload.url).pathname;
}
