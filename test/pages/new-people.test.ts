import { MemoryIdentityProvider } from '../../testing/memory/users/memory-identities.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';

const PEOPLE = '/settings/account/people';
const HERE = `${PEOPLE}/by-provider`;
const CARD = 'New people by single sign-on';

let app: RunningApp;
let actor: Actor;
let owner: BrowserClient;
const identityProviders: MemoryIdentityProvider[] = [];

beforeAll(async () => {
  app = await startApp({ ports: () => ({ identityProviders }) });
});
afterAll(() => app.close());
beforeEach(async () => {
  actor = await app.customer('Studio North');
  owner = await member('owner');
  identityProviders.splice(0);
});

async function member(role: 'owner' | 'admin'): Promise<BrowserClient> {
  const browser = new BrowserClient(app.url);
  await browser.enter(app.ports, actor.customerId, role, `${role}.${actor.customerId}@example.com`);
  return browser;
}
function provide(settings: { customerId: number; admitsNewPeople: boolean }): void {
  identityProviders.push(new MemoryIdentityProvider({ name: 'Keycloak', domains: ['example.com'], ...settings }));
}
const isAllowed = async () => (await app.ports.customers.find(actor.customerId))?.admitsNewPeople;

it('the page on new people is for owners, where the operator has allowed it for this account', async () => {
  expect((await owner.get(PEOPLE)).text).not.toContain(CARD);
  provide({ customerId: actor.customerId, admitsNewPeople: false });
  provide({ customerId: (await app.customer('Studio South')).customerId, admitsNewPeople: true });
  expect((await owner.get(PEOPLE)).text).not.toContain(CARD);
  provide({ customerId: actor.customerId, admitsNewPeople: true });
  expect((await owner.get(PEOPLE)).text).toContain(CARD);
  expect((await (await member('admin')).get(PEOPLE)).text).not.toContain(CARD);
});

it('new people are not admitted until an owner allows it, which is recorded', async () => {
  provide({ customerId: actor.customerId, admitsNewPeople: true });
  expect((await owner.get(PEOPLE)).text).toContain('If you allow it: Anyone who signs in at Keycloak');
  expect(await isAllowed()).toBe(false);
  expect((await owner.submit(PEOPLE, { allowed: 'yes' }, HERE)).status).toBe(303);
  expect((await owner.get(PEOPLE)).text).toContain('New people can now join through single sign-on.');
  expect(await isAllowed()).toBe(true);
  const filter = { actions: null, name: null, from: null, until: null };
  const [entry] = await app.ports.store.query(actor.customerId, ({ audit }) => audit.list(null, 1, filter));
  expect(entry).toMatchObject({ action: 'customer.edited', changes: ['admitsNewPeople'] });
  await owner.submit(PEOPLE, { allowed: 'no' }, HERE);
  expect(await isAllowed()).toBe(false);
});
