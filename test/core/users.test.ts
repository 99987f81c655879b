import { createCustomer } from '../../src/core/customers/create-customer.js';
import type { Id } from '../../src/core/shared/ids.js';
import { changeEmail } from '../../src/core/users/change-email.js';
import { changePassword } from '../../src/core/users/change-password.js';
import { changeRole } from '../../src/core/users/change-role.js';
import { enterByLink, peekLink } from '../../src/core/users/enter-by-link.js';
import { findSession } from '../../src/core/users/find-session.js';
import { inviteFirstOwner, inviteUser } from '../../src/core/users/invite-user.js';
import { linkUser } from '../../src/core/users/link-user.js';
import { listSessions } from '../../src/core/users/list-sessions.js';
import { openSession } from '../../src/core/users/open-session.js';
import { removeUser } from '../../src/core/users/remove-user.js';
import { revokeOtherSessions, revokeSession } from '../../src/core/users/revoke-session.js';
import { signIn } from '../../src/core/users/sign-in.js';
import { sweepSessions } from '../../src/core/users/sweep-sessions.js';
import { MAX_USERS, type Role, type User } from '../../src/core/users/user.js';
import { type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

const PASSWORD = 'five calm words of mine';
const DAY = 24 * 3600 * 1000;

let ports: World;
let customerId: Id;

beforeEach(async () => {
  ports = world();
  customerId = await newCustomer();
});

async function newCustomer(): Promise<Id> {
  const request = { name: 'Studio North', storageBytesLimit: null, photosLimit: null };
  return (await createCustomer(ports, request)).id;
}

const tokenOf = (url: string) => url.split('/').at(-1) ?? '';
const invite = (email: string, role: Role = 'owner') => inviteUser(ports, { customerId, email, role });
const everyone = () => ports.store.read(customerId, ({ users }) => users.list());
const start = (user: User, token: string) =>
  openSession(ports, user, { token, address: '192.0.2.1', userAgent: 'a browser' });

/** Somebody who came by a link and chose a password. */
async function join(email: string, role: Role = 'owner', password = PASSWORD): Promise<User> {
  const user = await enterByLink(ports, tokenOf((await invite(email, role)).url));
  const session = await start(user, `first session of ${email}`);
  await changePassword(ports, session, { current: '', password }, '192.0.2.1');
  return present((await everyone()).find(({ id }) => id === user.id));
}

const attempt = (email: string, password: string, address = '192.0.2.1') => signIn(ports, { email, password, address });

describe('inviting', () => {
  it('makes a user and a link under the public address; only the hash of the link is kept', async () => {
    const { user, url } = await invite(' Anna@Example.COM ', 'member');
    expect(user).toMatchObject({ email: 'anna@example.com', role: 'member', joinedAt: null, passwordHash: null });
    expect(url).toMatch(/^https:\/\/photos\.example\.com\/settings\/enter\/[\w-]{43}$/);
    expect(JSON.stringify(await everyone())).not.toContain(tokenOf(url));
  });

  it('of somebody who is known makes a new link, and the role stays', async () => {
    const first = await invite('anna@example.com', 'member');
    const second = await invite('ANNA@example.com', 'owner');
    expect(second.user).toMatchObject({ id: first.user.id, role: 'member' });
    expect(await peekLink(ports, tokenOf(first.url))).toBeNull();
    expect((await peekLink(ports, tokenOf(second.url)))?.user.id).toBe(first.user.id);
  });

  it.each(['', 'anna', 'anna@', '@example.com', 'a b@example.com', 'anna@example', `${'a'.repeat(260)}@example.com`])(
    'refuses %j as an address',
    async (email) => {
      await expect(invite(email)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await everyone()).toEqual([]);
    },
  );

  it('knows no customer that is not there, and no user of another', async () => {
    const { user } = await invite('anna@example.com');
    await expect(inviteUser(ports, { customerId: 999, email: 'a@example.com', role: 'owner' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(linkUser(ports, await newCustomer(), user.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it(`ends at ${MAX_USERS} people`, async () => {
    for (let number = 0; number < MAX_USERS; number += 1) await invite(`${number}@example.com`);
    await expect(invite('more@example.com')).rejects.toMatchObject({ code: 'limit_reached' });
    expect((await invite('7@example.com')).user.email).toBe('7@example.com');
  });

  it('of the first owner needs no address', async () => {
    const { user, url } = await inviteFirstOwner(ports, customerId);
    expect(user).toMatchObject({ email: null, role: 'owner' });
    const entered = await enterByLink(ports, tokenOf(url));
    expect((await changeEmail(ports, customerId, entered.id, 'Me@Example.com')).email).toBe('me@example.com');
  });
});

describe('a link', () => {
  it('lets in once', async () => {
    const token = tokenOf((await invite('anna@example.com')).url);
    const entered = await enterByLink(ports, token);
    expect(entered).toMatchObject({ joinedAt: ports.clock.now(), lastSignInAt: ports.clock.now(), linkHash: null });
    await expect(enterByLink(ports, token)).rejects.toMatchObject({ code: 'url_forbidden' });
  });

  it('lets one in of several at once', async () => {
    const token = tokenOf((await invite('anna@example.com')).url);
    const answers = await Promise.allSettled([1, 2, 3].map(() => enterByLink(ports, token)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('lets nobody in after seven days, nor into a closed account, nor by a made-up token', async () => {
    const token = tokenOf((await invite('anna@example.com')).url);
    await ports.store.change(customerId, { status: 'closing' });
    await expect(enterByLink(ports, token)).rejects.toMatchObject({ code: 'url_forbidden' });
    await ports.store.change(customerId, { status: 'active' });
    ports.clock.pass(7 * DAY - 1);
    expect(await peekLink(ports, token)).not.toBeNull();
    ports.clock.pass(1);
    await expect(enterByLink(ports, token)).rejects.toMatchObject({ code: 'url_forbidden' });
    await expect(enterByLink(ports, 'made-up')).rejects.toMatchObject({ code: 'url_forbidden' });
  });

  it('that is open ends when a password is chosen', async () => {
    const user = await join('anna@example.com');
    const { url } = await linkUser(ports, customerId, user.id);
    const session = await start(user, 'a session');
    await changePassword(ports, session, { current: PASSWORD, password: 'another of my passwords' }, '192.0.2.1');
    expect(await peekLink(ports, tokenOf(url))).toBeNull();
  });
});

describe('signing in', () => {
  it('takes the right password and no other', async () => {
    const user = await join('anna@example.com');
    expect((await attempt('Anna@example.com', PASSWORD)).id).toBe(user.id);
    for (const wrong of ['', 'five calm words', PASSWORD.toUpperCase()]) {
      await expect(attempt('anna@example.com', wrong)).rejects.toMatchObject({ code: 'unauthorized' });
    }
  });

  it('says the same to strangers, and to those who have no password', async () => {
    await invite('invited@example.com');
    await join('anna@example.com');
    const messages = [];
    for (const email of ['', 'nobody@example.com', 'invited@example.com', 'anna@example.com']) {
      messages.push(await attempt(email, 'wrong').catch((error: Error) => error.message));
    }
    expect(new Set(messages).size).toBe(1);
  });

  it('allows five attempts a minute for an account and twenty from an address', async () => {
    await join('anna@example.com');
    for (let time = 0; time < 5; time += 1) {
      await expect(attempt('anna@example.com', 'wrong', `198.51.100.${time}`)).rejects.toMatchObject({
        code: 'unauthorized',
      });
    }
    await expect(attempt('anna@example.com', PASSWORD, '198.51.100.9')).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfter: 60 },
    });
    for (let time = 0; time < 20; time += 1) {
      await expect(attempt(`${time}@example.com`, 'wrong', '2001:db8::1')).rejects.toMatchObject({
        code: 'unauthorized',
      });
    }
    await expect(attempt('x@example.com', 'wrong', '2001:db8::2')).rejects.toMatchObject({ code: 'rate_limited' });
    ports.clock.pass(60_000);
    expect((await attempt('anna@example.com', PASSWORD)).email).toBe('anna@example.com');
  });

  it('tells the accounts of one person at two customers apart by the password, else takes the one used last', async () => {
    const first = await join('anna@example.com');
    customerId = await newCustomer();
    const second = await join('anna@example.com', 'owner', 'quite another password');
    expect((await attempt('anna@example.com', PASSWORD)).id).toBe(first.id);
    expect((await attempt('anna@example.com', 'quite another password')).id).toBe(second.id);
    customerId = await newCustomer();
    const third = await join('anna@example.com');
    ports.clock.pass(60_000);
    expect([first.id, third.id]).toContain((await attempt('anna@example.com', PASSWORD)).id);
    ports.clock.pass(1000);
    await enterByLink(ports, tokenOf((await linkUser(ports, customerId, third.id)).url));
    expect((await attempt('anna@example.com', PASSWORD)).id).toBe(third.id);
  });
});

describe('sessions', () => {
  it('last while they are used, at most 14 days', async () => {
    const user = await join('anna@example.com');
    const session = await start(user, 'cookie');
    expect((await findSession(ports, 'cookie'))?.session.id).toBe(session.id);
    expect(await findSession(ports, session.tokenHash)).toBeNull();
    ports.clock.pass(DAY - 1);
    expect(await findSession(ports, 'cookie')).not.toBeNull();
    ports.clock.pass(1);
    expect(await findSession(ports, 'cookie')).toBeNull();
    expect(await listSessions(ports, customerId, user.id)).toEqual([]);
    expect(await sweepSessions(ports)).toBe(0);
    ports.clock.pass(1);
    expect(await sweepSessions(ports)).toBe(2);
  });

  it('can be ended one by one, or all but this one, by their own user only', async () => {
    const [anna, bert] = [await join('anna@example.com'), await join('bert@example.com')];
    const [here, there] = [await start(anna, 'here'), await start(anna, 'there')];
    await expect(revokeSession(ports, customerId, bert.id, there.id)).rejects.toMatchObject({ code: 'not_found' });
    await revokeSession(ports, customerId, anna.id, there.id);
    expect(await findSession(ports, 'there')).toBeNull();
    await start(anna, 'elsewhere');
    await revokeOtherSessions(ports, present(await findSession(ports, 'here')));
    expect((await listSessions(ports, customerId, anna.id)).map(({ id }) => id)).toEqual([here.id]);
    expect(await listSessions(ports, customerId, bert.id)).toHaveLength(1);
  });

  it('end everywhere else with a new password, which needs the one before', async () => {
    const user = await join('anna@example.com');
    const here = await start(user, 'here');
    await start(user, 'there');
    const wrong = { current: 'not mine', password: 'another of my passwords' };
    await expect(changePassword(ports, here, wrong, '192.0.2.1')).rejects.toMatchObject({ code: 'invalid_request' });
    await changePassword(ports, here, { ...wrong, current: PASSWORD }, '192.0.2.1');
    expect(await findSession(ports, 'here')).not.toBeNull();
    expect(await findSession(ports, 'there')).toBeNull();
    expect((await attempt('anna@example.com', 'another of my passwords')).id).toBe(user.id);
  });
});

test.each(['', 'short', 'elevenchars', 'aaaaaaaaaaaaaaa', 'anna@example.com', 'x1y2'.repeat(51)])(
  'the password %j is refused',
  async (password) => {
    const user = await join('anna@example.com');
    const session = await start(user, 'here');
    await expect(changePassword(ports, session, { current: PASSWORD, password }, '192.0.2.1')).rejects.toMatchObject({
      code: 'invalid_request',
      details: { errors: [{ field: 'password' }] },
    });
    expect((await attempt('anna@example.com', PASSWORD)).id).toBe(user.id);
  },
);

describe('roles and removal', () => {
  it('leave one owner who has come at least', async () => {
    const [anna, bert] = [await join('anna@example.com'), await join('bert@example.com', 'member')];
    await invite('invited@example.com', 'owner');
    const last = { code: 'invalid_request', details: { errors: [{ field: 'role', code: 'conflict' }] } };
    await expect(changeRole(ports, customerId, anna.id, 'member')).rejects.toMatchObject(last);
    await expect(removeUser(ports, customerId, anna.id)).rejects.toMatchObject(last);
    await changeRole(ports, customerId, bert.id, 'owner');
    await changeRole(ports, customerId, anna.id, 'member');
    await removeUser(ports, customerId, anna.id);
    expect((await everyone()).map(({ email, role }) => [email, role])).toEqual([
      ['bert@example.com', 'owner'],
      ['invited@example.com', 'owner'],
    ]);
  });

  it('of two owners who remove each other at once leaves one', async () => {
    const [anna, bert] = [await join('anna@example.com'), await join('bert@example.com')];
    await Promise.allSettled([anna, bert].map(({ id }) => removeUser(ports, customerId, id)));
    expect(await everyone()).toHaveLength(1);
  });

  it('take sessions away at once', async () => {
    await join('anna@example.com');
    const bert = await join('bert@example.com');
    await start(bert, 'cookie');
    await removeUser(ports, customerId, bert.id);
    expect(await findSession(ports, 'cookie')).toBeNull();
    await expect(attempt('bert@example.com', PASSWORD)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('know nobody of another customer', async () => {
    const anna = await join('anna@example.com');
    const stranger = await newCustomer();
    for (const act of [
      () => changeRole(ports, stranger, anna.id, 'member'),
      () => removeUser(ports, stranger, anna.id),
      () => changeEmail(ports, stranger, anna.id, 'x@example.com'),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'not_found' });
    }
    await join('bert@example.com');
    await expect(changeEmail(ports, customerId, anna.id, 'bert@example.com')).rejects.toMatchObject({
      details: { errors: [{ field: 'email', code: 'conflict' }] },
    });
  });
});
