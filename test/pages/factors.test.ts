import { type TOTP, URI } from 'otpauth';
import { operatorFor } from '../../src/core/customers/customer.js';
import { DAY } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { issueLink } from '../../src/core/users/people/one-time-link.js';
import { CONFIRMED_MS } from '../../src/core/users/session.js';
import type { Role } from '../../src/core/users/user.js';
import { HOME } from '../../src/pages/page-context.js';
import { BrowserClient, onlyPlanted, PASSWORD, signInPlanted } from '../api/support/browser-client.js';
import type { Answer } from '../api/support/http-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

const FACTORS = '/settings/account/factors';
const CODE = '/settings/sign-in/code';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;
let userId: Id;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = new BrowserClient(app.url);
  userId = await browser.enter(app.ports, actor.customerId, 'owner', address());
});

/** Of nobody in another test. */
const address = () => `anna.${actor.customerId}@example.com`;
const fieldOf = ({ text }: Answer, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
const idOf = ({ text }: Answer, id: string) => new RegExp(`id="${id}"[^>]*>([^<]+)<`).exec(text)?.[1] ?? '';
const codeOf = (secret: string) => {
  const totp = URI.parse(`otpauth://totp/Photo%20Service:anna?secret=${secret}`) as TOTP;
  return totp.generate({ timestamp: app.ports.clock.now().getTime() });
};
const begin = () => browser.submit(FACTORS, {}, `${FACTORS}/new`);
const send = (shown: Answer, fields: { name: string; code: string }) =>
  browser.post(FACTORS, { _csrf: fieldOf(shown, '_csrf'), enrolment: fieldOf(shown, 'enrolment'), ...fields });

/** Adds an app, and goes on after its first code is over. */
async function setUp(): Promise<{ secret: string; codes: readonly string[] }> {
  const shown = await begin();
  const secret = idOf(shown, 'secret');
  const added = await send(shown, { name: 'Phone', code: codeOf(secret) });
  app.clock.pass(61_000);
  return { secret, codes: idOf(added, 'codes').split('\n') };
}

async function givePassword(next = ''): Promise<{ there: BrowserClient; answer: Answer }> {
  const there = new BrowserClient(app.url);
  const page = `/settings/sign-in${next && `?next=${encodeURIComponent(next)}`}`;
  return { there, answer: await there.submit(page, { email: address(), password: PASSWORD }, '/settings/sign-in') };
}

test('an app is added by its code, and brings ten recovery codes, shown once', async () => {
  expect((await browser.get('/settings/account')).text).toContain(`href="${FACTORS}"`);
  expect((await browser.get(FACTORS)).text).toContain('with your password alone');
  const shown = await begin();
  expect(shown.text).toContain('<svg class="qr"');
  const secret = idOf(shown, 'secret');
  const wrong = await send(shown, { name: '<Phone>', code: '12345' });
  expect([wrong.status, idOf(wrong, 'secret')]).toEqual([400, secret]);
  expect(wrong.text).toContain('not the code of the app now');
  expect(wrong.text).toContain('value="&lt;Phone>"');
  const added = await send(wrong, { name: '<Phone>', code: codeOf(secret) });
  expect([added.status, added.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(new Set(idOf(added, 'codes').split('\n')).size).toBe(10);
  const list = await browser.get(FACTORS);
  expect(list.text).toContain('&lt;Phone>');
  expect(list.text).toContain('10 are left');
  expect(list.text).not.toContain(secret);
  expect((await browser.get('/settings/audit')).text).toContain('Second factor added');
});

test('the secret of an app is shown only to a person who confirmed a moment ago', async () => {
  app.clock.pass(CONFIRMED_MS);
  const asked = await begin();
  expect([asked.status, idOf(asked, 'secret')]).toEqual([403, '']);
  expect(asked.text).toContain('Enter your password to go on');
});

describe('with an app', () => {
  let secret: string;
  let codes: readonly string[];
  beforeEach(async () => {
    ({ secret, codes } = await setUp());
  });

  it('the password leads to the question for a code, and opens no page', async () => {
    const { there, answer } = await givePassword('/settings/tags?sort=name');
    const question = `${CODE}?next=%2Fsettings%2Ftags%3Fsort%3Dname`;
    expect([answer.status, answer.headers.location]).toEqual([303, question]);
    for (const page of [HOME, '/settings/account', FACTORS]) {
      expect((await there.get(page)).headers.location).toMatch(/^\/settings\/sign-in\?next=/);
    }
    const cookie = there.setCookies.find((line) => line.startsWith('phs_pending='));
    expect(cookie).toMatch(/; Max-Age=600; .*HttpOnly; SameSite=Lax$/);
    const before = there.cookies.get('phs');
    const signedIn = await there.submit(question, { code: codeOf(secret) }, CODE);
    expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/settings/tags?sort=name']);
    expect([there.cookies.has('phs_pending'), there.cookies.get('phs') === before]).toEqual([false, false]);
    expect((await there.get('/settings/account')).status).toBe(200);
    expect((await there.get(CODE)).headers.location).toBe(HOME);
  });

  it('an authenticator app is listed with the times when it was last used and added', async () => {
    // Adding it is the first use, and a minute has passed since.
    const now = app.ports.clock.now().getTime();
    const { there } = await givePassword();
    await there.submit(CODE, { code: codeOf(secret) });
    const [row = ''] = (await browser.get(FACTORS)).text.split('<tr').filter((each) => each.includes('>Phone<'));
    const [used, added] = [...row.matchAll(/<time datetime="([^"]+)"/g)].map(([, time = '']) => Date.parse(time));
    expect(used).toBeGreaterThanOrEqual(now);
    expect(added).toBeLessThanOrEqual(now - 60_000);
  });

  it('an attacker who has the password and plants a waiting sign-in is not signed in by the code', async () => {
    const { there } = await givePassword();
    const giveCode = (planted: BrowserClient) => planted.submit(CODE, { code: codeOf(secret) });
    expect(await signInPlanted(there, giveCode)).toEqual(onlyPlanted);
    expect((await there.submit(CODE, { code: codes[0] ?? '' })).status).toBe(401);
  });

  it.each(['https://evil.example', '//evil.example', '/settings//evil.example', '/\\evil.example'])(
    'a right code never leads to %s',
    async (next) => {
      const { there } = await givePassword();
      expect((await there.submit(CODE, { code: codeOf(secret), next })).headers.location).toBe(HOME);
    },
  );

  it('wrong codes are refused in place, the fifth starts again', async () => {
    const { there } = await givePassword();
    for (let tries = 1; tries < 5; tries += 1) {
      const wrong = await there.submit(CODE, { code: 'AAAA-BBBB-CCCC-DDDD' });
      expect([wrong.status, wrong.text.includes('This code is wrong')]).toEqual([400, true]);
    }
    const last = await there.submit(CODE, { code: 'AAAA-BBBB-CCCC-DDDD' });
    expect([last.status, last.text.includes('with your password again')]).toEqual([401, true]);
    expect(last.text).toContain('name="password"');
    expect((await there.get(CODE)).headers.location).toBe('/settings/sign-in');
  });

  it('an authenticator app is not mentioned before the right password', async () => {
    const other = `bert.${actor.customerId}@example.com`;
    await new BrowserClient(app.url).enter(app.ports, actor.customerId, 'viewer', other);
    const answers = [];
    for (const email of [address(), other, 'nobody@example.com']) {
      const { status, text, headers } = await new BrowserClient(app.url).submit('/settings/sign-in', {
        email,
        password: 'wrong',
      });
      answers.push([status, headers.location, text.replace(/[a-z.0-9]+@example.com|[0-9a-f]{64}/g, '')]);
    }
    expect(answers[0]?.[0]).toBe(401);
    expect([answers[1], answers[2]]).toEqual([answers[0], answers[0]]);
  });

  it('a recovery code signs in once', async () => {
    const [code = ''] = codes;
    const { there } = await givePassword();
    expect((await there.submit(CODE, { code })).status).toBe(303);
    const again = await givePassword();
    expect((await again.there.submit(CODE, { code })).status).toBe(400);
    expect((await browser.get(FACTORS)).text).toContain('9 are left');
    const renewed = await browser.submit(FACTORS, {}, `${FACTORS}/recovery-codes`);
    expect(idOf(renewed, 'codes').split('\n')).toHaveLength(10);
    expect((await again.there.submit(CODE, { code: codes[1] ?? '' })).status).toBe(400);
  });

  it('a link sets the password, and then requires the code', async () => {
    const { link } = await issueLink(app.ports, operatorFor(actor.customerId), userId);
    const there = new BrowserClient(app.url);
    const entered = await there.submit(new URL(link).pathname, { password: 'quite another password' });
    expect([entered.status, entered.headers.location]).toEqual([303, CODE]);
    expect((await there.get('/settings/account')).status).toBe(303);
    expect((await there.submit(CODE, { code: codeOf(secret) })).status).toBe(303);
    expect((await there.get('/settings/account')).text).not.toContain('Current password');
  });

  it('forms that decide who has access ask for a code, not for the password', async () => {
    app.clock.pass(CONFIRMED_MS);
    const EMAIL = '/settings/account/email';
    const asked = await browser.submit('/settings/account', { email: `new.${address()}` }, EMAIL);
    expect([asked.status, asked.text.includes('Enter a code to go on')]).toEqual([403, true]);
    const sent = { _csrf: fieldOf(asked, '_csrf'), email: fieldOf(asked, 'email') };
    expect((await browser.post(EMAIL, { ...sent, confirmation: PASSWORD })).status).toBe(400);
    expect((await browser.post(EMAIL, { ...sent, confirmation: codeOf(secret) })).status).toBe(303);
  });

  it('a new password needs a code, too', async () => {
    const { there } = await givePassword();
    await there.submit(CODE, { code: codes[0] ?? '' });
    expect((await there.get('/settings/account')).text).not.toContain('Current password');
    const change = (current: string) =>
      there.submit('/settings/account', { current, password: 'quite another password' }, '/settings/account/password');
    expect((await change(PASSWORD)).status).toBe(400);
    expect((await change(codeOf(secret))).status).toBe(303);
  });

  it('an authenticator app is removed with a code, and then the password is enough', async () => {
    const remove = /href="([^"]+\/remove)"/.exec((await browser.get(FACTORS)).text)?.[1] ?? '';
    expect((await browser.get(remove)).text).toContain('This is your last one');
    expect((await browser.submit(remove, { code: '' })).status).toBe(400);
    expect((await browser.submit(remove, { code: codeOf(secret) })).status).toBe(303);
    const { there } = await givePassword();
    expect((await there.get('/settings/account')).status).toBe(200);
    expect((await browser.get('/settings/audit')).text).toContain('Second factor removed');
  });

  it('an authenticator app of another person is not found', async () => {
    const remove = /href="([^"]+\/remove)"/.exec((await browser.get(FACTORS)).text)?.[1] ?? '';
    const other = new BrowserClient(app.url);
    await other.enter(app.ports, actor.customerId, 'owner', `bert.${actor.customerId}@example.com`);
    expect((await other.get(remove)).status).toBe(404);
    expect((await other.get(FACTORS)).text).toContain('with your password alone');
  });
});

describe('required of everyone', () => {
  const PEOPLE = '/settings/account/people';
  const dayIn = (days: number) => new Date(app.ports.clock.now().getTime() + days * DAY).toISOString().slice(0, 10);
  const require = (from: string) => browser.submit(PEOPLE, { from }, `${PEOPLE}/two-step`);
  const member = async (name: string, role: Role = 'viewer') => {
    const client = new BrowserClient(app.url);
    await client.enter(app.ports, actor.customerId, role, `${name}.${actor.customerId}@example.com`);
    return client;
  };

  it('requires an owner who has set up a factor', async () => {
    await require(dayIn(2));
    expect((await browser.get(PEOPLE)).text).toContain('Set up two-step sign-in for yourself first');
    const admin = await member('ada', 'admin');
    expect((await admin.get(PEOPLE)).text).not.toContain('two-step');
    await setUp();
    await require(dayIn(2));
    const { text } = await browser.get(PEOPLE);
    expect(text).toContain(`value="${dayIn(2)}"`);
    expect(text).not.toContain('Everyone in this account needs two-step sign-in');
    await require('');
    expect((await browser.get(PEOPLE)).text).not.toContain(`value="${dayIn(2)}"`);
  });

  it('is announced on every page, and from that day blocks every other page without it', async () => {
    await setUp();
    const early = await member('bert', 'editor');
    await require(dayIn(1));
    for (const page of [HOME, '/settings/tags', '/settings/account']) {
      expect((await early.get(page)).text).toContain('Everyone in this account needs two-step sign-in');
    }
    await require(dayIn(0));
    const late = await member('carl');
    for (const client of [early, late]) {
      for (const page of [HOME, '/settings', '/settings/account', '/settings/account/export/photos.jsonl']) {
        const { status, headers } = await client.get(page);
        expect([page, status, headers.location]).toEqual([page, 303, FACTORS]);
      }
      expect((await client.get(FACTORS)).status).toBe(200);
    }
    const script = { accept: 'application/json', 'x-requested-with': 'fetch' };
    expect((await late.get('/settings/library/tag-names', script)).status).toBe(403);
    const form = { _csrf: fieldOf(await late.get(FACTORS), '_csrf'), email: 'new@example.com' };
    expect((await late.post('/settings/account/email', form)).headers.location).toBe(FACTORS);
    const shown = await late.submit(FACTORS, {}, `${FACTORS}/new`);
    const code = codeOf(idOf(shown, 'secret'));
    const sent = { _csrf: fieldOf(shown, '_csrf'), enrolment: fieldOf(shown, 'enrolment') };
    const added = await late.post(FACTORS, { ...sent, name: 'Phone', code });
    expect(added.text).toContain('Recovery codes');
    expect(added.text).not.toContain('Everyone in this account needs two-step sign-in');
    expect((await late.get('/settings/account')).status).toBe(200);
    expect((await early.submit(FACTORS, {}, '/settings/sign-out')).status).toBe(303);
    expect((await browser.get(HOME)).status).toBe(200);
    expect((await actor.get('/photos')).status).toBe(200);
  });
});
