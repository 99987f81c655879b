import { verifyWebhook, WebhookVerificationError } from 'photo-service-sdk';
import { Webhook } from 'standardwebhooks';
import { signedHeaders } from '../../src/core/webhooks/webhook-endpoint.js';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
const now = new Date('2026-11-21T12:00:00Z');
const body = JSON.stringify({
  id: 'evt_1',
  type: 'photo.created',
  timestamp: now.toISOString(),
  data: { customerId: 1 },
});

/** As the reference implementation signs it. */
const signed = (key = secret, at = now, content = body) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(key).sign('evt_1', at, content),
});

const verified = (request: Parameters<typeof verifyWebhook>[0], secrets: string | string[] = secret) =>
  verifyWebhook(request, secrets, { now });

test('a body signed by the reference implementation is genuine, however the headers are given', async () => {
  const headers = signed();
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const given of [headers, upper, new Headers(headers)]) {
    expect(await verified({ body, headers: given })).toMatchObject({ id: 'evt_1', type: 'photo.created' });
  }
  expect(await verified({ body: new TextEncoder().encode(body), headers })).toMatchObject({ id: 'evt_1' });
});

test('a delivery of the service is verified with either secret while one is being replaced', async () => {
  const headers = signedHeaders({ eventId: 'evt_1', body, at: now }, [secret, other]);
  for (const one of [secret, other]) expect(await verified({ body, headers }, one)).toMatchObject({ id: 'evt_1' });
  expect(await verified({ body, headers: signed(other) }, [secret, other])).toMatchObject({ id: 'evt_1' });
});

const minutes = (number: number) => new Date(now.getTime() + number * 60_000);

test.each([
  ['another body', { body: `${body} `, headers: signed() }],
  ['another secret', { body, headers: signed(other) }],
  ['another id', { body, headers: { ...signed(), 'webhook-id': 'evt_2' } }],
  ['another time', { body, headers: { ...signed(), 'webhook-timestamp': String(now.getTime() / 1000 + 1) } }],
  ['an old time', { body, headers: signed(secret, minutes(-6)) }],
  ['a time to come', { body, headers: signed(secret, minutes(6)) }],
  ['no time', { body, headers: { ...signed(), 'webhook-timestamp': 'soon' } }],
  ['no signature', { body, headers: { ...signed(), 'webhook-signature': '' } }],
  ['a signature that is none', { body, headers: { ...signed(), 'webhook-signature': 'v1,%% v2,abc' } }],
  ['no headers', { body, headers: {} }],
])('a webhook with %s is refused', async (_, request) => {
  await expect(verified(request)).rejects.toBeInstanceOf(WebhookVerificationError);
});

test('a malformed secret is reported as malformed', async () => {
  await expect(verified({ body, headers: signed() }, 'whsec_')).rejects.toThrow('whsec_');
});
