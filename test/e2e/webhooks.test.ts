/* @slow @rest */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { requireEvent } from '../api/support/contract.js';
import { type Received, Receiver } from '../support/receiver.js';
import type { Client } from './support/client.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';

const name = 'cyclamen.jpg';
const photo = { name, bytes: new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos', name))) };

/** What a program has said so far. */
function linesOf(stream: Readable): () => string {
  let said = '';
  stream.on('data', (bytes) => {
    said += bytes;
  });
  return () => said;
}

describe('webhooks of the built program', () => {
  let installation: Installation;
  let receiver: Receiver;
  let client: Client;
  let endpointId: number;
  let secret: string;

  beforeAll(async () => {
    receiver = await Receiver.start();
    installation = await Installation.make({ WEBHOOK_ALLOW_PRIVATE: 'true' });
    await installation.start();
    client = await installation.client();
    const made = await webhook('create', '--url', receiver.url);
    expect(made.status).toBe(0);
    ({ id: endpointId, secret } = JSON.parse(made.stdout));
  });
  afterAll(async () => {
    await installation.remove();
    await receiver.close();
  });

  const webhook = (command: string, ...args: string[]) =>
    installation.command('webhook', command, '--customer', '1', ...args, '--json');
  const told = (type: string) => receiver.received.map(verified).filter((event) => event.type === type);

  /** What a receiver reads, once its own library says that it is genuine; it is as the OpenAPI document says. */
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect.
  function verified({ body, headers }: Received): any {
    requireEvent(body);
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  }

  it('report an import, and are retried after a 500', async () => {
    const refused: string[] = [];
    receiver.answer = (response, { headers }) => {
      const id = String(headers['webhook-id']);
      const first = !refused.includes(id);
      if (first) refused.push(id);
      response.writeHead(first ? 500 : 200).end('thank you');
    };
    const { id } = (await client.post('/imports')).body;
    await client.inline(id, [photo]);
    await client.post(`/imports/${id}/finalize`);
    await until('both events to come twice', () => receiver.received.length >= 4);
    const shown = (await client.get('/photos')).body.data[0];
    const [created, completed] = [told('photo.created'), told('import.completed')];
    for (const both of [created, completed]) expect(both).toEqual([both[0], both[0]]);
    expect(created[0].data).toEqual({ customerId: 1, version: 1, photo: shown });
    expect(completed[0].data.import).toMatchObject({ id, status: 'completed', counts: { imported: 1 } });
    expect(receiver.received).toHaveLength(4);
  });

  it('F21: are sent again, under the same id, when kill -9 came between the request and its note', async () => {
    receiver.received.length = 0;
    // It never hears whether the first was taken.
    receiver.answer = () => undefined;
    const [{ id }] = (await client.get('/photos')).body.data;
    expect((await client.delete(`/photos/${id}`)).status).toBe(204);
    await until('the event to come', () => told('photo.trashed').length === 1);
    await installation.killEverything();
    receiver.answer = (response) => response.writeHead(204).end();
    await installation.start();
    const [first, second] = await until('the event to come again', () => {
      const both = told('photo.trashed');
      return both.length === 2 && both;
    });
    expect(first.data.photo.id).toBe(id);
    expect(second.id).toBe(first.id);
  });

  it('are sent after kill -9 for what had been acknowledged before', async () => {
    receiver.received.length = 0;
    const { status, body } = await client.post('/tags', { name: 'after dark' });
    expect(status).toBe(201);
    await installation.killEverything();
    await installation.start();
    const created = await until('the event to come', () => told('tag.created')[0]);
    expect(created.data.tag).toMatchObject({ id: body.id, name: 'after dark' });
  });

  it('can be tested, listed and deleted by the operator', async () => {
    receiver.received.length = 0;
    const tested = await webhook('test', String(endpointId));
    expect(tested.status).toBe(0);
    const { eventId } = JSON.parse(tested.stdout);
    const test = await until('the test to come', () => told('webhook.test')[0]);
    expect(test).toMatchObject({ id: eventId, data: { customerId: 1 } });
    const { deliveries } = JSON.parse((await webhook('log', String(endpointId), '--limit', '100')).stdout);
    const [newest] = deliveries;
    expect(newest).toMatchObject({ endpointId, type: 'webhook.test', eventId });
    const shown = JSON.parse((await webhook('show', String(newest.id))).stdout);
    expect(JSON.parse(shown.requestBody)).toMatchObject({ type: 'webhook.test', id: eventId });
    const resent = await webhook('resend', String(newest.id));
    expect(JSON.parse(resent.stdout)).toMatchObject({ id: newest.id, eventId: newest.eventId, status: 'pending' });
    await until('the test to come again', () => told('webhook.test')[1]);

    const listed = JSON.parse((await webhook('list')).stdout).webhookEndpoints;
    expect(listed).toMatchObject([{ id: endpointId, url: receiver.url, events: [], status: 'enabled' }]);
    expect((await webhook('delete', String(endpointId))).status).toBe(0);
    expect(JSON.parse((await webhook('list')).stdout).webhookEndpoints).toEqual([]);
    await client.post('/tags', { name: 'unheard' });
    const again = await webhook('test', String(endpointId));
    expect([again.status, again.stderr]).toEqual([2, expect.stringMatching(/^phs: No such webhook endpoint\.$/m)]);
  });

  it('reach a program on this machine by phs listen, once more at a key', async () => {
    const before = (await webhook('list')).stdout;
    receiver.received.length = 0;
    receiver.answer = (response) => response.writeHead(204).end();
    const forwarding = ['--forward-to', receiver.url, '--secret', secret, '--events', 'tag.created', '--json'];
    const listening = installation.begin('listen', '--customer', '1', ...forwarding);
    const [printed, said] = [text(listening.stdout), linesOf(listening.stderr)];
    await until('it to listen', () => said().includes('signed with'));
    await client.post('/tags', { name: 'heard' });
    const shown = (times: number) => said().match(/^tag\.created evt_\w+: HTTP 204$/gm)?.length === times;
    await until('the event to come', () => shown(1));
    listening.stdin.write('r');
    await until('it to come again', () => shown(2));
    const [, id] = /tag\.created (evt_\w+)/.exec(said()) ?? [];
    // With the endpoint of the tests before, if it is still there, the event came there, too.
    const sent = receiver.received.filter(({ headers }) => headers['webhook-id'] === id);
    const [first, second] = sent.map(verified);
    expect(first.data.tag.name).toBe('heard');
    expect(second).toEqual(first);
    listening.kill('SIGINT');
    expect(JSON.parse(await printed)).toEqual({ delivered: 2, failed: 0 });
    await until('it to end', () => listening.exitCode !== null);
    expect([listening.exitCode, (await webhook('list')).stdout]).toEqual([0, before]);
  });

  it('leave no secret in what the service prints', () => {
    expect(installation.printed()).not.toContain('whsec_');
    expect(installation.printed()).not.toContain(secret.slice(6));
  });
});

test('without WEBHOOK_ALLOW_PRIVATE nothing is sent to private places', async () => {
  const installation = await Installation.make();
  expect((await installation.operate('migrate')).status).toBe(0);
  expect((await installation.operate('customer', 'create', '--name', 'ACME')).status).toBe(0);
  for (const url of ['http://127.0.0.1:1/', 'https://[::1]:1/', 'https://localhost:1/', 'https://192.168.1.1/']) {
    const { status, stderr } = await installation.command('webhook', 'create', '--customer', '1', '--url', url);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/url must (begin|resolve)/)]);
  }
  await installation.remove();
});
