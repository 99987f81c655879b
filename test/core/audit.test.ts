import { deleteKey } from '../../src/core/access/delete-key.js';
import { editKey } from '../../src/core/access/edit-key.js';
import { issueKey } from '../../src/core/access/issue-key.js';
import { type Actor, actAs } from '../../src/core/audit/actor.js';
import { listAudit, sweepAudit } from '../../src/core/audit/read-audit.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { editCustomer } from '../../src/core/customers/edit-customer.js';
import { deleteWebhookEndpoint } from '../../src/core/events/delete-webhook-endpoint.js';
import { editWebhookEndpoint, rotateWebhookSecret } from '../../src/core/events/edit-webhook-endpoint.js';
import { DAY } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { changeEmail } from '../../src/core/users/change-email.js';
import { changePassword } from '../../src/core/users/change-password.js';
import { changeRole } from '../../src/core/users/change-role.js';
import { enterByLink } from '../../src/core/users/enter-by-link.js';
import { inviteUser } from '../../src/core/users/invite-user.js';
import { linkUser } from '../../src/core/users/link-user.js';
import { removeUser } from '../../src/core/users/remove-user.js';
import { type World, world } from '../support/core-world.js';
import { deliverAll, hook } from '../support/webhook-world.js';

let ports: World;
let customerId: Id;

beforeEach(async () => {
  ports = world();
  customerId = (await createCustomer(ports, { name: 'ACME', storageBytesLimit: null, photosLimit: null })).id;
});

/** Oldest first, without the customer's own beginning. */
async function entries() {
  const { data } = await listAudit(ports, customerId, { limit: 100, cursor: null });
  return [...data].reverse().slice(1);
}
const told = async () =>
  (await entries()).map(({ action, subjectName, changes }) => [action, subjectName, ...changes].join(' '));

const keyRequest = () => ({
  customerId,
  name: 'importer',
  scopes: ['all'],
  ipList: [],
  readLimit: null,
  writeLimit: null,
  expiresAt: null,
});

test('every change of keys, webhooks and people leaves one entry, and nothing secret in it', async () => {
  const { key, token } = await issueKey(ports, keyRequest());
  await editKey(ports, key.id, { ipList: ['192.0.2.0/24'], readLimit: 5 });
  await deleteKey(ports, key.id);
  const account = { name: 'ACME', defaultTimeZone: 'UTC', trashRetentionDays: 30 };
  await editCustomer(ports, customerId, account);
  await editCustomer(ports, customerId, { ...account, defaultTimeZone: 'Europe/Paris' });
  const { endpoint, secret } = await hook(ports, customerId, { url: 'https://example.com/hooks/of-nobody-else' });
  await editWebhookEndpoint(ports, customerId, endpoint.id, { description: 'The shop', events: ['tag.created'] });
  await editWebhookEndpoint(ports, customerId, endpoint.id, { enabled: false });
  await editWebhookEndpoint(ports, customerId, endpoint.id, { enabled: true });
  const { secret: newer } = await rotateWebhookSecret(ports, customerId, endpoint.id);
  await deleteWebhookEndpoint(ports, customerId, endpoint.id);
  const anna = await inviteUser(ports, { customerId, email: 'anna@example.com', role: 'owner' });
  const again = await linkUser(ports, customerId, anna.user.id);
  const linkToken = again.url.split('/').at(-1) ?? '';
  await enterByLink(ports, linkToken);
  const bert = await inviteUser(ports, { customerId, email: 'bert@example.com', role: 'member' });
  await changeRole(ports, customerId, bert.user.id, 'owner');
  await changeEmail(ports, customerId, bert.user.id, 'bert@example.org');
  const session = { customerId, userId: anna.user.id, id: 1 };
  await changePassword(ports, session, { current: '', password: 'five calm words of mine' }, '192.0.2.1');
  await removeUser(ports, customerId, bert.user.id);
  expect(await told()).toEqual([
    'api_key.created importer',
    'api_key.edited importer ipList readLimit',
    'api_key.deleted importer',
    'customer.edited ACME defaultTimeZone',
    'webhook.created example.com',
    'webhook.edited example.com description events',
    'webhook.disabled example.com',
    'webhook.enabled example.com',
    'webhook.secret_rotated example.com',
    'webhook.deleted example.com',
    'user.invited anna@example.com',
    'user.linked anna@example.com',
    'user.joined anna@example.com',
    'user.invited bert@example.com',
    'user.edited bert@example.com role',
    'user.edited bert@example.org email',
    'user.password_changed anna@example.com',
    'user.removed bert@example.org',
  ]);
  const kept = JSON.stringify(ports.database.auditEntries.all());
  for (const hidden of [token, key.tokenHash, secret, newer, linkToken, 'five calm', 'of-nobody-else']) {
    expect(kept).not.toContain(hidden);
  }
});

test('what changes nothing, or fails, leaves none', async () => {
  const { endpoint } = await hook(ports, customerId);
  const before = await told();
  await editWebhookEndpoint(ports, customerId, endpoint.id, { url: endpoint.url, enabled: true });
  await expect(editWebhookEndpoint(ports, customerId, endpoint.id, { url: 'x' })).rejects.toThrow();
  await expect(issueKey(ports, { ...keyRequest(), name: '' })).rejects.toThrow();
  await expect(deleteKey(ports, 999)).rejects.toThrow();
  await expect(removeUser(ports, customerId, 999)).rejects.toThrow();
  await expect(deleteWebhookEndpoint(ports, customerId, 999)).rejects.toThrow();
  expect(await told()).toEqual(before);
});

test('an entry says who it was, and that the service disabled what is gone', async () => {
  const anna: Actor = { kind: 'person', id: 3, name: 'anna@example.com', address: '192.0.2.1' };
  const { endpoint } = await actAs(
    () => anna,
    () => hook(ports, customerId),
  );
  await issueKey(ports, keyRequest());
  ports.webhooks.answer = () => 410;
  await deliverAll(ports);
  const who = (await entries()).map(({ action, actorKind, actorName, address }) => [
    action,
    actorKind,
    actorName,
    address,
  ]);
  expect(who).toEqual([
    ['webhook.created', 'person', 'anna@example.com', '192.0.2.1'],
    ['api_key.created', 'command_line', null, null],
    ['webhook.disabled', 'service', null, null],
  ]);
  expect((await entries())[2]?.subjectId).toBe(endpoint.id);
});

test('entries are kept for two years', async () => {
  await issueKey(ports, keyRequest());
  ports.clock.pass(2 * 365 * DAY);
  await sweepAudit(ports);
  expect(await told()).toEqual(['api_key.created importer']);
  ports.clock.pass(1);
  await sweepAudit(ports);
  expect(ports.database.auditEntries.all()).toEqual([]);
});
