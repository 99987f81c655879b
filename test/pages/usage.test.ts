import { commandLine } from '../../src/core/audit/audit-entry.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { createWebhookEndpoint } from '../../src/core/webhooks/endpoints.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { until } from '../support/until.js';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
let isAway = false;

beforeAll(async () => {
  app = await startApp({
    ports: ({ traffic }) => ({
      traffic: {
        add: (tally) => (isAway ? Promise.reject(new Error('away')) : traffic.add(tally)),
        countStorage: (day) => traffic.countStorage(day),
        sweep: (day) => traffic.sweep(day),
        sweepHours: (day) => traffic.sweepHours(day),
      },
    }),
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North', { photos: 10, storageBytes: 1_000_000 });
  browser = await person(actor, 'owner');
});

async function person(of: Actor, role: 'owner' | 'editor'): Promise<BrowserClient> {
  const client = new BrowserClient(app.url);
  await client.enter(app.ports, of.customerId, role, `${role}.${of.customerId}@example.com`);
  return client;
}

const traffic = (of = actor) => {
  return app.ports.store.query(of.customerId, async (reader) => ({
    counts: await reader.traffic.counts('2000-01-01'),
    failures: await reader.traffic.failures(),
  }));
};

/** Has what was counted so far written. An answer is counted once its connection is done with it, a moment after it came. */
async function counted(requests: number, of = actor): Promise<void> {
  await until(async () => {
    await app.writeCounts();
    const { counts } = await traffic(of);
    return counts.reduce((sum, count) => sum + count.requests, 0) >= requests;
  });
}

describe('usage', () => {
  it('counts requests, errors and refusals of each key', async () => {
    const second = await actor.withKey({ name: 'slow importer', readLimit: 1 });
    await actor.get('/tags?q=a-private-word');
    const missing = await actor.get('/photos/987654321?include=urls');
    await second.get('/me');
    await second.get('/me');
    await app.send({ path: '/api/v1/me' });
    await counted(4);
    const { counts, failures } = await traffic();
    const day = app.clock.now().toISOString().slice(0, 10);
    const of = { customerId: actor.customerId, day };
    expect(counts).toEqual([
      { ...of, apiKeyId: actor.keyId, requests: 2, limited: 0, failed: 1 },
      { ...of, apiKeyId: second.keyId, requests: 2, limited: 1, failed: 0 },
    ]);
    expect(failures).toMatchObject([
      { method: 'GET', route: '/api/v1/photos/:id', status: 404, code: 'not_found', apiKeyId: actor.keyId },
    ]);
    const { text } = await browser.get('/settings/usage');
    const requestId = String(missing.headers['x-request-id']);
    // An error leads to itself, to what it means, and to the key that got it.
    expect(text).toContain(`id="${requestId}" class="small code" href="#${requestId}"`);
    expect(text).toMatch(/<a[^>]* href="\/docs\/errors\/not_found"[^>]*>not_found/);
    expect(text).toContain(`href="/settings/keys/${actor.keyId}"`);
    expect(text).toMatch(/4 requests[\s\S]*1 error[\s\S]*1 over the rate limit/);
    expect(text).toMatch(/slow importer<\/a><\/td><td data-column="Requests">2<\/td><td[^>]*>0<\/td><td[^>]*>1</);
    expect(text).toContain('/api/v1/photos/:id');
    for (const hidden of ['a-private-word', '987654321', 'include=urls', actor.token])
      expect(text).not.toContain(hidden);
    const one = await browser.get(`/settings/usage?key=${second.keyId}`);
    expect(one.text).toContain('Of slow importer, in the last 30 days');
    expect(one.text).toMatch(/2 requests[\s\S]*0 errors/);
    expect(one.text).toMatch(/<td data-column="Hour">[^<]*<\/td><td[^>]*>2<\/td><td[^>]*>0<\/td><td[^>]*>1</);
  });

  it('continues to count while the counts cannot be written', async () => {
    isAway = true;
    await actor.get('/me');
    await until(async () => {
      await app.writeCounts();
      return app.log.some((line) => line.includes('request counts could not be stored'));
    });
    await actor.get('/me');
    isAway = false;
    await counted(2);
    expect((await traffic()).counts).toMatchObject([{ requests: 2 }]);
    const hour = `${String(app.clock.now().getUTCHours()).padStart(2, '0')}:00`;
    const { text } = await browser.get('/settings/usage');
    expect(text).toMatch(new RegExp(`<td data-column="Hour">${hour}</td><td data-column="Requests">2</td>`));
    expect(text).toContain(`${hour}: 2 requests, 0 errors, 0 over the limit</title>`);
  });

  it('shows the use of the quota', async () => {
    const content = picture('one');
    await importPhotos(app, actor, [{ filename: 'a.jpg', type: 'image/jpeg', content }]);
    const { text } = await browser.get('/settings/usage');
    expect(text).toMatch(/Photos<\/h2><p class="figure">1<\/p>[\s\S]*?10 % of 10 photos/);
    expect(text).toMatch(/Storage<\/h2><p class="figure">[\d.]+ (bytes|kB)<\/p>[\s\S]*?Less than 1 % of 1 MB/);
    const free = await app.customer();
    expect((await (await person(free, 'editor')).get('/settings/usage')).text).toContain('Without limit.');
  });

  it('shows nothing of another customer', async () => {
    const stranger = await app.customer();
    const key = await stranger.withKey({ name: 'a stranger’s key' });
    await key.get('/photos/999999');
    await counted(1, stranger);
    const { text } = await browser.get(`/settings/usage?key=${key.keyId}`);
    expect(text).not.toContain('stranger’s');
    expect(text).toContain('0 requests');
    expect(text).toContain('No errors');
  });
});

describe('the audit log', () => {
  it('shows owners who did what from where', async () => {
    const made = await browser.submit('/settings/webhooks/new', { url: 'https://example.com/hooks', which: 'all' });
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(made.text)?.[0] ?? 'there is none';
    const { text } = await browser.get('/settings/audit');
    const row = /Webhook endpoint created[\s\S]*?example\.com[\s\S]*?owner\.\d+@example\.com[\s\S]*?127\.0\.0\.1/;
    expect(text).toMatch(row);
    expect(text).toMatch(/Person joined[\s\S]*?owner\.\d+@example\.com[\s\S]*?Person invited[\s\S]*?Command line/);
    expect(text).toMatch(/API key created[\s\S]*?a key[\s\S]*?Account created[\s\S]*?Studio North/);
    for (const hidden of [secret, actor.token, '/settings/enter/']) expect(text).not.toContain(hidden);
    const member = await person(actor, 'editor');
    expect((await member.get('/settings/audit')).status).toBe(403);
    expect((await member.get('/settings/usage')).text).not.toContain('/settings/audit');
  });

  it('is shown page by page, without entries of other customers', async () => {
    const stranger = await app.customer('Studio South');
    await stranger.withKey({ name: 'a stranger’s key' });
    for (const at of Array(60).keys()) await actor.withKey({ name: `key no ${at}.` });
    const first = await browser.get('/settings/audit');
    const next = /href="([^"]*\?cursor=[^"]*)"/.exec(first.text)?.[1] ?? '';
    const both = first.text + (await browser.get(next)).text;
    expect(new Set(both.match(/key no \d+\./g)).size).toBe(60);
    expect(both).not.toContain('stranger’s');
    expect((await browser.get('/settings/audit?cursor=nonsense')).status).toBe(400);
  });

  it('is filtered by action, person and day', async () => {
    await actor.withKey({ name: 'the importer' });
    await browser.get('/settings/account/export/tags.jsonl');
    const shown = async (query: string) => (await browser.get(`/settings/audit?${query}`)).text;
    const today = app.ports.clock.now().toISOString().slice(0, 10);
    expect(await shown('kind=keys')).toMatch(/API key created[\s\S]*the importer/);
    expect(await shown('kind=keys')).not.toContain('<td data-column="What">Person');
    expect(await shown('kind=exports')).toMatch(/Data exported[\s\S]*tags\.jsonl[\s\S]*owner\./);
    expect(await shown('person=The+importer')).toContain('API key created');
    expect(await shown('person=nobody%40example.com')).toContain('No matching entries');
    expect(await shown(`from=${today}&to=${today}&kind=exports`)).toContain('Data exported');
    expect(await shown('to=2001-01-01')).toContain('No matching entries');
    expect((await browser.get('/settings/audit?from=yesterday')).status).toBe(400);
  });

  it('is downloaded as a complete CSV with its filters, and without formulas', async () => {
    const edited = { action: 'api_key.edited', subject: { id: 7, name: 'key 7' }, at: app.ports.clock.now() } as const;
    await app.ports.store.transaction(actor.customerId, async ({ audit }) => {
      for (let at = 0; at < 101; at += 1) await audit.add(commandLine, edited);
    });
    for (const name of ['=1+1', '+2', '-3', '@sum', 'say "hi", twice']) await actor.withKey({ name });
    const { status, headers, text } = await browser.get('/settings/audit/audit.csv?kind=keys');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toContain('attachment');
    const lines = text.split('\r\n');
    expect(lines[0]).toBe('at,action,subjectId,subjectName,count,changes,actorKind,actorId,actorName,address');
    expect(lines).toHaveLength(1 + 107 + 1);
    for (const name of ["'=1+1", "'+2", "'-3", "'@sum", '"say ""hi"", twice"']) expect(text).toContain(`,${name},1,,`);
    expect(text).not.toContain('user.joined');
    expect((await browser.get('/settings/audit?kind=exports')).text).toContain('audit.csv');
    expect((await (await person(actor, 'editor')).get('/settings/audit/audit.csv')).status).toBe(403);
  });

  it('names a person by each change that they make at the same time', async () => {
    const others = await Promise.all([1, 2, 3].map(() => app.customer()));
    const people = await Promise.all(others.map((each) => person(each, 'owner')));
    await Promise.all(
      people.map((each) => each.submit('/settings/webhooks/new', { url: 'https://example.com/hooks', which: 'all' })),
    );
    await createWebhookEndpoint(app.ports, operatorFor(actor.customerId), { url: 'https://example.com/hooks' });
    for (const [at, each] of people.entries()) {
      const text = (await each.get('/settings/audit')).text;
      const mine = new RegExp(`endpoint created[\\s\\S]*?owner\\.${others[at]?.customerId}@example\\.com`);
      expect(text).toMatch(mine);
    }
  });
});
