import { listDeliveryKeys, openDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import { listPresets } from '../../src/core/delivery/preset.js';
import type { Role } from '../../src/core/users/user.js';
import { BrowserClient, type Fields } from '../api/support/browser-client.js';
import type { Answer } from '../api/support/http-client.js';
import { importPhotos, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { present } from '../support/tenant.js';

const PAGE = '/settings/delivery';

let app: RunningApp;
let actor: Actor;
let browser: BrowserClient;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  browser = await visitor();
});

async function visitor(role: Role = 'owner'): Promise<BrowserClient> {
  const client = new BrowserClient(app.url);
  await client.enter(app.ports, actor.customerId, role, `${role}.${actor.customerId}@example.com`);
  return client;
}

const createKey = (more: Fields = {}) => browser.submit(`${PAGE}/keys/new`, { name: 'Shop', expiresOn: '', ...more });
const keys = () => listDeliveryKeys(app.ports, actor.customerId);
const secretOn = ({ text }: Answer) => /id="secret"[^>]*>(phs_sign_[\w-]+)</.exec(text)?.[1] ?? '';
const createPreset = (name: string, options: string, more: Fields = {}) =>
  browser.submit(`${PAGE}/presets/new`, { name, options, ...more });
const presets = async () =>
  (await listPresets(app.ports, actor.customerId)).map(({ name, options }) => `${name} ${options}`);

describe('delivery keys', () => {
  it('show their secret once, which signs from then on', async () => {
    const answer = await createKey({ presetsOnly: 'yes', expiresOn: '2027-01-31' });
    expect(answer.status).toBe(200);
    const [key] = await keys();
    expect(key).toMatchObject({ name: 'Shop', presetsOnly: true, expiresAt: new Date('2027-02-01T00:00:00Z') });
    const opened = await openDeliveryKey(app.ports, present(key).publicId);
    expect(opened?.secret).toBe(secretOn(answer));
    expect(answer.text).toContain(present(key).publicId);
    const { text } = await browser.get(PAGE);
    expect(text).toContain(present(key).publicId);
    expect([text, app.log.join('')].filter((shown) => shown.includes(secretOn(answer)))).toEqual([]);
  });

  it.each([
    [{ name: ' ' }, 'Name must not be empty'],
    [{ expiresOn: '2026-11-20' }, 'This date is in the past'],
    [{ expiresOn: 'soon' }, 'Enter a date such as'],
  ])('are refused with %j, beside the field', async (wrong, message) => {
    const answer = await createKey(wrong);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
    expect(answer.text).toContain('aria-invalid="true"');
    expect(await keys()).toEqual([]);
  });

  it('are edited: what their form shows is stored, and what it does not change stays', async () => {
    await createKey({ expiresOn: '2027-01-31' });
    const { id } = present((await keys())[0]);
    const form = await browser.get(`${PAGE}/keys/${id}/edit`);
    expect(form.text).toContain('value="2027-01-31"');
    const saved = await browser.submit(`${PAGE}/keys/${id}/edit`, {
      name: 'Kiosk',
      presetsOnly: 'yes',
      expiresOn: '2027-01-31',
    });
    expect([saved.status, saved.headers.location]).toEqual([303, PAGE]);
    const [edited] = await keys();
    expect(edited).toMatchObject({ name: 'Kiosk', presetsOnly: true, expiresAt: new Date('2027-02-01T00:00:00Z') });
    await browser.submit(`${PAGE}/keys/${id}/edit`, { name: 'Kiosk', expiresOn: '' });
    expect((await keys())[0]).toMatchObject({ presetsOnly: false, expiresAt: null });
    const refused = await browser.submit(`${PAGE}/keys/${id}/edit`, { name: '', expiresOn: '2026-11-20' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('Name must not be empty');
    expect(refused.text).toContain('This date is in the past');
  });

  it('are edited by two people at once: the form that is saved last holds, and the audit log has both', async () => {
    await createKey();
    const { id } = present((await keys())[0]);
    const path = `${PAGE}/keys/${id}/edit`;
    const colleague = new BrowserClient(app.url);
    await colleague.enter(app.ports, actor.customerId, 'owner', `colleague.${actor.customerId}@example.com`);
    for (const each of [browser, colleague]) expect((await each.get(path)).text).toContain('value="Shop"');
    await colleague.submit(path, { name: 'Kiosk', presetsOnly: 'yes', expiresOn: '2027-01-31' });
    expect((await browser.submit(path, { name: 'Door', expiresOn: '' })).status).toBe(303);
    expect(await keys()).toMatchObject([{ name: 'Door', presetsOnly: false, expiresAt: null }]);
    const { text } = await browser.get('/settings/audit');
    expect(text).toMatch(/Door[\s\S]*owner\.\d+@[\s\S]*Kiosk[\s\S]*colleague\.\d+@/);
    await colleague.submit(`${PAGE}/keys/${id}/delete`);
    expect((await browser.get(path)).status).toBe(404);
  });

  it('are deleted after a question', async () => {
    await createKey();
    const { id, publicId } = present((await keys())[0]);
    const asked = await browser.get(`${PAGE}/keys/${id}/delete`);
    expect(asked.text).toContain(publicId);
    expect(await keys()).toHaveLength(1);
    expect((await browser.submit(`${PAGE}/keys/${id}/delete`)).status).toBe(303);
    expect(await openDeliveryKey(app.ports, publicId)).toBeNull();
    expect((await browser.get(PAGE)).text).toContain('“Shop” was deleted');
  });

  it('are at most ten', async () => {
    for (let made = 0; made < 10; made += 1) await createKey();
    const answer = await createKey();
    expect(answer.text).toContain('at most 10 delivery keys');
    expect(await keys()).toHaveLength(10);
  });
});

describe('presets', () => {
  it('are created, changed and deleted', async () => {
    expect((await createPreset('card', 'fit=cover, w=300, h=200')).status).toBe(303);
    expect(await presets()).toEqual(['card w=300,h=200,fit=cover']);
    const edit = `${PAGE}/presets/card/edit`;
    expect((await browser.get(edit)).text).toContain('value="w=300,h=200,fit=cover"');
    expect((await browser.submit(edit, { options: 'w=400' })).status).toBe(303);
    expect(await presets()).toEqual(['card w=400']);
    await browser.submit(`${PAGE}/presets/card/delete`);
    expect(await presets()).toEqual([]);
  });

  it('can have the name of a page', async () => {
    await createPreset('new', 'w=1');
    expect((await browser.submit(`${PAGE}/presets/new/edit`, { options: 'w=2' })).status).toBe(303);
    expect(await presets()).toEqual(['new w=2']);
  });

  it.each([
    ['Card', 'w=1', 'The name of a preset must be'],
    ['card', 'w=0', 'w must be a whole number'],
    ['card', '<b>', 'There is no option &quot;&lt;b>'],
    ['card', 'p=other', 'must not name another'],
  ])('are refused as %s with %s, beside the field', async (name, options, message) => {
    const answer = await createPreset(name, options);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
    expect(answer.text).toContain('aria-invalid="true"');
    expect(await presets()).toEqual([]);
  });

  it('do not replace one of the same name when they are created', async () => {
    await createPreset('card', 'w=300');
    for (const options of ['w=400', 'w=300']) {
      const answer = await createPreset('card', options);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('There is already a preset &quot;card&quot;');
      expect(answer.text).toMatch(/id="field-name"[^>]*aria-invalid="true"/);
    }
    expect(await presets()).toEqual(['card w=300']);
  });

  it('are shown with a photo of one’s own before they are saved, without a script', async () => {
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
    const answer = await createPreset('', 'w=40,h=20,fit=cover', { do: 'preview' });
    expect(await presets()).toEqual([]);
    const address = present(/<img class="preset-preview" src="([^"]+)"/.exec(answer.text)?.[1]).replaceAll(
      '&amp;',
      '&',
    );
    const shown = await browser.get(address);
    expect(shown.status).toBe(200);
    expect(shown.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': expect.stringMatching(/^private/),
    });
    const again = await browser.get(address, { 'if-none-match': String(shown.headers.etag) });
    expect(again.status).toBe(304);
    await actor.send({ method: 'DELETE', path: `/api/v1/photos/${photo.id}` });
    expect((await browser.get(address)).status).toBe(404);
  });

  it('are previewed with options that parse, and for those who may see them', async () => {
    expect((await browser.get(`${PAGE}/preview?options=w%3D0`)).status).toBe(400);
    expect((await browser.get(`${PAGE}/preview?options=w%3D1%2Cp%3Dcard`)).text).toContain('must not name another');
    expect((await browser.get(`${PAGE}/preview?options=w%3D1`)).status).toBe(404);
    const member = await visitor('editor');
    expect((await member.get(`${PAGE}/preview?options=w%3D1`)).status).toBe(403);
  });

  it('of another customer are not found', async () => {
    await createPreset('card', 'w=1');
    const mine = actor;
    actor = await app.customer('Other');
    const stranger = await visitor();
    for (const act of ['edit', 'delete']) {
      expect((await stranger.get(`${PAGE}/presets/card/${act}`)).status).toBe(404);
    }
    expect((await stranger.get(PAGE)).text).not.toContain('card</a>');
    actor = mine;
    expect(await presets()).toEqual(['card w=1']);
  });
});

it('the page of delivery shows how often addresses were used, by key and in total', async () => {
  await createKey();
  const { id: deliveryKeyId } = present((await keys())[0]);
  const day = app.clock.now().toISOString().slice(0, 10);
  const count = { customerId: actor.customerId, day, bytes: 1500, made: 2 };
  const pictures = [
    { ...count, deliveryKeyId, requests: 1234 },
    { ...count, deliveryKeyId, requests: 10, day: '2026-11-20' },
    { ...count, deliveryKeyId: 9e15, requests: 766 },
  ];
  await app.ports.traffic.add({ counts: [], hours: [], failures: [], pictures, transfers: [] });
  const { text } = await browser.get(PAGE);
  expect(text).toMatch(/data-column="Requests in 30 days">1,244</);
  expect(text).toMatch(/data-column="Requests">2,010<\/td><td data-column="Sent">4\.5 kB<\/td>/);
  const ofKey = (await browser.get(`${PAGE}/keys/${deliveryKeyId}/edit`)).text;
  expect(ofKey).toContain('Of this key in the last 30 days');
  expect(daysIn(ofKey)).toEqual(['21 Nov|1,234|1.5 kB|2', '20 Nov|10|1.5 kB|2', '19 Nov|0|0 bytes|0']);
  const usage = (await (await visitor('editor')).get('/settings/usage')).text;
  expect(usage).toMatch(/data-column="Delivery key">Shop<\/td><td data-column="Requests">1,244</);
  expect(usage).toMatch(/deleted key 9000000000000000<\/td><td data-column="Requests">766</);
  expect(daysIn(usage)).toEqual(['21 Nov|2,000|3 kB|4', '20 Nov|10|1.5 kB|2', '19 Nov|0|0 bytes|0']);
});

/** The latest three of the table by day. */
function daysIn(text: string): string[] {
  const table = text.split('Delivered images by day')[1] ?? '';
  const rows = [...table.matchAll(/<tr><td data-column="Day">(.*?)<\/tr>/g)].slice(0, 3);
  return rows.map(([, cells = '']) => cells.replace(/<\/td>$/, '').replaceAll(/<\/td><td[^>]*>/g, '|'));
}

it('the usage page shows nothing of delivered images without a delivery key', async () => {
  expect((await browser.get('/settings/usage')).text).not.toContain('Delivered images');
});

it('delivery keys and presets are for owners only', async () => {
  const member = await visitor('editor');
  for (const path of [PAGE, `${PAGE}/keys/new`, `${PAGE}/presets/new`])
    expect((await member.get(path)).status).toBe(403);
  expect((await member.get('/settings/library')).text).not.toContain('Image delivery');
  expect((await browser.get('/settings/library')).text).toContain('Image delivery');
});
