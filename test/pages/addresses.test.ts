import { operatorFor } from '../../src/core/customers/customer.js';
import { editSettingsAddresses } from '../../src/core/users/admission.js';
import { inviteUser } from '../../src/core/users/people/one-time-link.js';
import { CONFIRMED_MS } from '../../src/core/users/session.js';
import { BrowserClient, type Fields, PASSWORD } from '../api/support/browser-client.js';
import type { RequestParts } from '../api/support/http-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

const ADDRESSES = '/settings/account/people/addresses';
const OFFICE = '192.0.2.7';
const ELSEWHERE = '203.0.113.9';
const REFUSED = 'The settings area of this account cannot be used from';

/** A browser behind the proxy, which says where it is. */
class PlacedBrowser extends BrowserClient {
  constructor(
    url: string,
    public forwarded: string | null = OFFICE,
  ) {
    super(url);
  }

  override send(parts: RequestParts) {
    const placed = this.forwarded === null ? {} : { 'x-forwarded-for': this.forwarded };
    return super.send({ ...parts, headers: { ...placed, ...parts.headers } });
  }

  at(forwarded: string | null): this {
    this.forwarded = forwarded;
    return this;
  }
}

let app: RunningApp;
let actor: Actor;
let browser: PlacedBrowser;

beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1', '198.51.100.0/24'] });
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = new PlacedBrowser(app.url);
  await browser.enter(app.ports, actor.customerId, 'owner', address('olga'));
});

/** Of nobody in another test. */
const address = (name: string) => `${name}.${actor.customerId}@example.com`;
const save = (fields: Fields) => browser.submit(ADDRESSES, fields);
const restrict = (...entries: string[]) => editSettingsAddresses(app.ports, operatorFor(actor.customerId), entries);
const stored = async () => (await app.ports.customers.find(actor.customerId))?.settingsIpList;
const audited = () =>
  app.ports.store.query(actor.customerId, ({ audit }) =>
    audit.list(null, 3, { actions: null, name: null, from: null, until: null }),
  );

describe('an owner', () => {
  it('sets the address list in the spelling of keys, which is recorded', async () => {
    expect((await browser.get('/settings/account/people')).text).toContain('can be used from anywhere');
    expect((await save({ ipList: `${OFFICE}\n10.0.0.0/8, 2001:DB8::1` })).status).toBe(303);
    expect(await stored()).toEqual([`${OFFICE}/32`, '10.0.0.0/8', '2001:db8::1/128']);
    expect((await browser.get('/settings/account/people')).text).toContain('from 3 addresses and ranges alone');
    expect((await browser.get(ADDRESSES)).text).toContain(`${OFFICE}\n10.0.0.0/8\n2001:db8::1</textarea>`);
    const [entry] = await audited();
    expect(entry).toMatchObject({ action: 'customer.edited', changes: ['settingsAddresses'], address: OFFICE });
    expect((await save({ ipList: '' })).status).toBe(303);
    expect(await stored()).toEqual([]);
  });

  it('is told what is wrong with an entry', async () => {
    const { status, text } = await save({ ipList: `${OFFICE}\n10.0.*.*` });
    expect([status, await stored()]).toEqual([400, []]);
    expect(text).toContain('wildcards are not supported');
  });

  it('is warned before addresses are blocked that are in use, and by name before the own one', async () => {
    const colleague = new PlacedBrowser(app.url, '192.0.2.99');
    await colleague.enter(app.ports, actor.customerId, 'viewer', address('vera'));
    const other = await save({ ipList: OFFICE });
    expect([other.status, await stored()]).toEqual([200, []]);
    expect(other.text).toContain('from an address that this list would block');
    expect(other.text).toContain('<code>192.0.2.99</code>');
    expect(other.text).not.toContain('Yours is among them');
    expect((await save({ ipList: '10.0.0.0/8' })).text).toContain('Yours is among them');
    expect((await save({ ipList: OFFICE, lockOut: 'yes' })).status).toBe(303);
    expect((await colleague.get('/settings/library')).status).toBe(403);
  });

  it('is asked for the password again when it was given a while ago', async () => {
    app.clock.pass(CONFIRMED_MS);
    const asked = await save({ ipList: OFFICE });
    expect([asked.status, await stored()]).toEqual([403, []]);
    expect(asked.text).toContain('Confirm that it is you');
  });
});

test('every page and form is refused elsewhere to people who are signed in, and the session is unchanged', async () => {
  await restrict(OFFICE);
  const pages = app.routes.filter(({ access }) => access?.needs === 'person');
  browser.at(ELSEWHERE);
  for (const { method, path } of pages) {
    const { status, text } = await browser.send({ method, path: path.replace(/:[A-Za-z]+/g, '1') });
    expect([method, path, status, text.includes(REFUSED)]).toEqual([method, path, 403, true]);
  }
  const script = await browser.get('/settings/library/count', { accept: 'application/json' });
  expect([script.status, JSON.parse(script.text)]).toEqual([
    403,
    { error: expect.objectContaining({ code: 'ip_not_whitelisted' }) },
  ]);
  const { text } = await browser.at(OFFICE).get('/settings/account');
  expect(text).not.toContain(ELSEWHERE);
});

describe('signing in elsewhere', () => {
  const signIn = (password: string) =>
    new PlacedBrowser(app.url, ELSEWHERE).submit('/settings/sign-in', { email: address('olga'), password });
  beforeEach(() => restrict(OFFICE));

  it('is refused with the right password, which is recorded, and says nothing about the list without it', async () => {
    const right = await signIn(PASSWORD);
    expect([right.status, right.text.includes(REFUSED)]).toEqual([403, true]);
    expect((await audited())[0]).toMatchObject({ action: 'user.sign_in_refused', address: ELSEWHERE });
    const wrong = await signIn('not the password');
    expect([wrong.status, wrong.text.includes(REFUSED)]).toEqual([401, false]);
  });

  it('is refused with a link, which reveals no name and remains valid', async () => {
    const invited = { email: address('iris'), role: 'viewer' } as const;
    const { link } = await inviteUser(app.ports, operatorFor(actor.customerId), invited);
    const { pathname } = new URL(link);
    const iris = new PlacedBrowser(app.url);
    const form = await iris.get(pathname);
    const _csrf = /name="_csrf" value="([0-9a-f]+)"/.exec(form.text)?.[1] ?? '';
    for (const answer of [
      await iris.at(ELSEWHERE).get(pathname),
      await iris.post(pathname, { _csrf, password: PASSWORD }),
    ]) {
      expect([answer.status, answer.text.includes(REFUSED)]).toEqual([403, true]);
      expect(answer.text).not.toContain('Studio North');
    }
    expect((await iris.at(OFFICE).submit(pathname, { password: PASSWORD })).status).toBe(303);
  });

  it('does not keep a person from another account', async () => {
    const other = await app.customer('Studio South');
    const sofia = new PlacedBrowser(app.url, ELSEWHERE);
    await sofia.enter(app.ports, other.customerId, 'owner', address('sofia'));
    expect((await sofia.get('/settings/library')).status).toBe(200);
  });
});

describe('the address of a browser', () => {
  const isIn = async (forwarded: string | null) => (await browser.at(forwarded).get('/settings/library')).status;
  beforeEach(() => restrict(OFFICE, '127.0.0.1'));

  it.each([
    ['what proxies that are trusted report', `${OFFICE}, 198.51.100.4`, 200],
    ['not what a client wrote before them', `${OFFICE}, ${ELSEWHERE}`, 403],
    ['nor what stands behind an unknown proxy', `${OFFICE}, ${ELSEWHERE}, 198.51.100.4`, 403],
    ['nobody’s when it is no address', 'unknown', 403],
    ['nobody’s when the proxy reports none, although the proxy itself is allowed', null, 403],
  ])('is %s', async (_, forwarded, status) => {
    expect(await isIn(forwarded)).toBe(status);
  });

  it('is never what a client writes where no proxy is trusted', async () => {
    const bare = await startApp();
    const { customerId } = await bare.customer('Studio East');
    const client = new PlacedBrowser(bare.url);
    await client.enter(bare.ports, customerId);
    await editSettingsAddresses(bare.ports, operatorFor(customerId), [OFFICE]);
    for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-client-ip']) {
      expect((await client.get('/settings/library', { [header]: OFFICE })).status).toBe(403);
    }
    await editSettingsAddresses(bare.ports, operatorFor(customerId), ['127.0.0.1']);
    expect((await client.get('/settings/library')).status).toBe(200);
    await bare.close();
  });
});
