import { deleteKey, editKey, issueKey } from '../../src/core/access/keys.js';
import { type Actor, commandLine } from '../../src/core/audit/audit-entry.js';
import { listAudit, sweepAudit } from '../../src/core/audit/audit-log.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { editCustomer } from '../../src/core/customers/edit-customer.js';
import { purgePhoto, purgePhotos, purgeTrash, trashPhoto, trashPhotos } from '../../src/core/photos/trash.js';
import { DAY } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { changeEmail } from '../../src/core/users/people/email.js';
import { changeRole, removeUser } from '../../src/core/users/people/manage.js';
import { changePassword } from '../../src/core/users/people/new-password.js';
import { inviteUser, issueLink } from '../../src/core/users/people/one-time-link.js';
import { findSession, revokeOtherSessions, signOut } from '../../src/core/users/session.js';
import { signInByLink } from '../../src/core/users/sign-in/by-link.js';
import { signInByPassword } from '../../src/core/users/sign-in/by-password.js';
import { deleteWebhookEndpoint, editWebhookEndpoint, rotateWebhookSecret } from '../../src/core/webhooks/endpoints.js';
import { Account, picture, type World, world } from '../support/core-world.js';
import { openSession } from '../support/open-session.js';
import { present } from '../support/tenant.js';
import { deliverAll, hook } from '../support/webhook-world.js';

let ports: World;
let customerId: Id;

beforeEach(async () => {
  ports = world();
  customerId = (await createCustomer(ports, commandLine, { name: 'ACME', storageBytesLimit: null, photosLimit: null }))
    .id;
});

/** Oldest first, without the customer's own beginning. */
async function entries() {
  const { data } = await listAudit(ports, customerId, { limit: 100, cursor: null });
  return [...data].reverse().slice(1);
}

const told = async () =>
  (await entries()).map(({ action, subjectName, changes }) => [action, subjectName, ...changes].join(' '));

const browser = (token: string) => ({ token, address: '192.0.2.1', namedAddress: '192.0.2.1', userAgent: 'a browser' });

const keyRequest = () => ({
  name: 'importer',
  scopes: ['all'],
  ipList: [],
  readLimit: null,
  writeLimit: null,
  expiresAt: null,
});

test('every change of keys, webhooks and people leaves one audit entry without any secret', async () => {
  const { key, token } = await issueKey(ports, operatorFor(customerId), keyRequest());
  await editKey(ports, operatorFor(customerId), key.id, { ipList: ['192.0.2.0/24'], readLimit: 5 });
  await deleteKey(ports, operatorFor(customerId), key.id);
  const account = { name: 'ACME', defaultTimeZone: 'UTC', trashRetentionDays: 30 };
  await editCustomer(ports, operatorFor(customerId), account);
  await editCustomer(ports, operatorFor(customerId), { ...account, defaultTimeZone: 'Europe/Paris' });
  const { endpoint, secret } = await hook(ports, customerId, { url: 'https://example.com/hooks/of-nobody-else' });
  await editWebhookEndpoint(ports, operatorFor(customerId), endpoint.id, {
    description: 'The shop',
    events: ['tag.created'],
  });
  await editWebhookEndpoint(ports, operatorFor(customerId), endpoint.id, { enabled: false });
  await editWebhookEndpoint(ports, operatorFor(customerId), endpoint.id, { enabled: true });
  const { secret: newer } = await rotateWebhookSecret(ports, operatorFor(customerId), endpoint.id);
  await deleteWebhookEndpoint(ports, operatorFor(customerId), endpoint.id);
  const anna = await inviteUser(ports, operatorFor(customerId), { email: 'anna@example.com', role: 'owner' });
  const again = await issueLink(ports, operatorFor(customerId), anna.user.id);
  const linkToken = again.link.split('/').at(-1) ?? '';
  await signInByLink(ports, {
    token: linkToken,
    email: '',
    password: 'the first calm words',
    browser: browser('first'),
  });
  const bert = await inviteUser(ports, operatorFor(customerId), { email: 'bert@example.com', role: 'editor' });
  await changeRole(ports, operatorFor(customerId), bert.user.id, 'owner');
  await changeEmail(ports, operatorFor(customerId), bert.user.id, 'bert@example.org');
  const session = await openSession(ports, anna.user, { ...browser('a cookie'), byLink: false });
  const passwords = { current: 'the first calm words', password: 'five calm words of mine' };
  await changePassword(ports, session, passwords, '192.0.2.1');
  const { link: wayBack } = await issueLink(ports, operatorFor(customerId), anna.user.id);
  const lost = {
    token: wayBack.split('/').at(-1) ?? '',
    email: '',
    password: 'the third calm words',
    browser: browser('lost'),
  };
  await signInByLink(ports, lost);
  await removeUser(ports, operatorFor(customerId), bert.user.id);
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
    'user.linked anna@example.com',
    'user.link_used anna@example.com',
    'user.removed bert@example.org',
  ]);
  const kept = JSON.stringify(ports.database.auditEntries.all());
  for (const hidden of [token, key.tokenHash, secret, newer, linkToken, lost.token, 'calm words', 'of-nobody-else']) {
    expect(kept).not.toContain(hidden);
  }
});

test('a change that alters nothing, or fails, leaves no audit entry', async () => {
  const { endpoint } = await hook(ports, customerId);
  const before = await told();
  await editWebhookEndpoint(ports, operatorFor(customerId), endpoint.id, { url: endpoint.url, enabled: true });
  await expect(editWebhookEndpoint(ports, operatorFor(customerId), endpoint.id, { url: 'x' })).rejects.toThrow();
  await expect(issueKey(ports, operatorFor(customerId), { ...keyRequest(), name: '' })).rejects.toThrow();
  await expect(deleteKey(ports, operatorFor(customerId), 999)).rejects.toThrow();
  await expect(removeUser(ports, operatorFor(customerId), 999)).rejects.toThrow();
  await expect(deleteWebhookEndpoint(ports, operatorFor(customerId), 999)).rejects.toThrow();
  expect(await told()).toEqual(before);
});

test('an audit entry names who acted, and says when the service itself disabled an endpoint', async () => {
  const anna: Actor = { kind: 'person', id: 3, name: 'anna@example.com', address: '192.0.2.1' };
  const { endpoint } = await hook(ports, customerId, {}, anna);
  await issueKey(ports, operatorFor(customerId), keyRequest());
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

describe('signing in and out', () => {
  const PASSWORD = 'five calm words of mine';
  const enter = async () => {
    const { link: url } = await inviteUser(ports, operatorFor(customerId), {
      email: 'anna@example.com',
      role: 'owner',
    });
    const token = url.split('/').at(-1) ?? '';
    return (await signInByLink(ports, { token, email: '', password: PASSWORD, browser: browser('by link') })).user;
  };
  const attempt = (password: string, address = '192.0.2.1', email = 'anna@example.com') =>
    signInByPassword(ports, {
      email,
      password,
      browser: { ...browser(`${address} ${password}`), address },
      device: null,
    });
  const since = async (count: number) =>
    (await entries()).slice(count).map(({ action, subjectName, actorName, count, address }) => {
      return [action, subjectName, actorName, address, ...(count === 1 ? [] : [count])].join(' ');
    });

  it('signing in and out leaves one audit entry each, and a refused sign-in names no person', async () => {
    const user = await enter();
    const before = (await entries()).length;
    await expect(attempt('wrong')).rejects.toMatchObject({ code: 'unauthorized' });
    await attempt(PASSWORD, '192.0.2.2');
    await attempt(PASSWORD, '192.0.2.3');
    const known = present(await findSession(ports, `192.0.2.2 ${PASSWORD}`));
    const anna: Actor = { kind: 'person', id: user.id, name: 'anna@example.com', address: '192.0.2.2' };
    await revokeOtherSessions(ports, anna, known);
    await revokeOtherSessions(ports, anna, known);
    await signOut(ports, anna, known);
    await signOut(ports, anna, known);
    expect(await since(before)).toEqual([
      'user.sign_in_refused anna@example.com  192.0.2.1',
      'user.signed_in anna@example.com anna@example.com 192.0.2.2',
      'user.signed_in anna@example.com anna@example.com 192.0.2.3',
      'user.sessions_ended anna@example.com anna@example.com 192.0.2.2 2',
      'user.signed_out anna@example.com anna@example.com 192.0.2.2',
    ]);
  });

  it('a refused sign-in leaves one audit entry a minute for an account and source, and none for unknown accounts', async () => {
    await enter();
    const before = (await entries()).length;
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2']) {
      await attempt('wrong', address).catch(() => undefined);
    }
    await attempt('wrong', '192.0.2.1', 'nobody@example.com').catch(() => undefined);
    expect(await since(before)).toEqual([
      'user.sign_in_refused anna@example.com  192.0.2.1',
      'user.sign_in_refused anna@example.com  192.0.2.2',
    ]);
    ports.clock.pass(60_000);
    await attempt('wrong').catch(() => undefined);
    expect(await since(before)).toHaveLength(3);
  });
});

describe('photos that are deleted permanently', () => {
  const library = async (names: readonly string[]) => {
    const acme = await Account.open(ports, { customerId });
    const ids: Id[] = [];
    for (const name of names) ids.push((await acme.addPhoto(picture(name))).id);
    return { caller: acme.caller, ids };
  };
  const deletions = async () => (await entries()).filter(({ action }) => action === 'photo.deleted');

  it('leave an audit entry by the key, with the name of one photo or the ids of several', async () => {
    const { caller, ids } = await library(['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg']);
    const [a = 0, b = 0, c = 0, d = 0] = ids;
    await trashPhoto(ports, caller, a);
    expect(await deletions()).toEqual([]);
    await purgePhoto(ports, caller, a);
    await purgePhotos(ports, caller, [c, b, c, 999]);
    await purgePhotos(ports, caller, [d, 999]);
    await purgePhotos(ports, caller, [999]);
    await expect(purgePhoto(ports, caller, a)).rejects.toThrow();
    const shown = (await deletions()).map(({ subjectId, subjectName, count, actorKind, actorId }) => ({
      subjectId,
      subjectName,
      count,
      by: `${actorKind} ${actorId}`,
    }));
    expect(shown).toEqual([
      { subjectId: a, subjectName: 'a.jpg', count: 1, by: `api_key ${caller.apiKeyId}` },
      { subjectId: null, subjectName: `${b}, ${c}`, count: 2, by: `api_key ${caller.apiKeyId}` },
      { subjectId: d, subjectName: 'd.jpg', count: 1, by: `api_key ${caller.apiKeyId}` },
    ]);
  });

  it('leave one audit entry for all that were due when the service deletes them', async () => {
    const { caller, ids } = await library(['a.jpg', 'b.jpg', 'c.jpg']);
    await trashPhotos(ports, caller, ids.slice(0, 2));
    ports.clock.pass(31 * DAY);
    await purgeTrash(ports);
    await purgeTrash(ports);
    expect(await deletions()).toMatchObject([{ subjectId: null, subjectName: null, count: 2, actorKind: 'service' }]);
  });
});

test('audit entries are kept for two years', async () => {
  await issueKey(ports, operatorFor(customerId), keyRequest());
  ports.clock.pass(2 * 365 * DAY);
  await sweepAudit(ports);
  expect(await told()).toEqual(['api_key.created importer']);
  ports.clock.pass(1);
  await sweepAudit(ports);
  expect(ports.database.auditEntries.all()).toEqual([]);
});
