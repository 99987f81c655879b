import { type Role, roles } from '../../src/core/users/user.js';
import type { Route } from '../../src/http/route-table.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

let app: RunningApp;
let actor: Actor;
let pages: readonly Route[];

beforeAll(async () => {
  app = await startApp();
  actor = await app.customer('Studio North');
  pages = app.routes.filter(({ access }) => access?.needs === 'person');
});
afterAll(() => app.close());

/** Pages and forms, by the least role that sees and sends them. */
const expected: Readonly<Record<Role, readonly string[]>> = {
  viewer: [
    'GET /settings',
    'GET /settings/library',
    'GET /settings/map',
    'GET /settings/library/tiles',
    'GET /settings/library/ids',
    'GET /settings/library/count',
    'GET /settings/library/months',
    'GET /settings/library/sections',
    'GET /settings/library/tag-names',
    'GET /settings/photos/:id',
    'GET /settings/photos/:id/original',
    'GET /settings/photos/:id/full',
    'GET /settings/photos/:id/rendition/:name',
    'GET /settings/tags',
    'GET /settings/usage',
    'GET /settings/account',
    'GET /settings/account/export/photos.jsonl',
    'GET /settings/account/export/tags.jsonl',
    'POST /settings/account/email',
    '/settings/account/factors',
    'POST /settings/account/passkey-options',
    'POST /settings/account/password',
    'POST /settings/account/identities/:id/unlink',
    'GET /settings/sign-in/with/:provider/confirm',
    'POST /settings/account/sessions/end-others',
    'POST /settings/account/sessions/:id/end',
  ],
  editor: [
    '/settings/library/',
    '/settings/history',
    '/settings/photos/',
    '/settings/tags/',
    '/settings/import',
    '/settings/imports',
    '/settings/shares',
    '/settings/similar',
    '/settings/searches',
  ],
  admin: ['/settings/keys', '/settings/delivery', '/settings/webhooks', '/settings/audit', '/settings/account/people'],
  owner: [
    'POST /settings/account/people/two-step',
    'POST /settings/account/people/by-provider',
    'GET /settings/account/people/addresses',
    'POST /settings/account/people/addresses',
    'POST /settings/account',
    'GET /settings/account/export/library.zip',
    '/settings/account/erase',
  ],
};

/** What stands in the table for a route: itself, or its area. */
function leastRole({ method, path }: Route): Role | undefined {
  const isArea = (area: string) => path === area || path.startsWith(area.endsWith('/') ? area : `${area}/`);
  const exact = roles.find((role) => expected[role].includes(`${method} ${path}`));
  return exact ?? roles.find((role) => expected[role].some((entry) => entry.startsWith('/') && isArea(entry)));
}

test('every page and form is in the table of roles', () => {
  expect(pages.length).toBeGreaterThan(80);
  expect(pages.filter((route) => leastRole(route) === undefined)).toEqual([]);
  const all = pages.map(({ method, path }) => `${method} ${path}`);
  expect(
    Object.values(expected)
      .flat()
      .filter((entry) => !entry.startsWith('/') && !all.includes(entry)),
  ).toEqual([]);
});

test.each(roles)('a person with the role %s is admitted where the table says, and nowhere else', async (role) => {
  const browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, role, `${role}@example.com`);
  const allowed = (route: Route) => roles.indexOf(role) >= roles.indexOf(leastRole(route) ?? 'owner');
  for (const route of pages) {
    // No form has its token, so none does anything: those for the role are refused for that reason, the others for the role.
    const answer = await browser.send({
      method: route.method,
      path: route.path.replace(/:[A-Za-z]+/g, '9007199254740991'),
    });
    const refused = answer.status === 403 && answer.text.includes('This needs the role');
    expect([route.method, route.path, refused]).toEqual([route.method, route.path, !allowed(route)]);
  }
});

test('a viewer is offered no form that changes anything', async () => {
  const viewer = new BrowserClient(app.url);
  await viewer.enter(app.ports, actor.customerId, 'viewer', 'eva@example.com');
  const editor = new BrowserClient(app.url);
  await editor.enter(app.ports, actor.customerId, 'editor', 'ed@example.com');
  await actor.post('/tags', { name: 'Summer' });
  for (const path of ['/settings/library', '/settings/tags']) {
    const offered = async (browser: BrowserClient) => {
      const { text } = await browser.get(path);
      const links = [...text.matchAll(/(?:href|action)="(\/settings\/[^"?#]*)/g)].map(([, link = '']) => link);
      return links.filter((link) => /import|\/new|tags\/\d/.test(link) && !link.startsWith('/settings/assets/'));
    };
    expect(await offered(viewer)).toEqual([]);
    expect((await offered(editor)).length).toBeGreaterThan(0);
  }
});
