import { Webhook } from 'standardwebhooks';
import { eventBody } from '../../src/api/webhooks/event-body.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { resealSecrets } from '../../src/core/customers/reseal.js';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/core/shared/clock.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { outcomeOf, RETRY_DELAYS } from '../../src/core/webhooks/delivery.js';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  editWebhookEndpoint,
  listDeliveries,
  listWebhookEndpoints,
  readDelivery,
  readWebhookEndpoint,
  rotateWebhookSecret,
  webhookSecrets,
} from '../../src/core/webhooks/endpoints.js';
import { keepListening, removeAbandonedListeners, startListening } from '../../src/core/webhooks/listen.js';
import { deliverEvent, resendDelivery, sendTestEvent, sweepDeliveries } from '../../src/core/webhooks/send.js';
import type { WebhookEndpoint } from '../../src/core/webhooks/webhook-endpoint.js';
import { upkeep } from '../../src/worker/upkeep.js';
import { claimFrom } from '../support/claim.js';
import { Account, type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';
import { deliverAll, gotBy, HOOK, hook, logOf } from '../support/webhook-world.js';

let here: World;
let acme: Account;
beforeEach(async () => {
  here = world();
  // The library of receivers asks its own clock whether a message is fresh.
  here.clock.set(new Date());
  acme = await Account.open(here);
});

const log = (endpoint: WebhookEndpoint) => logOf(here, acme.id, endpoint.id);
const now = (endpoint: WebhookEndpoint) => readWebhookEndpoint(here, acme.id, endpoint.id);
const answers = (status: number) => {
  here.webhooks.answer = () => status;
};

describe('a webhook endpoint', () => {
  test('is created with a secret that is shown once and stored encrypted', async () => {
    const { endpoint, secret } = await hook(here, acme.id, { description: ' Sync ', events: ['photo.created'] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(endpoint).toMatchObject({
      url: HOOK,
      description: 'Sync',
      events: ['photo.created'],
      status: 'enabled',
      failingSince: null,
    });
    expect(await listWebhookEndpoints(here, acme.id)).toEqual([endpoint]);
    expect(JSON.stringify(here.database.webhookEndpoints.all())).not.toContain(secret.slice(6));
    const [another] = [await hook(here, acme.id)];
    expect(another.secret).not.toBe(secret);
  });

  test.each([
    [{ url: 'http://example.com/' }, 'url'],
    [{ url: 'https://10.0.0.1/' }, 'url'],
    [{ url: 'https://u:p@example.com/' }, 'url'],
    [{ url: HOOK, events: ['photo.created', 'photo.eaten'] }, 'events'],
    [{ url: HOOK, events: ['webhook.test'] }, 'events'],
    [{ url: HOOK, description: 'x'.repeat(201) }, 'description'],
  ])('with the URL %j is refused, when it is created and when it is changed', async (said, field) => {
    const wrong = { code: 'invalid_request', details: { errors: [expect.objectContaining({ field })] } };
    await expect(createWebhookEndpoint(here, operatorFor(acme.id), said)).rejects.toMatchObject(wrong);
    const { endpoint } = await hook(here, acme.id);
    await expect(editWebhookEndpoint(here, operatorFor(acme.id), endpoint.id, said)).rejects.toMatchObject(wrong);
    expect(await now(endpoint)).toEqual(endpoint);
  });

  test('is one of at most twenty', async () => {
    for (let count = 1; count <= 20; count += 1) await hook(here, acme.id);
    const limit = { code: 'limit_reached', details: { limit: 20, name: 'webhookEndpoints' } };
    await expect(hook(here, acme.id)).rejects.toMatchObject(limit);
    await hook(here, (await Account.open(here)).id);
  });

  test('is changed in the given fields alone', async () => {
    const { endpoint } = await hook(here, acme.id, { description: 'x', events: ['tag.created'] });
    here.clock.pass(SECOND);
    const url = 'https://example.org/other';
    const edited = await editWebhookEndpoint(here, operatorFor(acme.id), endpoint.id, { url });
    expect(edited).toEqual({ ...endpoint, url, updatedAt: here.clock.now() });
    const bare = await editWebhookEndpoint(here, operatorFor(acme.id), endpoint.id, { description: null, events: [] });
    expect(bare).toMatchObject({ description: null, events: [] });
    expect(await now(endpoint)).toEqual(bare);
  });

  test('of another customer is not found by any operation', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    const [delivery] = await log(endpoint);
    const { id } = await Account.open(here);
    const missing = { code: 'not_found' };
    const page = { limit: 10, cursor: null };
    await expect(readWebhookEndpoint(here, id, endpoint.id)).rejects.toMatchObject(missing);
    await expect(editWebhookEndpoint(here, operatorFor(id), endpoint.id, {})).rejects.toMatchObject(missing);
    await expect(rotateWebhookSecret(here, operatorFor(id), endpoint.id)).rejects.toMatchObject(missing);
    await expect(deleteWebhookEndpoint(here, operatorFor(id), endpoint.id)).rejects.toMatchObject(missing);
    await expect(listDeliveries(here, id, endpoint.id, page)).rejects.toMatchObject(missing);
    await expect(sendTestEvent(here, id, endpoint.id)).rejects.toMatchObject(missing);
    await expect(resendDelivery(here, id, present(delivery).id)).rejects.toMatchObject(missing);
    expect(await now(endpoint)).toEqual(endpoint);
  });

  test('is deleted with its deliveries, however many', async () => {
    const { endpoint } = await hook(here, acme.id);
    const ids = Array.from({ length: 2001 }, (_, at) => at + 1);
    await here.store.transaction(acme.id, (transaction) =>
      transaction.outbox.add('photo.updated', ids, here.clock.now()),
    );
    await deleteWebhookEndpoint(here, operatorFor(acme.id), endpoint.id);
    expect(await listWebhookEndpoints(here, acme.id)).toEqual([]);
    expect(here.database.deliveries.all()).toEqual([]);
    await deliverAll(here);
    expect(here.webhooks.sent).toEqual([]);
  });
});

describe('a webhook delivery', () => {
  test('is signed as Standard Webhooks define it, and verified by their library', async () => {
    const { secret } = await hook(here, acme.id);
    const tag = await acme.tag('É 📷');
    await deliverAll(here);
    const [sent] = here.webhooks.sent;
    const { headers, body, url } = present(sent);
    expect(url).toBe(HOOK);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const told = new Webhook(secret).verify(body, { ...headers });
    expect(told).toMatchObject({ type: 'tag.created', id: headers['webhook-id'], data: { tag: { id: tag.id } } });
    expect(headers['webhook-id']).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(here.clock.now().getTime() / 1000));
    expect(() => new Webhook(secret).verify(`${body} `, { ...headers })).toThrow();
    const { secret: other } = await hook(here, acme.id);
    expect(() => new Webhook(other).verify(body, { ...headers })).toThrow();
  });

  test('that is answered with 2xx is done', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    answers(202);
    await deliverAll(here);
    const at = here.clock.now();
    expect(await log(endpoint)).toMatchObject([
      { status: 'delivered', attempt: 1, responseStatus: 202, reason: null, attemptedAt: at, endedAt: at, dueAt: null },
    ]);
    here.clock.pass(20 * DAY);
    await deliverAll(here);
    expect(here.webhooks.sent).toHaveLength(1);
  });

  test.each([301, 302, 400, 401, 404, 409, 429, 500, 503])('answered with %i is tried again', async (status) => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    answers(status);
    await deliverAll(here);
    expect(await log(endpoint)).toMatchObject([{ status: 'pending', attempt: 1, responseStatus: status }]);
    answers(200);
    here.clock.pass(6 * SECOND);
    await deliverAll(here);
    expect(await log(endpoint)).toMatchObject([{ status: 'delivered', attempt: 2, responseStatus: 200 }]);
    const [first, second] = gotBy(here);
    expect(second?.id).toBe(first?.id);
    expect(second?.timestamp).toBe(first?.timestamp);
    expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
  });

  test.each([
    ['longer than the schedule: it is waited', 2 * MINUTE, 2 * MINUTE],
    ['shorter than the schedule: that is waited', 1000, RETRY_DELAYS[0] ?? 0],
    ['longer than an hour: an hour is waited', 24 * 60 * MINUTE, 60 * MINUTE],
  ])('waits as long as a busy receiver asks: %s', (_, retryAfterMs, waited) => {
    const attempt = { body: '{}', answer: { status: 503, reason: null, body: null, retryAfterMs } };
    const outcome = outcomeOf({ type: 'tag.created', attempt: 1 }, attempt, new Date(0), 0);
    expect(outcome).toMatchObject({ change: { status: 'pending' }, retryAfterMs: waited });
  });

  test('follows the whole schedule, each wait longer by a tenth at most, then is dead', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    here.webhooks.answer = () => {
      throw new Error('no answer');
    };
    expect(RETRY_DELAYS.map((delay) => delay / MINUTE)).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440]);
    for (const [at, delay] of RETRY_DELAYS.entries()) {
      await deliverAll(here);
      expect(here.webhooks.sent).toHaveLength(at + 1);
      const [{ dueAt, ...rest }] = (await log(endpoint)) as [Awaited<ReturnType<typeof log>>[0] & object];
      expect(rest).toMatchObject({
        status: 'pending',
        attempt: at + 1,
        responseStatus: null,
        reason: 'Error: no answer',
      });
      const wait = present(dueAt).getTime() - here.clock.now().getTime();
      expect(wait).toBeGreaterThanOrEqual(delay);
      expect(wait).toBeLessThanOrEqual(1.1 * delay);
      here.clock.pass(wait - 1);
      await deliverAll(here);
      expect(here.webhooks.sent).toHaveLength(at + 1);
      here.clock.pass(1);
    }
    await deliverAll(here);
    expect(await log(endpoint)).toMatchObject([
      { status: 'dead', attempt: 10, dueAt: null, endedAt: here.clock.now() },
    ]);
    here.clock.pass(20 * DAY);
    await deliverAll(here);
    expect(new Set(gotBy(here).map(({ id }) => id)).size).toBe(1);
    expect(here.webhooks.sent).toHaveLength(10);
    expect(await now(endpoint)).toMatchObject({ status: 'enabled' });
  });

  test('that was sent but not recorded is sent again under the same id', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    const delivery = present(await claimFrom(here.jobs, 'deliveries', 30));
    const store: World['store'] = Object.create(here.store);
    store.transaction = async () => {
      throw new DomainError('service_unavailable', 'The power is gone.');
    };
    await expect(deliverEvent({ ...here, store }, delivery, eventBody)).rejects.toThrow('power');
    await deliverAll(here);
    expect(here.webhooks.sent).toHaveLength(1);
    here.clock.pass(30 * SECOND);
    await deliverAll(here);
    const [first, second] = gotBy(here);
    expect(second?.id).toBe(first?.id);
    expect(await log(endpoint)).toMatchObject([{ status: 'delivered', attempt: 2 }]);
  });

  test('that fails on our side is an attempt, is thrown, and does not count against the endpoint', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    const delivery = present(await claimFrom(here.jobs, 'deliveries', 30));
    const broken = () => {
      throw new Error('a fault');
    };
    await expect(deliverEvent(here, delivery, broken)).rejects.toThrow('a fault');
    expect(await log(endpoint)).toMatchObject([{ status: 'pending', reason: 'The service failed to send it.' }]);
    expect(await now(endpoint)).toEqual(endpoint);
  });

  test('shows its subject as it is when it is sent, and its id alone when that is deleted', async () => {
    await hook(here, acme.id, { events: ['tag.created', 'tag.deleted'] });
    const tag = await acme.tag('a');
    const gone = await acme.tag('b');
    await here.store.transaction(acme.id, async ({ tags }) => {
      await tags.lock([tag.id, gone.id]);
      await tags.update({ ...tag, name: 'renamed', nameKey: 'renamed', version: 2 });
      await tags.delete(gone.id, here.clock.now());
    });
    await deliverAll(here);
    expect(gotBy(here).map(({ data }) => data)).toEqual([
      { customerId: acme.id, version: 2, tag: expect.objectContaining({ id: tag.id, name: 'renamed', version: 2 }) },
      { customerId: acme.id, tag: { id: gone.id } },
    ]);
  });
});

describe('a webhook endpoint is disabled', () => {
  test('at once by 410 Gone, and waiting deliveries are sent when it is enabled again', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    await acme.tag('b');
    answers(410);
    await deliverAll(here);
    expect(here.webhooks.sent).toHaveLength(1);
    expect(await now(endpoint)).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
      disabledAt: here.clock.now(),
    });
    await acme.tag('while it is disabled');
    here.clock.pass(HOUR);
    answers(200);
    await deliverAll(here);
    expect(here.webhooks.sent).toHaveLength(1);
    const on = await editWebhookEndpoint(here, operatorFor(acme.id), endpoint.id, { enabled: true });
    expect(on).toMatchObject({ status: 'enabled', disabledReason: null, disabledAt: null, failingSince: null });
    await deliverAll(here);
    expect((await log(endpoint)).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  });

  test('after five days without a success, and not before', async () => {
    const { endpoint } = await hook(here, acme.id);
    answers(500);
    await acme.tag('first');
    await deliverAll(here);
    const since = here.clock.now();
    here.clock.pass(5 * DAY - 1);
    await acme.tag('second');
    await deliverAll(here);
    expect(await now(endpoint)).toMatchObject({ status: 'enabled', failingSince: since });
    here.clock.pass(1);
    await acme.tag('third');
    await deliverAll(here);
    expect(await now(endpoint)).toMatchObject({
      status: 'disabled',
      disabledReason: 'failing',
      failingSince: since,
      disabledAt: here.clock.now(),
    });
  });

  test('never while a delivery succeeds now and then', async () => {
    const { endpoint } = await hook(here, acme.id);
    for (let day = 0; day < 12; day += 1) {
      answers(day % 4 === 3 ? 200 : 500);
      await acme.tag(`day ${day}`);
      await deliverAll(here);
      here.clock.pass(DAY);
    }
    expect(await now(endpoint)).toMatchObject({ status: 'enabled' });
  });

  test('never because of tests, except for one that is answered 410', async () => {
    const { endpoint } = await hook(here, acme.id);
    answers(500);
    for (const _ of [1, 2]) {
      await sendTestEvent(here, acme.id, endpoint.id);
      await deliverAll(here);
      here.clock.pass(6 * DAY);
    }
    expect(await now(endpoint)).toMatchObject({ status: 'enabled', failingSince: null });
    answers(410);
    await sendTestEvent(here, acme.id, endpoint.id);
    await deliverAll(here);
    expect(await now(endpoint)).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
  });

  test('never by more than five tests a minute, because they are refused', async () => {
    const { endpoint } = await hook(here, acme.id);
    const stranger = await Account.open(here);
    const missing = { code: 'not_found' };
    for (let time = 0; time < 9; time += 1) {
      await expect(sendTestEvent(here, stranger.id, endpoint.id)).rejects.toMatchObject(missing);
    }
    for (let time = 0; time < 5; time += 1) await sendTestEvent(here, acme.id, endpoint.id);
    const refused = { code: 'rate_limited', details: { retryAfter: 60 } };
    await expect(sendTestEvent(here, acme.id, endpoint.id)).rejects.toMatchObject(refused);
    const other = await hook(here, acme.id);
    await sendTestEvent(here, acme.id, other.endpoint.id);
    here.clock.pass(MINUTE);
    await sendTestEvent(here, acme.id, endpoint.id);
  });

  test('by its owner, and gets no events from then on', async () => {
    const { endpoint } = await hook(here, acme.id);
    const off = await editWebhookEndpoint(here, operatorFor(acme.id), endpoint.id, { enabled: false });
    expect(off).toMatchObject({ status: 'disabled', disabledReason: 'by_owner' });
    await acme.tag('a');
    expect(await log(endpoint)).toEqual([]);
    await expect(sendTestEvent(here, acme.id, endpoint.id)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('before an attempt that was just claimed, which is not made', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    const delivery = present(await claimFrom(here.jobs, 'deliveries', 30));
    await editWebhookEndpoint(here, operatorFor(acme.id), endpoint.id, { enabled: false });
    await deliverEvent(here, delivery, eventBody);
    expect(here.webhooks.sent).toEqual([]);
  });
});

describe('the secret of a webhook endpoint', () => {
  const verifies = (secret: string) => {
    const { body, headers } = present(here.webhooks.sent.at(-1));
    try {
      new Webhook(secret).verify(body, { ...headers });
      return true;
    } catch {
      return false;
    }
  };

  test('that is rotated signs beside the new one for 24 hours', async () => {
    const { endpoint, secret: old } = await hook(here, acme.id);
    // The library allows five minutes: so the rotation was before now.
    here.clock.set(new Date(Date.now() - 24 * HOUR + MINUTE));
    const { secret: fresh } = await rotateWebhookSecret(here, operatorFor(acme.id), endpoint.id);
    expect(fresh).not.toBe(old);
    here.clock.set(new Date(Date.now()));
    await acme.tag('a');
    await deliverAll(here);
    expect(present(here.webhooks.sent[0]).headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    expect([verifies(old), verifies(fresh)]).toEqual([true, true]);
    here.clock.pass(MINUTE);
    await acme.tag('b');
    await deliverAll(here);
    expect(present(here.webhooks.sent[1]).headers['webhook-signature']).toMatch(/^v1,\S+$/);
    expect([verifies(old), verifies(fresh)]).toEqual([false, true]);
  });

  test('is encrypted anew when SECRET_KEY gets a new first secret, so that the old one can be removed', async () => {
    const { endpoint, secret } = await hook(here, acme.id);
    const [old] = here.secrets;
    const added: World = { ...here, secrets: ['another secret that is long enough too', old] };
    await acme.tag('a');
    await deliverAll(added);
    expect(verifies(secret)).toBe(true);
    await resealSecrets(added, [webhookSecrets]);
    const sealed = (await now(endpoint)).secret;
    expect(sealed).not.toBe(endpoint.secret);
    await resealSecrets(added, [webhookSecrets]);
    expect((await now(endpoint)).secret).toBe(sealed);
    await acme.tag('b');
    await deliverAll({ ...here, secrets: [present(added.secrets[0])] });
    expect([here.webhooks.sent.length, verifies(secret)]).toEqual([2, true]);
  });

  test('whose encryption key is lost is reported in the log, and nothing is sent unsigned', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    await deliverAll({ ...here, secrets: ['a wholly different secret of 32 chars'] });
    expect(here.webhooks.sent).toEqual([]);
    expect(await log(endpoint)).toMatchObject([{ status: 'pending', reason: expect.stringMatching(/SECRET_KEY/) }]);
  });
});

test('the webhook log and secrets are maintained by the tasks of the worker', async () => {
  const { endpoint } = await hook(here, acme.id);
  await acme.tag('a');
  await deliverAll(here);
  here.clock.pass(31 * DAY);
  const added: World = { ...here, secrets: ['another secret that is long enough too', here.secrets[0]] };
  for (const task of upkeep(added, [webhookSecrets])) await task.run(new AbortController().signal);
  expect(await log(endpoint)).toEqual([]);
  expect((await now(endpoint)).secret).not.toBe(endpoint.secret);
});

describe('a program that listens for events', () => {
  const listen = (secret?: string) => startListening(here, operatorFor(acme.id), { url: HOOK, secret });
  const deliverTo = async (endpoint: WebhookEndpoint) => {
    const only = { customerId: acme.id, lane: String(endpoint.id) };
    const claim = () => claimFrom(here.jobs, 'deliveries', 30, { only });
    for (let job = await claim(); job !== null; job = await claim()) await deliverEvent(here, job, eventBody);
  };

  test('sends its events itself, signed like all others, and the service does not', async () => {
    const { endpoint, secret } = await listen();
    await acme.tag('a');
    await deliverAll(here);
    expect(gotBy(here)).toEqual([]);
    await deliverTo(endpoint);
    const got = present(gotBy(here)[0]);
    expect(new Webhook(secret).verify(got.body, { ...got.headers })).toMatchObject({ type: 'tag.created' });
  });

  test('can use the secret that its receiver knows already', async () => {
    const secret = `whsec_${'A'.repeat(32)}`;
    expect((await listen(secret)).secret).toBe(secret);
    for (const wrong of [
      '',
      'whsec_',
      'whsec_AAAA',
      'A'.repeat(32),
      `whsec_${'A'.repeat(33)}`,
      `whsec_${'é'.repeat(32)}`,
    ])
      await expect(listen(wrong)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('is not disabled by the answers of its receiver', async () => {
    const { endpoint } = await listen();
    answers(410);
    await acme.tag('a');
    await deliverTo(endpoint);
    expect(await now(endpoint)).toMatchObject({ status: 'enabled', failingSince: null });
    expect(await log(endpoint)).toMatchObject([{ status: 'pending', responseStatus: 410 }]);
  });

  test('keeps its endpoint while it says so, and the endpoint of a killed one is removed', async () => {
    const { endpoint } = await listen();
    here.clock.pass(100 * SECOND);
    await keepListening(here, acme.id, endpoint.id);
    here.clock.pass(100 * SECOND);
    await removeAbandonedListeners(here);
    expect(await listWebhookEndpoints(here, acme.id)).toHaveLength(1);
    here.clock.pass(21 * SECOND);
    await removeAbandonedListeners(here);
    expect(await listWebhookEndpoints(here, acme.id)).toEqual([]);
    await expect(keepListening(here, acme.id, endpoint.id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the delivery log', () => {
  test('is listed in pages, newest first', async () => {
    const { endpoint } = await hook(here, acme.id);
    for (const name of ['a', 'b', 'c']) await acme.tag(name);
    const first = await listDeliveries(here, acme.id, endpoint.id, { limit: 2, cursor: null });
    const rest = await listDeliveries(here, acme.id, endpoint.id, { limit: 2, cursor: first.nextCursor });
    expect(rest.nextCursor).toBeNull();
    expect([...first.data, ...rest.data]).toEqual((await log(endpoint)).reverse());
  });

  test('has what was sent and the beginning of the answer, for four days', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    answers(400);
    here.webhooks.answerBody = 'no such tag';
    await deliverAll(here);
    const { id } = present((await log(endpoint))[0]);
    const read = () => readDelivery(here, acme.id, id);
    expect(await read()).toMatchObject({
      responseStatus: 400,
      requestBody: present(gotBy(here)[0]).body,
      responseBody: 'no such tag',
    });
    await expect(readDelivery(here, (await Account.open(here)).id, id)).rejects.toMatchObject({ code: 'not_found' });
    here.clock.pass(4 * DAY + 1);
    await sweepDeliveries(here);
    expect(await read()).toMatchObject({ responseStatus: 400, requestBody: null, responseBody: null });
  });

  test('is kept for thirty days', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('old');
    here.clock.pass(1);
    await acme.tag('young');
    await deliverAll(here);
    here.clock.pass(30 * DAY);
    await sweepDeliveries(here);
    expect(await log(endpoint)).toMatchObject([{ status: 'delivered' }]);
  });

  test('can send a delivery again, under its id, with all its attempts before', async () => {
    const { endpoint } = await hook(here, acme.id);
    await acme.tag('a');
    await deliverAll(here);
    const [done] = await log(endpoint);
    const again = await resendDelivery(here, acme.id, present(done).id);
    expect(again).toMatchObject({ id: done?.id, eventId: done?.eventId, status: 'pending', attempt: 0 });
    await deliverAll(here);
    const [first, second] = gotBy(here);
    expect(second?.id).toBe(first?.id);
    expect(await log(endpoint)).toMatchObject([{ status: 'delivered', attempt: 1 }]);
  });

  test('shows a test, which is sent once, whatever events the endpoint has and however it ends', async () => {
    const { endpoint, secret } = await hook(here, acme.id, { events: ['tag.deleted'] });
    answers(500);
    const { id } = await sendTestEvent(here, acme.id, endpoint.id);
    await deliverAll(here);
    here.clock.pass(DAY);
    await deliverAll(here);
    expect(await log(endpoint)).toMatchObject([{ id, status: 'dead', attempt: 1, responseStatus: 500 }]);
    const [got] = gotBy(here);
    expect(got).toMatchObject({ type: 'webhook.test', data: { customerId: acme.id } });
    expect(new Webhook(secret).verify(present(got).body, { ...present(got).headers })).toMatchObject({ id: got?.id });
  });
});
