import type { Mail } from '../../src/core/mail/mail.js';
import { MemoryMailer } from '../../testing/memory/memory-mailer.js';
import { BrowserClient, onlyPlanted, signInPlanted } from './support/browser-client.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

const PEOPLE = '/settings/account/people';

let mailer: MemoryMailer;
let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
let seen: number;

beforeEach(async () => {
  mailer = new MemoryMailer();
  seen = 0;
  app = await startApp({ ports: () => ({ mailer }) });
  actor = await app.customer('Studio North');
  browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, 'owner', 'olga@example.com');
  await arrived();
});
afterEach(() => app.close());

/** The mails that have come since the last call, oldest first. */
async function arrived() {
  await app.work();
  const mails = mailer.sent.slice(seen).map(({ mail }) => mail);
  seen = mailer.sent.length;
  return mails;
}

const linkOf = (mail: Mail | undefined) => (mail && 'link' in mail.values ? mail.values.link : 'no link');

test('a person who is invited gets the link that the page shows by mail', async () => {
  expect((await browser.get(PEOPLE)).text).toContain('The person gets a link by mail');
  const { text } = await browser.submit(PEOPLE, { email: 'anna@example.com', role: 'editor' });
  expect(text).toContain('A mail to anna@example.com contains it.');
  const [mail] = await arrived();
  expect(mail).toMatchObject({ template: 'invitation', to: { address: 'anna@example.com' } });
  expect(mail?.values).toMatchObject({ invitedBy: 'olga@example.com', role: 'editor' });
  expect(text).toContain(linkOf(mail));
});

describe('a forgotten password', () => {
  const RECOVERY = '/settings/sign-in/recovery';
  const ask = (client: BrowserClient, email: string) => client.submit(RECOVERY, { email });

  it('is replaced by a link that is mailed', async () => {
    const stranger = new BrowserClient(app.url);
    expect((await stranger.get('/settings/sign-in')).text).toContain(`href="${RECOVERY}"`);
    expect((await ask(stranger, 'olga@example.com')).text).toContain('Check your mail');
    const [mail] = await arrived();
    const { pathname } = new URL(linkOf(mail));
    expect((await stranger.get(pathname)).text).toContain('Choose a new password');
    expect((await stranger.submit(pathname, { password: 'a password that is new' })).status).toBe(303);
    expect((await stranger.get('/settings/account')).status).toBe(200);
    expect((await browser.get('/settings/account')).status).toBe(303);
    expect((await stranger.get(pathname)).status).toBe(403);
    expect(app.log.join('')).not.toContain(pathname.split('/').at(-1));
  });

  it('signs in the browser that used the link, but no one who planted cookies there before', async () => {
    await ask(new BrowserClient(app.url), 'olga@example.com');
    const { pathname } = new URL(linkOf((await arrived())[0]));
    const use = (planted: BrowserClient) => planted.submit(pathname, { password: 'a password that is new' });
    expect(await signInPlanted(new BrowserClient(app.url), use)).toEqual(onlyPlanted);
  });

  it('is answered alike for an unknown address', async () => {
    const texts: string[] = [];
    for (const email of ['olga@example.com', 'nobody@example.com']) {
      const { status, text } = await ask(new BrowserClient(app.url), email);
      expect(status).toBe(200);
      texts.push(text.replace(/csrf-token" content="[^"]*"/, ''));
    }
    expect(texts[0]).toBe(texts[1]);
    expect(await arrived()).toHaveLength(1);
  });

  it('is limited in its number of requests', async () => {
    for (let time = 0; time < 5; time += 1) await ask(new BrowserClient(app.url), `a${time}@example.com`);
    const refused = await ask(new BrowserClient(app.url), 'olga@example.com');
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Too many attempts.')]);
    expect(refused.text).toContain('value="olga@example.com"');
  });

  it('has no page where no server for mail is configured', async () => {
    const without = await startApp();
    const client = new BrowserClient(without.url);
    expect((await client.get(RECOVERY)).status).toBe(404);
    expect((await client.get('/settings/sign-in')).text).not.toContain(RECOVERY);
    await without.close();
  });
});

describe('a new address', () => {
  const change = (email: string) => browser.submit('/settings/account', { email }, '/settings/account/email');

  it('takes effect once the link in the mail is confirmed, in any browser', async () => {
    expect((await browser.get('/settings/account')).text).toContain('A new one counts once you have opened the link');
    expect((await change('olga@new.example')).status).toBe(303);
    expect((await browser.get('/settings/account')).text).toContain('We have sent a link to olga@new.example.');
    const { pathname } = new URL(linkOf((await arrived())[0]));
    const phone = new BrowserClient(app.url);
    for (const _ of [1, 2]) {
      const shown = await phone.get(pathname);
      expect([shown.status, shown.text]).toEqual([200, expect.stringContaining('olga@new.example')]);
    }
    expect((await browser.get('/settings/account')).text).toContain('value="olga@example.com"');
    expect((await phone.submit(pathname)).text).toContain('From now on you sign in with olga@new.example.');
    expect((await browser.get('/settings/account')).text).toContain('value="olga@new.example"');
    expect((await phone.get(pathname)).status).toBe(403);
    expect((await phone.get('/settings/account')).status).toBe(303);
    expect(app.log.join('')).not.toContain(pathname.split('/').at(-1));
  });

  it('is refused on the page of the link when another person has taken it in the meantime', async () => {
    await change('bert@example.com');
    const { pathname } = new URL(linkOf((await arrived())[0]));
    await new BrowserClient(app.url).enter(app.ports, actor.customerId, 'viewer', 'bert@example.com');
    const refused = await new BrowserClient(app.url).submit(pathname);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('already uses this address')]);
  });

  it('needs the token of the form', async () => {
    await change('olga@new.example');
    const { pathname } = new URL(linkOf((await arrived())[0]));
    expect((await new BrowserClient(app.url).post(pathname, {})).status).toBe(403);
    expect((await browser.get('/settings/account')).text).toContain('value="olga@example.com"');
  });
});

test('without a server for mail, no page promises one', async () => {
  const without = await startApp();
  const { customerId } = await without.customer('Studio South');
  const other = new BrowserClient(without.url);
  await other.enter(without.ports, customerId);
  const shown = [await other.get(PEOPLE), await other.submit(PEOPLE, { email: 'anna@example.com', role: 'editor' })];
  expect(shown.map(({ text }) => text.match(/(?<!e-)\bmail\b/i))).toEqual(shown.map(() => null));
  await without.close();
});
