import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import type { DomainError } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { DEVICE_DAYS, newDevice } from '../../src/core/users/admission.js';
import type { PasswordHasher } from '../../src/core/users/passwords.js';
import { changeEmail } from '../../src/core/users/people/email.js';
import { changeRole, removeUser } from '../../src/core/users/people/manage.js';
import { changePassword } from '../../src/core/users/people/new-password.js';
import { inviteFirstOwner, inviteUser, issueLink } from '../../src/core/users/people/one-time-link.js';
import {
  findSession,
  listSessions,
  revokeOtherSessions,
  revokeSession,
  type Session,
  sweepSessions,
} from '../../src/core/users/session.js';
import { peekLink, signInByLink } from '../../src/core/users/sign-in/by-link.js';
import { signInByPassword } from '../../src/core/users/sign-in/by-password.js';
import { MAX_USERS, type Role, type User } from '../../src/core/users/user.js';
import { type World, world } from '../support/core-world.js';
import { HeldClock, isOver } from '../support/held-clock.js';
import { openSession } from '../support/open-session.js';
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
  return (await createCustomer(ports, commandLine, request)).id;
}

const ADDRESS = '192.0.2.1';
let browsers = 0;
const browserAt = (address: string) => {
  browsers += 1;
  return { token: `a browser no ${browsers}`, address, namedAddress: address, userAgent: 'a browser' };
};
const tokenOf = (url: string) => url.split('/').at(-1) ?? '';
const invite = (email: string, role: Role = 'owner') => inviteUser(ports, operatorFor(customerId), { email, role });
const everyone = () => ports.store.query(customerId, ({ users }) => users.list());
const start = (user: User, token: string, byLink = false) =>
  openSession(ports, user, { token, address: ADDRESS, namedAddress: ADDRESS, userAgent: 'a browser', byLink });

const enter = async (url: string, { email = '', password = PASSWORD } = {}) =>
  (await signInByLink(ports, { token: tokenOf(url), email, password, browser: browserAt(ADDRESS) })).user;
const userWith = async (id: Id) => present((await everyone()).find((user) => user.id === id));

/** Somebody who came by a link, chose a password, and is signed in nowhere. */
async function join(email: string, role: Role = 'owner', password = PASSWORD): Promise<User> {
  const user = await enter((await invite(email, role)).link, { password });
  await ports.store.transaction(customerId, ({ users }) => users.endSessions(user.id, null));
  return user;
}

const attempt = async (email: string, password: string, address = '192.0.2.1', device: string | null = null) =>
  (await signInByPassword(ports, { email, password, browser: browserAt(address), device })).user;

describe('an invitation', () => {
  it('creates a user and a link under the public address, of which only the hash is stored', async () => {
    const { user, link: url } = await invite(' Anna@Example.COM ', 'editor');
    expect(user).toMatchObject({ email: 'anna@example.com', role: 'editor', joinedAt: null, passwordHash: null });
    expect(url).toMatch(/^https:\/\/photos\.example\.com\/settings\/enter\/[\w-]{43}$/);
    expect(JSON.stringify(await everyone())).not.toContain(tokenOf(url));
  });

  it('of a person who is known creates a new link, and the role stays', async () => {
    const first = await invite('anna@example.com', 'editor');
    const second = await invite('ANNA@example.com', 'owner');
    expect(second.user).toMatchObject({ id: first.user.id, role: 'editor' });
    expect(await peekLink(ports, tokenOf(first.link))).toBeNull();
    expect((await peekLink(ports, tokenOf(second.link)))?.user.id).toBe(first.user.id);
  });

  it.each(['', 'anna', 'anna@', '@example.com', 'a b@example.com', 'anna@example', `${'a'.repeat(260)}@example.com`])(
    'is refused with %j as an address',
    async (email) => {
      await expect(invite(email)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await everyone()).toEqual([]);
    },
  );

  it('is refused for an unknown customer, and for a user of another', async () => {
    const { user } = await invite('anna@example.com');
    await expect(inviteUser(ports, operatorFor(999), { email: 'a@example.com', role: 'owner' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(issueLink(ports, operatorFor(await newCustomer()), user.id)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it(`is refused beyond ${MAX_USERS} people`, async () => {
    for (let number = 0; number < MAX_USERS; number += 1) await invite(`${number}@example.com`);
    await expect(invite('more@example.com')).rejects.toMatchObject({ code: 'limit_reached' });
    expect((await invite('7@example.com')).user.email).toBe('7@example.com');
  });

  it('of the first owner needs no address', async () => {
    const { user } = await inviteFirstOwner(ports, operatorFor(customerId));
    expect(user).toMatchObject({ email: null, role: 'owner' });
  });
});

describe('an invitation link', () => {
  it('signs a person in once, with the password that is chosen then', async () => {
    const { link: url } = await invite('anna@example.com');
    const entered = await enter(url, { email: 'ignored@example.com' });
    expect(entered).toMatchObject({ email: 'anna@example.com', joinedAt: ports.clock.now(), linkHash: null });
    expect(entered.lastSignInAt).toEqual(ports.clock.now());
    expect(await userWith(entered.id)).toEqual(entered);
    expect((await attempt('anna@example.com', PASSWORD)).id).toBe(entered.id);
    await expect(enter(url)).rejects.toMatchObject({ code: 'url_forbidden' });
  });

  it('asks a person who has no address for one, too', async () => {
    const { link: url } = await inviteFirstOwner(ports, operatorFor(customerId));
    await join('bert@example.com');
    await expect(enter(url, { password: 'short' })).rejects.toMatchObject({
      details: {
        errors: [
          { field: 'email', code: 'required' },
          { field: 'password', code: 'too_short' },
        ],
      },
    });
    await expect(enter(url, { email: 'Bert@example.com' })).rejects.toMatchObject({
      details: { errors: [{ field: 'email', code: 'conflict' }] },
    });
    expect(await enter(url, { email: 'Me@Example.com' })).toMatchObject({ email: 'me@example.com', role: 'owner' });
    expect((await attempt('me@example.com', PASSWORD)).role).toBe('owner');
  });

  it('is used up only by a password that is accepted', async () => {
    const { user, link: url } = await invite('anna@example.com');
    for (const password of ['', 'short', 'anna@example.com']) {
      await expect(enter(url, { password })).rejects.toMatchObject({ details: { errors: [{ field: 'password' }] } });
    }
    expect(await peekLink(ports, tokenOf(url))).not.toBeNull();
    expect(await userWith(user.id)).toEqual(user);
  });

  it('replaces a lost password, and ends every session of the person', async () => {
    const user = await join('anna@example.com');
    const bert = await join('bert@example.com');
    await Promise.all([start(user, 'here'), start(user, 'there'), start(bert, 'of bert')]);
    const { link: url } = await issueLink(ports, operatorFor(customerId), user.id);
    expect(await findSession(ports, 'there')).not.toBeNull();
    await enter(url, { password: 'another of my passwords' });
    // Only the browser that came by the link is signed in.
    expect((await listSessions(ports, customerId, user.id)).map(({ byLink }) => byLink)).toEqual([true]);
    for (const token of ['here', 'there']) expect(await findSession(ports, token)).toBeNull();
    expect(await findSession(ports, 'of bert')).not.toBeNull();
    await expect(attempt('anna@example.com', PASSWORD)).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await attempt('anna@example.com', 'another of my passwords')).id).toBe(user.id);
  });

  it('signs one in of several at once, with the password of that one', async () => {
    const { link: url } = await invite('anna@example.com');
    const passwords = [1, 2, 3].map((number) => `${PASSWORD} ${number}`);
    const answers = await Promise.allSettled(passwords.map((password) => enter(url, { password })));
    const won = answers.map(({ status }) => status === 'fulfilled');
    expect(won.filter((each) => each)).toHaveLength(1);
    for (const [at, password] of passwords.entries()) {
      const signedIn = await attempt('anna@example.com', password).then(
        () => true,
        () => false,
      );
      expect(signedIn).toBe(won[at]);
    }
  });

  it('signs no one in after seven days, into a closed account, or with an invented token', async () => {
    const { link: url } = await invite('anna@example.com');
    const token = tokenOf(url);
    await ports.store.change(customerId, { status: 'closing' });
    await expect(enter(url)).rejects.toMatchObject({ code: 'url_forbidden' });
    await ports.store.change(customerId, { status: 'active' });
    ports.clock.pass(7 * DAY - 1);
    expect(await peekLink(ports, token)).not.toBeNull();
    ports.clock.pass(1);
    await expect(enter(url)).rejects.toMatchObject({ code: 'url_forbidden' });
    await expect(enter('made-up')).rejects.toMatchObject({ code: 'url_forbidden' });
  });

  it('that is open ends when a password is chosen', async () => {
    const user = await join('anna@example.com');
    const { link: url } = await issueLink(ports, operatorFor(customerId), user.id);
    const session = await start(user, 'a session');
    await changePassword(ports, session, { current: PASSWORD, password: 'another of my passwords' }, '192.0.2.1');
    expect(await peekLink(ports, tokenOf(url))).toBeNull();
  });
});

describe('signing in', () => {
  it('accepts the right password and no other', async () => {
    const user = await join('anna@example.com');
    expect((await attempt('Anna@example.com', PASSWORD)).id).toBe(user.id);
    for (const wrong of ['', 'five calm words', PASSWORD.toUpperCase()]) {
      await expect(attempt('anna@example.com', wrong)).rejects.toMatchObject({ code: 'unauthorized' });
    }
  });

  it('gives the same answer to strangers, and to those who have no password', async () => {
    await invite('invited@example.com');
    await join('anna@example.com');
    const messages = [];
    for (const email of ['', 'nobody@example.com', 'invited@example.com', 'anna@example.com']) {
      messages.push(await attempt(email, 'wrong').catch((error: Error) => error.message));
    }
    expect(new Set(messages).size).toBe(1);
  });

  it('compares one password each time, so that the duration reveals nothing either', async () => {
    await invite('invited@example.com');
    await join('anna@example.com');
    let compared = 0;
    const counted = async <T>(work: Promise<T>) => {
      compared += 1;
      return work;
    };
    const passwords: PasswordHasher = {
      hash: (password) => counted(ports.passwords.hash(password)),
      matches: (hash, password) => counted(ports.passwords.matches(hash, password)),
      pretend: (password) => counted(ports.passwords.pretend(password)),
    };
    const each: number[] = [];
    for (const email of ['', 'nobody@example.com', 'invited@example.com', 'anna@example.com']) {
      compared = 0;
      const given = { email, password: 'wrong', browser: browserAt(ADDRESS), device: null };
      await expect(signInByPassword({ ...ports, passwords }, given)).rejects.toMatchObject({ code: 'unauthorized' });
      each.push(compared);
    }
    expect(each).toEqual([1, 1, 1, 1]);
  });

  it('refuses no sooner for an unknown address than for one of several accounts, nor too many attempts', async () => {
    await join('anna@example.com');
    customerId = await newCustomer();
    await join('anna@example.com');
    const passwords: PasswordHasher = {
      hash: (password) => ports.passwords.hash(password),
      matches: async () => false,
      pretend: async () => undefined,
    };
    for (const email of ['nobody@example.com', 'anna@example.com']) {
      const clock = new HeldClock(ports.clock);
      for (const code of [...Array<string>(5).fill('unauthorized'), 'rate_limited']) {
        const given = { email, password: 'wrong', browser: browserAt('198.51.100.1'), device: null };
        const refused = signInByPassword({ ...ports, passwords, clock }, given);
        expect([email, code, await isOver(refused)]).toEqual([email, code, false]);
        clock.release();
        await expect(refused).rejects.toMatchObject({ code });
      }
    }
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

  it('works in a browser and from an address that the person used before, whatever strangers try', async () => {
    await join('anna@example.com');
    const device = newDevice(ports, 'anna@example.com');
    const guess = (address: string, by: string | null = null) =>
      attempt('anna@example.com', 'wrong', address, by).catch((error: DomainError) => error.code);
    for (let time = 0; time < 20; time += 1) await guess('198.51.100.1');
    expect(await guess('198.51.100.2')).toBe('rate_limited');
    expect((await attempt('anna@example.com', PASSWORD, '198.51.100.1', device)).email).toBe('anna@example.com');
    expect((await attempt('anna@example.com', PASSWORD, ADDRESS)).email).toBe('anna@example.com');

    // They are budgets of their own, not none.
    for (let time = 0; time < 4; time += 1) expect(await guess('203.0.113.5', device)).toBe('unauthorized');
    expect(await guess('203.0.113.5', device)).toBe('rate_limited');
    for (let time = 0; time < 4; time += 1) expect(await guess(ADDRESS)).toBe('unauthorized');
    expect(await guess(ADDRESS)).toBe('rate_limited');

    // Nobody else's, nobody's own making, and not for ever.
    for (const other of [newDevice(ports, 'bert@example.com'), `${device}A`, 'made-up'.repeat(9)]) {
      expect(await guess('198.51.100.3', other)).toBe('rate_limited');
    }
    ports.clock.pass(DEVICE_DAYS * DAY);
    for (let time = 0; time < 5; time += 1) await guess('198.51.100.4');
    expect(await guess('198.51.100.5', device)).toBe('rate_limited');
    expect(await guess(ADDRESS)).toBe('rate_limited');
  });

  it('never prevents a person who is signed in from choosing another password', async () => {
    const session = await start(await join('anna@example.com'), 'here');
    for (let time = 0; time < 5; time += 1) await attempt('anna@example.com', 'wrong', '198.51.100.1').catch(() => 0);
    await changePassword(ports, session, { current: PASSWORD, password: 'another of my passwords' }, '198.51.100.2');
  });

  it('distinguishes accounts of one person at two customers by the password, else takes the one used last', async () => {
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
    await enter((await issueLink(ports, operatorFor(customerId), third.id)).link);
    expect((await attempt('anna@example.com', PASSWORD)).id).toBe(third.id);
  });
});

describe('a password comparison in progress', () => {
  /** Hashes and compares as the tests do, and lets something happen before a comparison is answered. */
  const interrupted = (event: () => Promise<unknown>) => ({
    ...ports,
    passwords: {
      hash: (password: string) => ports.passwords.hash(password),
      pretend: (password: string) => ports.passwords.pretend(password),
      matches: async (hash: string, password: string) => {
        const answer = await ports.passwords.matches(hash, password);
        await event();
        return answer;
      },
    },
  });

  it('signs no one in once the password is another, nor sets one', async () => {
    const user = await join('anna@example.com');
    const here = await start(user, 'here');
    const there = await start(user, 'there');
    const change = (password: string) =>
      changePassword(ports, here, { current: PASSWORD, password }, '192.0.2.1').catch(() => undefined);
    const slow = interrupted(() => change('another of my passwords'));
    const credentials = { email: 'anna@example.com', password: PASSWORD, browser: browserAt(ADDRESS), device: null };
    await expect(signInByPassword(slow, credentials)).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await listSessions(ports, customerId, user.id)).map(({ id }) => id)).toEqual([here.id]);

    const again = interrupted(() =>
      changePassword(ports, here, { current: 'another of my passwords', password: 'the third calm words' }, ADDRESS),
    );
    const late = { current: 'another of my passwords', password: 'the fourth calm words' };
    const refused = { details: { errors: [{ field: 'current' }] } };
    await expect(changePassword(again, there, late, ADDRESS)).rejects.toMatchObject(refused);
    expect((await attempt('anna@example.com', 'the third calm words')).id).toBe(user.id);
  });

  it('signs no one in who was removed meanwhile', async () => {
    await join('bert@example.com');
    const user = await join('anna@example.com');
    const slow = interrupted(() => removeUser(ports, operatorFor(customerId), user.id));
    const credentials = { email: 'anna@example.com', password: PASSWORD, browser: browserAt(ADDRESS), device: null };
    await expect(signInByPassword(slow, credentials)).rejects.toMatchObject({ code: 'unauthorized' });
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
    expect(await sweepSessions(ports)).toBe(1);
  });

  it('can be ended one by one, or all but this one, by their own user only', async () => {
    const [anna, bert] = [await join('anna@example.com'), await join('bert@example.com')];
    const [here, there] = [await start(anna, 'here'), await start(anna, 'there')];
    await start(bert, 'of bert');
    await expect(revokeSession(ports, commandLine, { customerId, userId: bert.id }, there.id)).rejects.toMatchObject({
      code: 'not_found',
    });
    await revokeSession(ports, commandLine, { customerId, userId: anna.id }, there.id);
    expect(await findSession(ports, 'there')).toBeNull();
    await start(anna, 'elsewhere');
    await revokeOtherSessions(ports, commandLine, present(await findSession(ports, 'here')));
    expect((await listSessions(ports, customerId, anna.id)).map(({ id }) => id)).toEqual([here.id]);
    expect(await listSessions(ports, customerId, bert.id)).toHaveLength(1);
  });

  it('end everywhere else with a new password, which needs the old one', async () => {
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

describe('a session that began with a link', () => {
  const FIFTEEN_MINUTES = 15 * 60_000;
  const change = (session: Session, password: string) =>
    changePassword(ports, session, { current: '', password }, '192.0.2.1');

  it('may set the password again within 15 minutes without the old one, and ends all others', async () => {
    const user = await join('anna@example.com');
    const session = await start(user, 'by link', true);
    await start(user, 'another');
    ports.clock.pass(FIFTEEN_MINUTES - 1);
    await change(session, 'another of my passwords');
    expect((await listSessions(ports, customerId, user.id)).map(({ id }) => id)).toEqual([session.id]);
    expect((await attempt('anna@example.com', 'another of my passwords')).id).toBe(user.id);
    ports.clock.pass(1);
    const refused = { details: { errors: [{ field: 'current' }] } };
    await expect(change(session, 'a third one of my passwords')).rejects.toMatchObject(refused);
  });

  it('is the only kind that may set a password without the old one', async () => {
    const session = await start(await join('anna@example.com'), 'by password');
    const refused = { details: { errors: [{ field: 'current' }] } };
    await expect(change(session, 'another of my passwords')).rejects.toMatchObject(refused);
  });
});

test.each(['', 'short', 'elevenchars', 'aaaaaaaaaaaaaaa', 'anna@example.com', 'x1y2'.repeat(51), 'PasswordPassword'])(
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
  it('always leave at least one owner who has signed in', async () => {
    const [anna, bert] = [await join('anna@example.com'), await join('bert@example.com', 'editor')];
    await invite('invited@example.com', 'owner');
    const last = { code: 'invalid_request', details: { errors: [{ field: 'role', code: 'conflict' }] } };
    await expect(changeRole(ports, operatorFor(customerId), anna.id, 'editor')).rejects.toMatchObject(last);
    await expect(removeUser(ports, operatorFor(customerId), anna.id)).rejects.toMatchObject(last);
    await changeRole(ports, operatorFor(customerId), bert.id, 'owner');
    await changeRole(ports, operatorFor(customerId), anna.id, 'editor');
    await removeUser(ports, operatorFor(customerId), anna.id);
    expect((await everyone()).map(({ email, role }) => [email, role])).toEqual([
      ['bert@example.com', 'owner'],
      ['invited@example.com', 'owner'],
    ]);
  });

  it('let an admin manage everyone but owners, and create none', async () => {
    const [anna, bert] = [await join('anna@example.com'), await join('bert@example.com', 'viewer')];
    const admin = { ...operatorFor(customerId), role: 'admin' } as const;
    const refused = { code: 'scope_required' };
    const onOwners = [
      () => inviteUser(ports, admin, { email: 'new@example.com', role: 'owner' }),
      () => inviteUser(ports, admin, { email: 'anna@example.com', role: 'viewer' }),
      () => issueLink(ports, admin, anna.id),
      () => changeRole(ports, admin, anna.id, 'viewer'),
      () => changeRole(ports, admin, bert.id, 'owner'),
      () => removeUser(ports, admin, anna.id),
    ];
    for (const act of onOwners) await expect(act()).rejects.toMatchObject(refused);
    expect(await everyone()).toHaveLength(2);
    await changeRole(ports, admin, bert.id, 'admin');
    await issueLink(ports, admin, bert.id);
    await inviteUser(ports, admin, { email: 'new@example.com', role: 'admin' });
    await removeUser(ports, admin, bert.id);
    expect((await everyone()).map(({ email, role }) => [email, role])).toEqual([
      ['anna@example.com', 'owner'],
      ['new@example.com', 'admin'],
    ]);
    await expect(
      inviteUser(ports, { ...admin, role: 'editor' }, { email: 'x@example.com', role: 'viewer' }),
    ).rejects.toMatchObject(refused);
  });

  it('leave one of two owners who remove each other at once', async () => {
    const [anna, bert] = [await join('anna@example.com'), await join('bert@example.com')];
    await Promise.allSettled([anna, bert].map(({ id }) => removeUser(ports, operatorFor(customerId), id)));
    expect(await everyone()).toHaveLength(1);
  });

  it('end sessions at once', async () => {
    await join('anna@example.com');
    const bert = await join('bert@example.com');
    await start(bert, 'cookie');
    await removeUser(ports, operatorFor(customerId), bert.id);
    expect(await findSession(ports, 'cookie')).toBeNull();
    await expect(attempt('bert@example.com', PASSWORD)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('do not reach users of another customer', async () => {
    const anna = await join('anna@example.com');
    const stranger = await newCustomer();
    for (const act of [
      () => changeRole(ports, operatorFor(stranger), anna.id, 'editor'),
      () => removeUser(ports, operatorFor(stranger), anna.id),
      () => changeEmail(ports, operatorFor(stranger), anna.id, 'x@example.com'),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: 'not_found' });
    }
    await join('bert@example.com');
    await expect(changeEmail(ports, operatorFor(customerId), anna.id, 'bert@example.com')).rejects.toMatchObject({
      details: { errors: [{ field: 'email', code: 'conflict' }] },
    });
  });
});
