import { eventBody } from '../../src/api/webhooks/event-body.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { MINUTE, SECOND } from '../../src/core/shared/clock.js';
import { DELIVERY_LEASE_SECONDS, outcomeOf } from '../../src/core/webhooks/delivery.js';
import { createWebhookEndpoint, listWebhookEndpoints } from '../../src/core/webhooks/endpoints.js';
import { deliverEvent } from '../../src/core/webhooks/send.js';
import { MemoryWebhookSender } from '../../testing/memory/memory-webhooks.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { claimFrom } from '../support/claim.js';
import { present } from '../support/tenant.js';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
const receivers = new MemoryWebhookSender();

beforeAll(async () => {
  app = await startApp({ ports: () => ({ webhooks: receivers }) });
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer();
  browser = await person(actor, 'owner');
  receivers.sent.length = 0;
  receivers.answer = () => 200;
  receivers.answerBody = null;
});

const URL_OF = 'https://example.com/hooks';

async function person(of: Actor, role: 'owner' | 'editor'): Promise<BrowserClient> {
  const client = new BrowserClient(app.url);
  await client.enter(app.ports, of.customerId, role, `${role}.${of.customerId}@example.com`);
  return client;
}

const endpoints = (of = actor) => listWebhookEndpoints(app.ports, of.customerId);
const endpoint = async (of = actor) =>
  (await createWebhookEndpoint(app.ports, operatorFor(of.customerId), { url: URL_OF })).endpoint;

const claim = () => claimFrom(app.ports.jobs, 'deliveries', DELIVERY_LEASE_SECONDS);

async function deliverAll(): Promise<void> {
  for (let delivery = await claim(); delivery !== null; delivery = await claim())
    await deliverEvent(app.ports, delivery, eventBody);
}

/** Sends a form whose button is not on the page any more, or was never there. */
async function forge(path: string, fields: Record<string, string> = {}) {
  const { text } = await browser.get('/settings/webhooks/new');
  const token = present(/name="_csrf" value="([0-9a-f]+)"/.exec(text)?.[1]);
  return browser.post(path, { ...fields, _csrf: token });
}

describe('making an endpoint', () => {
  it('shows its secret, once', async () => {
    const fields = { url: URL_OF, description: 'The shop', which: 'some', events: ['tag.created', 'photo.created'] };
    const made = await browser.submit('/settings/webhooks/new', fields);
    expect(made.status).toBe(200);
    expect(made.headers['cache-control']).toBe('no-store');
    const secret = present(/>(whsec_[^<]+)</.exec(made.text)?.[1]);
    const [stored] = await endpoints();
    expect(stored).toMatchObject({ url: URL_OF, description: 'The shop', events: ['photo.created', 'tag.created'] });
    for (const path of ['', `/${stored?.id}`, `/${stored?.id}/edit`]) {
      expect((await browser.get(`/settings/webhooks${path}`)).text).not.toContain(secret);
    }
    expect(app.log.join('\n')).not.toContain(secret);
  });

  it.each([
    ['http://example.com/hooks', 'URL must begin with https://.'],
    ['https://10.0.0.1/hooks', 'URL must lead to a public address.'],
    ['https://[::1]/hooks', 'URL must lead to a public address.'],
    ['https://user:pass@example.com', 'URL must not contain a user name or password.'],
    ['nonsense', 'URL must be a complete URL'],
    ['', 'URL must be a complete URL'],
  ])('refuses %s with words beside the field', async (url, words) => {
    const refused = await browser.submit('/settings/webhooks/new', { url, which: 'all' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('id="field-url-error"');
    expect(refused.text).toContain(words);
    expect(await endpoints()).toEqual([]);
  });

  it('refuses an empty list of events, and unknown events', async () => {
    const none = await browser.submit('/settings/webhooks/new', { url: URL_OF, which: 'some' });
    expect(none.text).toContain('Select an event, or all of them.');
    const unknown = await browser.submit('/settings/webhooks/new', { url: URL_OF, which: 'some', events: 'x' });
    expect([none.status, unknown.status]).toEqual([400, 400]);
  });

  it('reports the limit of twenty', async () => {
    for (const _ of Array.from({ length: 20 })) await endpoint();
    const refused = await browser.submit('/settings/webhooks/new', { url: URL_OF, which: 'all' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('at most 20 webhook endpoints');
  });
});

describe('an endpoint', () => {
  it('is edited, disabled and enabled', async () => {
    const { id } = await endpoint();
    const page = `/settings/webhooks/${id}`;
    const url = 'https://example.com/other';
    expect((await browser.submit(`${page}/edit`, { url, which: 'all', description: '' })).status).toBe(303);
    expect((await browser.get(page)).text).toContain(url);
    expect((await browser.submit(`${page}/edit`, { url: 'https://127.0.0.1', which: 'all' })).status).toBe(400);
    await browser.submit(page, {}, `${page}/disable`);
    const disabled = await browser.get(page);
    expect(disabled.text).toContain('Disabled. Nothing is sent to it');
    expect(disabled.text).toContain('Disabled manually');
    expect(disabled.text).not.toContain('Send a test event');
    await browser.submit(page, {}, `${page}/enable`);
    expect((await endpoints())[0]).toMatchObject({ status: 'enabled', url });
  });

  it('that was disabled because of its receiver says why', async () => {
    const { id } = await endpoint();
    receivers.answer = () => 410;
    await actor.post('/tags', { name: 'Sea' });
    await deliverAll();
    for (const path of ['', `/${id}`]) {
      expect((await browser.get(`/settings/webhooks${path}`)).text).toContain('The receiver responded with 410 Gone.');
    }
  });

  it('gets a new secret, shown once, and both sign for a day', async () => {
    const { id, secret } = await endpoint();
    const page = `/settings/webhooks/${id}/secret`;
    const rotated = await browser.submit(page);
    expect(rotated.text).toMatch(/>whsec_[^<]+</);
    expect((await endpoints())[0]?.previousSecret).toBe(secret);
    expect((await browser.get(`/settings/webhooks/${id}`)).text).toContain(
      'events are also signed with the old secret until',
    );
    app.clock.pass(24 * 3600 * 1000);
    expect((await browser.get(`/settings/webhooks/${id}`)).status).toBe(303);
  });

  it('is deleted after a question', async () => {
    const { id } = await endpoint();
    const page = `/settings/webhooks/${id}/delete`;
    expect((await browser.get(page)).text).toContain(URL_OF);
    expect((await browser.submit(page)).headers.location).toBe('/settings/webhooks');
    expect(await endpoints()).toEqual([]);
  });
});

describe('the delivery log', () => {
  it('shows how each attempt ended, and sends again', async () => {
    const { id } = await endpoint();
    const page = `/settings/webhooks/${id}`;
    expect((await browser.get(page)).text).toContain('Nothing sent yet');
    await browser.submit(page, {}, `${page}/test`);
    await deliverAll();
    const { text } = await browser.get(page);
    expect(text).toMatch(/webhook\.test[\s\S]*Delivered[\s\S]*HTTP 200/);
    const resend = present(/action="(\/settings\/webhooks\/\d+\/deliveries\/\d+)"/.exec(text)?.[1]);
    expect((await browser.submit(page, {}, resend)).headers.location).toBe(page);
    await deliverAll();
    const [first, second] = receivers.sent.map(({ headers }) => headers['webhook-id']);
    expect(first).toMatch(/^evt_/);
    expect(second).toBe(first);
  });

  it('shows what was sent and answered', async () => {
    const { id } = await endpoint();
    await actor.post('/tags', { name: '<b>Sea</b>' });
    receivers.answer = () => 422;
    receivers.answerBody = 'no <i>such</i> tag';
    await deliverAll();
    const { text } = await browser.get(`/settings/webhooks/${id}`);
    const page = present(/href="(\/settings\/webhooks\/\d+\/deliveries\/\d+)"/.exec(text)?.[1]);
    const shown = (await browser.get(page)).text;
    expect(shown).toContain('HTTP 422');
    expect(shown).toContain('&quot;name&quot;: &quot;&lt;b>Sea&lt;/b>&quot;');
    expect(shown).toContain('no &lt;i>such&lt;/i> tag');
  });

  it('is filtered by state and event, and reports when nothing matches', async () => {
    const { id } = await endpoint();
    await actor.post('/tags', { name: 'Sea' });
    await deliverAll();
    receivers.answer = () => 500;
    await actor.post('/tags', { name: 'Land' });
    await deliverAll();
    const states = async (query: string) => {
      const { text } = await browser.get(`/settings/webhooks/${id}?${query}`);
      return [...text.matchAll(/class="badge (?:good|warn|bad)">(Delivered|Retrying|Given up)</g)].map(
        ([, state]) => state,
      );
    };
    expect(await states('')).toEqual(['Retrying', 'Delivered']);
    expect(await states('state=delivered')).toEqual(['Delivered']);
    expect(await states('state=pending&event=tag.created')).toEqual(['Retrying']);
    // What means nothing narrows nothing.
    expect(await states('state=x&event=y')).toEqual(['Retrying', 'Delivered']);
    const { text } = await browser.get(`/settings/webhooks/${id}?event=tag.deleted`);
    expect(text).toContain('No matching deliveries');
    expect(text).toContain('<option value="tag.deleted" selected>');
  });

  it('shows deliveries that are retried, and when', async () => {
    const { id } = await endpoint();
    receivers.answer = () => 500;
    await actor.post('/tags', { name: 'Sea' });
    await deliverAll();
    const { text } = await browser.get(`/settings/webhooks/${id}`);
    expect(text).toMatch(/tag\.created[\s\S]*Retrying[\s\S]*HTTP 500[\s\S]*data-column="Next attempt"><time/);
    expect((await browser.get('/settings/webhooks')).text).toContain('Retrying');
  });

  it('follows deliveries under way, shows when they can change, and distinguishes tests from events', async () => {
    const { id } = await endpoint();
    const page = `/settings/webhooks/${id}`;
    const liveOn = async () => /data-live="(\d+)"/.exec((await browser.get(page)).text)?.[1];
    expect(await liveOn()).toBeUndefined();
    await actor.post('/tags', { name: 'Sea' });
    expect(await liveOn()).toBe('0');
    const attempted = present(await claim());
    // The attempt has begun, and may end at any moment.
    expect(await liveOn()).toBe('0');
    const failed = { body: null, answer: { status: 500, reason: 'It failed.', body: null } };
    const { change, retryAfterMs } = outcomeOf({ type: 'tag.created', attempt: 2 }, failed, new Date(), 0);
    await app.ports.store.transaction(actor.customerId, async ({ deliveries, jobs }) => {
      await deliveries.update(attempted.work.deliveryId, change);
      await jobs.release(attempted, 'It failed.', present(retryAfterMs) / SECOND);
    });
    expect(Number(await liveOn())).toBeGreaterThan(4 * MINUTE);
    expect(Number(await liveOn())).toBeLessThanOrEqual(5 * MINUTE);
    expect((await browser.get(page)).text).toContain(
      'A failed event is attempted 10 times within about three days, a test event once.',
    );
    await browser.submit(page, {}, `${page}/disable`);
    expect(await liveOn()).toBeUndefined();
  });

  it('does not show an endpoint as failing because of a failed test', async () => {
    const { id } = await endpoint();
    const page = `/settings/webhooks/${id}`;
    for (const status of [200, 200, 500]) {
      receivers.answer = () => status;
      await browser.submit(page, {}, `${page}/test`);
      await deliverAll();
    }
    const { text } = await browser.get(page);
    expect(text).toMatch(/HTTP 500/);
    expect(text).not.toContain('Failing');
    expect(text).not.toContain('Nothing has got through');
    expect((await browser.get('/settings/webhooks')).text).toContain('Enabled');
  });

  it('is walked page by page', async () => {
    const { id } = await endpoint();
    await actor.post('/tags', { tags: Array.from({ length: 60 }, (_, at) => ({ name: `tag ${at}` })) });
    const page = `/settings/webhooks/${id}`;
    const first = await browser.get(page);
    const next = present(/href="([^"]*\?cursor=[^"]*)"/.exec(first.text)?.[1]);
    const second = await browser.get(next);
    const ids = [first, second].flatMap(({ text }) =>
      [...text.matchAll(/evt_\w+(?=<\/span>)/g)].map(([found]) => found),
    );
    expect(new Set(ids).size).toBe(60);
    expect((await browser.get(`${page}?cursor=nonsense`)).status).toBe(400);
  });

  it('of a disabled endpoint sends nothing, and says so', async () => {
    const { id } = await endpoint();
    const page = `/settings/webhooks/${id}`;
    await browser.submit(page, {}, `${page}/test`);
    await browser.submit(page, {}, `${page}/disable`);
    expect((await browser.get(page)).text).toContain('when enabled');
    expect((await forge(`${page}/test`)).headers.location).toBe(page);
    expect((await browser.get(page)).text).toContain('This webhook endpoint is disabled. Enable it first.');
  });
});

it('a webhook endpoint is hidden from members', async () => {
  const { id } = await endpoint();
  const member = await person(actor, 'editor');
  for (const path of ['', '/new', `/${id}`, `/${id}/edit`, `/${id}/secret`, `/${id}/delete`]) {
    expect((await member.get(`/settings/webhooks${path}`)).status).toBe(403);
  }
  expect((await member.get('/settings/tags')).text).not.toContain('/settings/webhooks');
});

it('a webhook endpoint of another customer is not found', async () => {
  const stranger = await app.customer();
  const { id } = await endpoint(stranger);
  await stranger.post('/tags', { name: 'Sea' });
  const [delivery] = await app.ports.store.query(stranger.customerId, (reader) => reader.deliveries.list(id, null, 1));
  const own = await endpoint();
  for (const path of [`/${id}`, `/${id}/edit`, `/${id}/secret`, `/${id}/delete`]) {
    expect((await browser.get(`/settings/webhooks${path}`)).status).toBe(404);
  }
  const fields = { url: 'https://example.com/mine', which: 'all' };
  const deliveries = [id, own.id].map((each) => `${each}/deliveries/${delivery?.id}`);
  for (const path of ['edit', 'enable', 'disable', 'secret', 'test', 'delete'].map((each) => `${id}/${each}`)) {
    expect([path, (await forge(`/settings/webhooks/${path}`, fields)).status]).toEqual([path, 404]);
  }
  for (const path of deliveries) {
    expect((await forge(`/settings/webhooks/${path}`)).status).toBe(404);
    expect((await browser.get(`/settings/webhooks/${path}`)).status).toBe(404);
  }
  expect((await endpoints(stranger))[0]).toMatchObject({ id, url: URL_OF, status: 'enabled', previousSecret: null });
});
