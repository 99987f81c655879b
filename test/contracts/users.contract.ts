import type { CustomerStatus } from '../../src/core/customers/customer.js';
import type { CustomerDirectory } from '../../src/core/customers/customer-directory.js';
import type { CustomerStore } from '../../src/core/ports.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { NewSession, Session, SessionStore } from '../../src/core/users/session.js';
import type { NewUser, User } from '../../src/core/users/user.js';
import type { UserStore } from '../../src/core/users/user-store.js';
import { later, sampleHash } from '../support/samples.js';
import { atOnce, present, Tenant } from '../support/tenant.js';

export interface OpenUsers {
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly store: CustomerStore;
  readonly customers: CustomerDirectory;
  setStatus(customerId: Id, status: CustomerStatus): Promise<void>;
  close(): Promise<void>;
}

const sampleUser = (values: Partial<NewUser> = {}): NewUser => ({
  email: `${sampleHash().slice(0, 12)}@example.com`,
  role: 'owner',
  passwordHash: null,
  linkHash: null,
  linkExpiresAt: null,
  linkDropsFactors: false,
  createdAt: later(0),
  joinedAt: null,
  lastSignInAt: null,
  ...values,
});

/** What `UserStore`, `UserRepository` and `SessionStore` promise. Opened once: every test has customers of its own. */
export function usersContract(name: string, open: () => Promise<OpenUsers>): void {
  let opened: OpenUsers;
  let tenant: Tenant;
  let other: Tenant;

  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    tenant = await Tenant.of(opened);
    other = await Tenant.of(opened);
  });

  const add = async (values: Partial<NewUser> = {}, of = tenant): Promise<User> =>
    present(await of.transaction(({ users }) => users.insert(sampleUser(values))));
  const get = (id: Id, of = tenant) => of.query(({ users }) => users.get(id));
  const change = (user: User, values: Partial<User>, of = tenant) =>
    of.transaction(async ({ users }) => {
      await users.lock(user.id);
      return users.update({ ...user, ...values });
    });

  const begin = ({ customerId, id }: User, values: Partial<NewSession> = {}): Promise<Session> =>
    opened.store.transaction(customerId, ({ users }) => users.openSession(id, sampleSession(values)));

  describe(`UserRepository: ${name}`, () => {
    it('stores every value under a new id', async () => {
      const full = sampleUser({
        role: 'editor',
        passwordHash: '$argon2id$…',
        linkHash: sampleHash(),
        linkExpiresAt: later(7),
        joinedAt: later(1),
        lastSignInAt: later(2),
      });
      for (const values of [sampleUser({ email: null }), full]) {
        const user = await add(values);
        expect(user).toEqual({ ...values, id: user.id, customerId: tenant.id });
        expect(await get(user.id)).toEqual(user);
      }
    });

    it('stores an address once for each customer', async () => {
      const { email } = await add();
      expect(await tenant.transaction(({ users }) => users.insert(sampleUser({ email })))).toBeNull();
      expect((await add({ email }, other)).email).toBe(email);
      const second = await add();
      expect(await change(second, { email })).toBe(false);
      expect(await get(second.id)).toEqual(second);
      expect(await change(second, { email: null })).toBe(true);
    });

    it('gives an address to one of several who take it at once', async () => {
      const email = 'same@example.com';
      const answers = await atOnce(5, () => tenant.transaction(({ users }) => users.insert(sampleUser({ email }))));
      expect(answers.filter((user) => user !== null)).toHaveLength(1);
    });

    it('stores any number of users without an address', async () => {
      const [first, second] = [await add({ email: null }), await add({ email: null })];
      expect(await change(first, { role: 'editor' })).toBe(true);
      expect((await tenant.query(({ users }) => users.list())).map(({ id }) => id)).toEqual([first.id, second.id]);
    });

    it('changes every value, and lists users oldest first', async () => {
      const [newest, oldest] = [await add({ createdAt: later(2) }), await add({ createdAt: later(0) })];
      const values = { role: 'editor', passwordHash: 'x', linkHash: sampleHash(), linkExpiresAt: later(3) } as const;
      await change(newest, { ...values, joinedAt: later(4), lastSignInAt: later(5) });
      const changed = { ...newest, ...values, joinedAt: later(4), lastSignInAt: later(5) };
      expect(await tenant.query(({ users }) => users.list())).toEqual([oldest, changed]);
    });

    it('finds and changes no users of other customers', async () => {
      const user = await add();
      await begin(user);
      expect(await get(user.id, other)).toBeNull();
      expect(await other.query(({ users }) => users.list())).toEqual([]);
      expect(await other.query(({ users }) => users.sessionsOf(user.id))).toEqual([]);
      const [session] = await tenant.query(({ users }) => users.sessionsOf(user.id));
      await other.transaction(async ({ users }) => {
        expect(await users.lock(user.id)).toBeNull();
        expect(await users.endSession(user.id, present(session).id)).toBe(false);
        await users.endSessions(user.id, null);
        await users.delete(user.id);
      });
      expect(await get(user.id)).toEqual(user);
      expect(await tenant.query(({ users }) => users.sessionsOf(user.id))).toEqual([session]);
    });

    it('locks a user until the transaction ends', async () => {
      const user = await add({ linkHash: sampleHash(), linkExpiresAt: later(7) });
      const spent = await atOnce(5, () =>
        tenant.transaction(async ({ users }) => {
          const held = present(await users.lock(user.id));
          if (held.linkHash === null) return false;
          return users.update({ ...held, linkHash: null });
        }),
      );
      expect(spent.filter((each) => each)).toHaveLength(1);
    });

    it('deletes a user with all sessions, and skips users that do not exist', async () => {
      const [user, stays] = [await add(), await add()];
      const session = await begin(user);
      const kept = await begin(stays);
      await tenant.transaction(async ({ users }) => {
        await users.delete(user.id);
        await users.delete(user.id);
      });
      expect(await get(user.id)).toBeNull();
      expect(await opened.sessions.find(session.tokenHash)).toBeNull();
      expect(present(await opened.sessions.find(kept.tokenHash)).user).toEqual(stays);
    });
  });

  describe(`UserStore: ${name}`, () => {
    it('finds an address at every customer that has it, with the state of the customer', async () => {
      const [first, second] = [
        await add({ email: 'both@example.com' }),
        await add({ email: 'both@example.com' }, other),
      ];
      await add();
      await opened.setStatus(other.id, 'suspended');
      expect(await opened.users.findByEmail('both@example.com')).toEqual([
        { user: first, customerStatus: 'active' },
        { user: second, customerStatus: 'suspended' },
      ]);
      expect(await opened.users.findByEmail('Both@example.com')).toEqual([]);
      expect(await opened.users.findByEmail('')).toEqual([]);
    });

    it('finds the person of a link, expired or not, until another link replaces it', async () => {
      const [linkHash, newer] = [sampleHash(), sampleHash()];
      const user = await add({ linkHash, linkExpiresAt: later(-1) });
      expect(await opened.users.findByLink(linkHash)).toEqual({ user, customerStatus: 'active' });
      await change(user, { linkHash: newer });
      expect(await opened.users.findByLink(linkHash)).toBeNull();
      expect(present(await opened.users.findByLink(newer)).user.id).toBe(user.id);
      expect(await opened.users.findByLink('')).toBeNull();
    });

    it('finds the users of an identity at every customer, and of no other', async () => {
      const [issuer, subject] = ['https://sign-in.example.com', sampleHash()];
      const [mine, theirs] = [await add(), await add({}, other)];
      await add();
      const link = ({ customerId, id }: User, name: string) =>
        opened.store.transaction(customerId, ({ identities }) =>
          identities.insert({ userId: id, issuer, subject: name, linkedAt: later(0), lastUsedAt: later(0) }),
        );
      await link(mine, subject);
      await link(theirs, subject);
      const active = { customerStatus: 'active' };
      const found = [
        { user: mine, ...active },
        { user: theirs, ...active },
      ];
      expect(await opened.users.findByIdentity(issuer, subject)).toEqual(found);
      expect(await opened.users.findByIdentity(issuer, subject.toUpperCase())).toEqual([]);
      expect(await opened.users.findByIdentity(`${issuer}/`, subject)).toEqual([]);
      await opened.setStatus(tenant.id, 'closing');
      expect((await opened.users.findByIdentity(issuer, subject))[0]?.customerStatus).toBe('closing');
    });
  });

  describe(`SessionStore: ${name}`, () => {
    let user: User;
    beforeEach(async () => {
      user = await add();
    });
    const start = (values: Partial<NewSession> = {}): Promise<Session> => begin(user, values);
    const isThere = async ({ tokenHash }: Session) => (await opened.sessions.find(tokenHash)) !== null;

    it('finds a session with the present state of its user and customer', async () => {
      const session = await start({ data: { list: [1, null, 'é'] }, byLink: true });
      const customer = { id: tenant.id, name: 'ACME', status: 'active', factorsRequiredFrom: null, settingsIpList: [] };
      expect(await opened.sessions.find(session.tokenHash)).toEqual({ session, user, customer, hasFactor: false });
      await opened.setStatus(tenant.id, 'suspended');
      await change(user, { role: 'editor' });
      expect(await opened.sessions.find(session.tokenHash)).toMatchObject({
        user: { role: 'editor' },
        customer: { status: 'suspended' },
      });
      expect(await opened.sessions.find(sampleHash())).toBeNull();
    });

    it('creates no session for a user who does not exist, or is another customer’s', async () => {
      for (const userId of [9e15, (await add({}, other)).id]) {
        await expect(begin({ ...user, id: userId })).rejects.toMatchObject({ code: 'not_found' });
      }
    });

    it('stores what pages leave, when it was used, and when its person confirmed the password', async () => {
      const session = await start();
      await opened.sessions.keep(session.tokenHash, { flash: { text: 'done' } });
      await opened.sessions.touch(session.tokenHash, later(9), '2001:db8::1');
      await opened.sessions.confirm(session.tokenHash, later(8));
      expect(present(await opened.sessions.find(session.tokenHash)).session).toEqual({
        ...session,
        data: { flash: { text: 'done' } },
        lastSeenAt: later(9),
        confirmedAt: later(8),
        address: '2001:db8::1',
      });
    });

    it('never revives an ended session by a later write', async () => {
      const session = await start();
      await opened.sessions.end(session.tokenHash);
      await opened.sessions.end(session.tokenHash);
      await opened.sessions.keep(session.tokenHash, {});
      await opened.sessions.touch(session.tokenHash, later(1), '192.0.2.1');
      await opened.sessions.confirm(session.tokenHash, later(1));
      expect(await isThere(session)).toBe(false);
    });

    it('lists the sessions of a user, last used first, and ends one, or all but one', async () => {
      const [older, newer, newest] = [
        await start(),
        await start({ lastSeenAt: later(1) }),
        await start({ lastSeenAt: later(2) }),
      ];
      const stranger = await begin(await add());
      const list = () => tenant.query(({ users }) => users.sessionsOf(user.id));
      expect(await list()).toEqual([newest, newer, older]);
      await tenant.transaction(async ({ users }) => {
        expect(await users.endSession(user.id, stranger.id)).toBe(false);
        expect(await users.endSession(user.id, newer.id)).toBe(true);
        expect(await users.endSession(user.id, newer.id)).toBe(false);
      });
      expect(await list()).toEqual([newest, older]);
      expect(await tenant.transaction(({ users }) => users.endSessions(user.id, older.id))).toBe(1);
      expect(await list()).toEqual([older]);
      await tenant.transaction(({ users }) => users.endSessions(user.id, null));
      expect(await list()).toEqual([]);
      expect(await isThere(stranger)).toBe(true);
    });

    it('deletes sessions that began or were last used too long ago', async () => {
      const [old, idle, fresh] = [
        await start({ startedAt: later(-100), lastSeenAt: later(5) }),
        await start({ startedAt: later(0), lastSeenAt: later(-50) }),
        await start({ startedAt: later(0), lastSeenAt: later(0) }),
      ];
      expect(await opened.sessions.sweep(later(-99), later(-49))).toBeGreaterThanOrEqual(2);
      expect([await isThere(old), await isThere(idle), await isThere(fresh)]).toEqual([false, false, true]);
    });
  });
}

function sampleSession(values: Partial<NewSession> = {}): NewSession {
  return {
    tokenHash: sampleHash(),
    data: {},
    startedAt: later(0),
    lastSeenAt: later(0),
    address: '192.0.2.7',
    browser: 'Mozilla/5.0 (a browser)',
    byLink: false,
    confirmedAt: later(0),
    ...values,
  };
}
