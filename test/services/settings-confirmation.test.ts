import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { CONFIRMED_MS } from '../../src/core/users/session.js';
import { Installation } from '../e2e/support/service.js';
import { OpenIdServer } from '../support/openid-server.js';
import { present } from '../support/tenant.js';
import {
  type BrowserSession,
  enterInto,
  launchBrowser,
  PASSWORD,
  pressKey,
  session,
  tabTo,
  welcome,
} from './support/browser.js';
import { JumpingClock } from './support/jumping-clock.js';
import { expectUsable } from './support/usable-page.js';

const CONFIRMED_S = CONFIRMED_MS / 1000;
const PEOPLE = '/settings/account/people';

let clock: JumpingClock;
let installation: Installation;
let provider: OpenIdServer;
let browser: Browser;
let owner: BrowserSession;
/** By name: browsers offer passkeys at no IP address. */
let site: string;

beforeAll(async () => {
  clock = new JumpingClock();
  // So that a quarter of an hour can pass and the provider's tokens, which are of the true time, are of this moment then.
  clock.jumpTo(-CONFIRMED_S);
  installation = await Installation.make();
  site = `http://localhost:${installation.port}`;
  provider = await OpenIdServer.start(`${site}/settings/sign-in/with/keycloak/answer`);
  const providers = join(installation.dataDir, 'providers.json');
  const keycloak = { id: 'keycloak', name: 'Keycloak', issuer: provider.issuer, clientId: 'photos' };
  const newPeople = { newPeople: true, customer: 1, domains: ['example.com'] };
  writeFileSync(providers, JSON.stringify([{ ...keycloak, clientSecret: 'a secret of the client', ...newPeople }]));
  await installation.start({ PUBLIC_URL: site, OIDC_PROVIDERS_FILE: providers, ...clock.environment });
  browser = await launchBrowser();
  owner = await session(browser);
  await owner.page.goto(present(installation.link()));
  await welcome(owner.page, 'anna@example.com');
  await owner.page.getByRole('navigation', { name: 'Settings' }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await installation?.remove();
  await provider?.close();
  clock?.remove();
});

const open = (path: string) => owner.page.goto(`${site}${path}`);

/** With the keyboard alone, from the sign-in page to the provider and back, as somebody whom it does not know yet in this browser. */
async function comeAs(name: string): Promise<BrowserSession> {
  provider.people.set(name, { email: `${name}@example.com`, email_verified: true });
  const there = await session(browser);
  await there.page.goto(`${site}/settings`);
  await pressKey(there.page, 'Continue with Keycloak');
  await there.page.getByLabel('Name').waitFor();
  await enterInto(there.page, 'Name', name);
  return there;
}
const notInvited = ({ page }: BrowserSession, name: string) =>
  page.getByText(`No one here has the address ${name}@example.com`).waitFor();

test('an owner confirms the password and lets a provider bring new people, and ends it, with the keyboard alone', async () => {
  clock.jumpTo(0);
  const nora = await comeAs('nora');
  await notInvited(nora, 'nora');

  const { page } = owner;
  await open(PEOPLE);
  await page.getByText('Off. If you allow it: Anyone who signs in at Keycloak').waitFor();
  await expectUsable('new-people-off', page);
  await pressKey(page, 'Allow');
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await enterInto(page, 'Password', PASSWORD);
  await page.getByText('New people can now join through single sign-on.').waitFor();
  await page.getByText('On. Anyone who signs in at Keycloak').waitFor();
  await expectUsable('new-people-on', page);

  // The provider knows her by now.
  await pressKey(nora.page, 'Continue with Keycloak');
  await nora.page.waitForURL('**/settings/library');
  await pressKey(nora.page, 'Account');
  await nora.page.getByText('You are a viewer of').waitFor();
  await expectUsable('new-person', nora.page);

  await page.reload();
  await page.getByRole('cell', { name: /^nora@example\.com Single sign-on/ }).waitFor();
  await pressKey(page, 'Disable');
  await page.getByText('New people can no longer join through single sign-on.').waitFor();
  const otto = await comeAs('otto');
  await notInvited(otto, 'otto');
  await nora.page.reload();
  await nora.page.getByText('You are a viewer of').waitFor();
  await Promise.all([nora.context.close(), otto.context.close()]);
});

test('a person with a passkey is asked for it, for a form and for a new password, with the keyboard alone', async () => {
  const { page, context } = owner;
  const devices = await context.newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal' },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
  await open('/settings/account/factors');
  await pressKey(page, 'Add a passkey');
  await page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
  await pressKey(page, 'Add');
  await page.getByRole('heading', { name: 'Recovery codes', exact: true }).waitFor();

  clock.jumpTo(CONFIRMED_S);
  await open(PEOPLE);
  await enterInto(page, 'E-mail address', 'dora@example.com');
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  expect(await page.getByLabel('Password').count()).toBe(0);
  await expectUsable('confirm-by-passkey', page);
  await pressKey(page, 'Use a passkey');
  await page.getByRole('heading', { name: 'A link for dora@example.com' }).waitFor();

  await open('/settings/account');
  await expectUsable('password-by-passkey', page);
  await tabTo(page, 'New password');
  await page.keyboard.type('quite another password');
  await pressKey(page, 'Change it with a passkey');
  await page.getByText('Your password was changed').waitFor();
  await devices.detach();
});
