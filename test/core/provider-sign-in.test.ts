import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import type { Id } from '../../src/core/shared/ids.js';
import { editNewPeople } from '../../src/core/users/admission.js';
import { addFactor, startEnrolment } from '../../src/core/users/factors/add.js';
import { codeAt } from '../../src/core/users/factors/one-time-code.js';
import { newPendingCookie } from '../../src/core/users/factors/second-factor.js';
import type { Assertion, ProviderSettings } from '../../src/core/users/identity-provider.js';
import { changeRole } from '../../src/core/users/people/manage.js';
import { changePassword } from '../../src/core/users/people/new-password.js';
import { inviteUser } from '../../src/core/users/people/one-time-link.js';
import { FLOW_MS, finishProviderSignIn, startProviderSignIn } from '../../src/core/users/provider/flow.js';
import { unlinkIdentity } from '../../src/core/users/provider/identity.js';
import { CONFIRMED_MS, findSession, isConfirmed, type KnownSession } from '../../src/core/users/session.js';
import { signInByLink } from '../../src/core/users/sign-in/by-link.js';
import { signInByPassword } from '../../src/core/users/sign-in/by-password.js';
import { finishSignIn } from '../../src/core/users/sign-in/second-step.js';
import { MAX_USERS, newInvitedUser, type Role } from '../../src/core/users/user.js';
import { runJob } from '../../src/worker/pools.js';
import { MemoryMailer } from '../../testing/memory/memory-mailer.js';
import { MemoryIdentityProvider } from '../../testing/memory/users/memory-identities.js';
import { claimJob } from '../support/claim.js';
import { type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

const PASSWORD = 'five calm words of mine';
const RETURN_TO = 'https://photos.example.com/settings/sign-in/with/keycloak/answer';
const ANNA = { subject: 'anna-1', email: 'anna@example.com', isEmailVerified: true };

let ports: World;
let customerId: Id;
let provider: MemoryIdentityProvider;
let browsers = 0;
let from: string;

beforeEach(async () => {
  customerId = 0;
  from = '192.0.2.1';
  ports = world();
  customerId = await newCustomer('Studio North');
  configure({});
});

async function newCustomer(name: string): Promise<Id> {
  const request = { name, storageBytesLimit: null, photosLimit: null };
  return (await createCustomer(ports, commandLine, request)).id;
}
const allowNewPeople = (isAllowed = true) => editNewPeople(ports, operatorFor(customerId), isAllowed);
function configure(settings: Partial<ProviderSettings>): void {
  provider = new MemoryIdentityProvider(settings);
  ports = { ...ports, identityProviders: [provider] };
}
const newBrowser = () => {
  browsers += 1;
  return { token: `a browser no ${browsers}`, address: from, namedAddress: from, userAgent: 'a browser' };
};
const invite = (email: string, role: Role = 'owner', of = customerId) =>
  inviteUser(ports, operatorFor(of), { email, role });

/** Somebody who came by a link and chose a password. */
async function join(email = ANNA.email, role: Role = 'owner', of = customerId): Promise<KnownSession> {
  const { link } = await invite(email, role, of);
  const browser = newBrowser();
  const token = link.split('/').at(-1) ?? '';
  await signInByLink(ports, { token, email: '', password: PASSWORD, browser });
  return present(await findSession(ports, browser.token));
}

type Person = Partial<Omit<Assertion, 'issuer'>> & Pick<Assertion, 'subject'>;

const start = (person: KnownSession | null = null, next = '/settings/photos') =>
  startProviderSignIn(ports, { provider: 'keycloak', returnTo: RETURN_TO, next, person, address: '192.0.2.1' });
const take = (cookie: string, answer: string, person: KnownSession | null = null, browser = newBrowser()) =>
  finishProviderSignIn(ports, {
    provider: 'keycloak',
    cookie,
    answer,
    returnTo: RETURN_TO,
    browser,
    device: null,
    person,
  });

/** The session that a person opens at the provider. */
async function signIn(person: Person = ANNA) {
  const { address, cookie } = await start();
  const browser = newBrowser();
  const outcome = await take(cookie, provider.signIn(address, person), null, browser);
  if (outcome.kind !== 'signed_in') throw new Error('somebody was confirmed');
  return { ...outcome, browser, session: await findSession(ports, browser.token) };
}
const refusal = (reason: string) => ({ code: 'unauthorized', details: { reason } });
const actions = () =>
  ports.store.query(customerId, async ({ audit }) => (await audit.list(null, 9)).map((each) => each.action));
const identitiesOf = (userId: Id) => ports.store.query(customerId, ({ identities }) => identities.of(userId));
const roleOf = async (userId: Id) => (await ports.store.query(customerId, ({ users }) => users.get(userId)))?.role;

test('a verified address links an account at the first sign-in; after that the subject at the provider counts', async () => {
  const invited = await invite(ANNA.email, 'editor');
  const first = await signIn();
  expect(first.session?.user).toMatchObject({ id: invited.user.id, role: 'editor', linkHash: null });
  expect(await actions()).toEqual(['user.joined', 'user.identity_linked', 'user.invited', 'customer.created']);
  ports.clock.pass(1000);
  const again = await signIn({ subject: 'anna-1', email: 'anna.new@elsewhere.example', isEmailVerified: false });
  expect(again.session?.user.id).toBe(invited.user.id);
  expect((await actions())[0]).toBe('user.signed_in');
  expect((await identitiesOf(invited.user.id)).map(({ lastUsedAt }) => lastUsedAt)).toEqual([ports.clock.now()]);
});

test('linking revokes what opened the account before: password, links and sessions', async () => {
  const before = await join();
  await invite(ANNA.email);
  expect(await signIn()).toMatchObject({ lostPassword: true, result: { isPending: false } });
  expect(await ports.sessions.find(before.session.tokenHash)).toBeNull();
  const password = { email: ANNA.email, password: PASSWORD, browser: newBrowser(), device: null };
  await expect(signInByPassword(ports, password)).rejects.toMatchObject({ code: 'unauthorized' });
  expect((await signIn()).lostPassword).toBe(false);
});

test.each([
  ['an address that is not verified', { ...ANNA, isEmailVerified: false }, 'address_not_verified'],
  ['no address', { subject: 'anna-1' }, 'address_not_verified'],
  ['an address of nobody', { ...ANNA, email: 'nobody@example.com' }, 'no_account'],
])('a sign-in with %s links nothing', async (_, person, reason) => {
  const { user } = await join();
  await expect(signIn(person)).rejects.toMatchObject(refusal(reason));
  expect(await identitiesOf(user.id)).toEqual([]);
});

test('an account that is linked to one subject is never opened by another with its address', async () => {
  const { user } = await join();
  await signIn();
  await expect(signIn({ ...ANNA, subject: 'anna-2' })).rejects.toMatchObject(refusal('other_identity'));
  await expect(signIn({ ...ANNA, subject: 'ANNA-1' })).rejects.toMatchObject(refusal('other_identity'));
  const keycloak = ports.identityProviders;
  configure({ id: 'keycloak', issuer: 'https://other.example.com' });
  await expect(signIn()).rejects.toMatchObject(refusal('other_identity'));
  ports = { ...ports, identityProviders: keycloak };
  expect(await identitiesOf(user.id)).toHaveLength(1);
});

test('domains of addresses are compared whole and in lower case, at every sign-in', async () => {
  configure({ domains: ['example.com'] });
  await join();
  expect((await signIn({ ...ANNA, email: 'Anna@EXAMPLE.com' })).session).not.toBeNull();
  for (const email of [
    'anna@sub.example.com',
    'anna@notexample.com',
    'anna@example.com.attacker.example',
    'anna@example.com@attacker.example',
  ]) {
    await expect(signIn({ ...ANNA, email })).rejects.toMatchObject(refusal('domain_not_allowed'));
  }
  await expect(signIn({ ...ANNA, isEmailVerified: false })).rejects.toMatchObject(refusal('address_not_verified'));
});

test('a provider of one customer opens no account of another', async () => {
  const elsewhere = await newCustomer('Studio South');
  await join(ANNA.email, 'owner', elsewhere);
  configure({ customerId });
  await expect(signIn()).rejects.toMatchObject(refusal('no_account'));
  configure({ customerId, admitsNewPeople: true, domains: ['example.com'] });
  await allowNewPeople();
  expect((await signIn()).session?.user).toMatchObject({ customerId, role: 'viewer', passwordHash: null });
  configure({});
  expect((await signIn()).session?.user.customerId).toBe(customerId);
});

describe('a provider’s address that people at several customers have', () => {
  let elsewhere: Id;
  beforeEach(async () => {
    elsewhere = await newCustomer('Studio South');
  });

  test('opens none of their accounts, unless the provider is bound to one', async () => {
    const [mine, theirs] = [await join(), await join(ANNA.email, 'owner', elsewhere)];
    await expect(signIn()).rejects.toMatchObject(refusal('several_accounts'));
    for (const { user, session } of [mine, theirs]) {
      expect(await ports.store.query(user.customerId, ({ identities }) => identities.of(user.id))).toEqual([]);
      expect(await ports.sessions.find(session.tokenHash)).not.toBeNull();
    }
    configure({ customerId });
    expect((await signIn()).session?.user.id).toBe(mine.user.id);
    configure({});
    expect((await signIn()).session?.user.id).toBe(mine.user.id);
  });

  test('opens the account that its person joined, also if another customer has invited it', async () => {
    await invite(ANNA.email, 'owner', elsewhere);
    const { user } = await join();
    expect((await signIn()).session?.user.customerId).toBe(user.customerId);
  });

  test('opens no account when all are only invited, and customers that are closing do not count', async () => {
    await invite(ANNA.email);
    await invite(ANNA.email, 'owner', elsewhere);
    await expect(signIn()).rejects.toMatchObject(refusal('several_accounts'));
    await ports.store.change(elsewhere, { status: 'closing' });
    expect((await signIn()).session?.user.customerId).toBe(customerId);
  });
});

describe('where a provider admits new people', () => {
  beforeEach(async () => {
    configure({ customerId, admitsNewPeople: true, domains: ['example.com'], role: 'editor' });
    await allowNewPeople();
  });

  test('a new person is admitted only if the owners allow it as well', async () => {
    await allowNewPeople(false);
    await expect(signIn()).rejects.toMatchObject(refusal('no_account'));
    expect(await actions()).toEqual(['customer.edited', 'customer.edited', 'customer.created']);
    await invite(ANNA.email, 'viewer');
    expect((await signIn()).session?.user).toMatchObject({ email: ANNA.email });
  });

  test('a person without an account gets one, without a password', async () => {
    const { session } = await signIn();
    expect(session?.user).toMatchObject({ email: ANNA.email, role: 'editor', passwordHash: null });
    expect(await actions()).toEqual(['user.joined', 'user.identity_linked', 'customer.edited', 'customer.created']);
  });

  test('no person is admitted beyond the limit, or to a suspended account', async () => {
    await ports.store.change(customerId, { status: 'suspended' });
    await expect(signIn()).rejects.toMatchObject(refusal('no_account'));
    await ports.store.change(customerId, { status: 'active' });
    await ports.store.transaction(customerId, async ({ users }) => {
      for (let at = 0; at < MAX_USERS; at += 1) {
        await users.insert(newInvitedUser(`p${at}@example.com`, 'viewer', ports.clock.now()));
      }
    });
    await expect(signIn()).rejects.toMatchObject(refusal('too_many_people'));
  });
});

describe('groups of a provider', () => {
  const groupRoles = { staff: 'editor', leads: 'admin' } as const;
  const as = (...groups: readonly string[]) => signIn({ ...ANNA, groups });

  test('give the highest role at each sign-in, and take it again', async () => {
    configure({ groupRoles });
    await join('owner@example.com');
    const { user } = await join(ANNA.email, 'viewer');
    const roles: (Role | undefined)[] = [];
    for (const groups of [['staff', 'leads'], ['staff', 'other'], [], ['Leads'], ['toString']]) {
      await as(...groups);
      roles.push(await roleOf(user.id));
    }
    expect(roles).toEqual(['admin', 'editor', 'viewer', 'viewer', 'viewer']);
    expect((await actions()).filter((action) => action === 'user.edited')).toHaveLength(3);
  });

  test('change no owners unless one gives that role, and never remove the last one', async () => {
    configure({ groupRoles });
    const { user } = await join();
    await as('staff');
    expect(await roleOf(user.id)).toBe('owner');
    configure({ groupRoles: { ...groupRoles, heads: 'owner' } });
    await as('staff');
    expect(await roleOf(user.id)).toBe('owner');
    await join('other@example.com');
    await as('staff');
    expect(await roleOf(user.id)).toBe('editor');
    await as('heads');
    expect(await roleOf(user.id)).toBe('owner');
  });
});

describe('a provider sign-in that one browser began', () => {
  beforeEach(() => join());

  test('cannot be completed by another browser, twice, or after ten minutes', async () => {
    const [mine, theirs] = [await start(), await start()];
    const answer = provider.signIn(theirs.address, ANNA);
    for (const cookie of ['', 'x'.repeat(40), mine.cookie]) {
      await expect(take(cookie, answer)).rejects.toMatchObject({ code: 'unauthorized' });
    }
    const late = await start();
    const lateAnswer = provider.signIn(late.address, ANNA);
    ports.clock.pass(FLOW_MS);
    await expect(take(late.cookie, lateAnswer)).rejects.toMatchObject(refusal('expired'));
    const good = await start(null, '/settings/tags');
    const goodAnswer = provider.signIn(good.address, ANNA);
    expect(await take(good.cookie, goodAnswer)).toMatchObject({ kind: 'signed_in', next: '/settings/tags' });
    await expect(take(good.cookie, goodAnswer)).rejects.toMatchObject(refusal('invalid_answer'));
  });

  test('cannot be completed by another provider', async () => {
    const other = new MemoryIdentityProvider({ id: 'other', issuer: 'https://other.example.com' });
    ports = { ...ports, identityProviders: [provider, other] };
    const { address, cookie } = await start();
    const answer = provider.signIn(address, ANNA);
    const given = { cookie, answer, returnTo: RETURN_TO, browser: newBrowser(), device: null, person: null };
    await expect(finishProviderSignIn(ports, { ...given, provider: 'other' })).rejects.toMatchObject(
      refusal('expired'),
    );
    await expect(finishProviderSignIn(ports, { ...given, provider: 'none' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('a provider that is unavailable opens nothing, and gets at most 120 requests a minute from one address', async () => {
    provider.isAway = true;
    for (let at = 0; at < 120; at += 1) await expect(start()).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(start()).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

/** An authenticator app for this person; the secret of its codes. */
async function addApp(person: KnownSession): Promise<string> {
  const { secret, sealed } = startEnrolment(ports, person);
  const code = codeAt(secret, Math.floor(ports.clock.now().getTime() / 30_000));
  await addFactor(ports, person, { name: 'Phone', code, sealed }, '192.0.2.1');
  return secret;
}

test('a second factor is required after the provider, unless it proved one that the operator trusts', async () => {
  configure({ trustedMethods: ['mfa'] });
  await join();
  await addApp(present((await signIn()).session));
  expect(await signIn({ ...ANNA, methods: ['pwd'] })).toMatchObject({ result: { isPending: true }, session: null });
  const trusted = await signIn({ ...ANNA, methods: ['pwd', 'mfa'] });
  expect(trusted).toMatchObject({ result: { isPending: false }, session: { hasFactor: true } });
  await expect(start(trusted.session)).rejects.toMatchObject({ code: 'unauthorized' });
});

describe('with a second factor, groups of a provider decide once the sign-in is complete', () => {
  const groupRoles = { staff: 'editor', leads: 'admin', heads: 'owner' } as const;
  let secret: string;
  let anna: KnownSession;

  beforeEach(async () => {
    configure({ groupRoles });
    await join(ANNA.email, 'editor');
    anna = present((await signIn({ ...ANNA, groups: ['staff'] })).session);
    secret = await addApp(anna);
  });
  const admin = () => ({ ...operatorFor(customerId), role: 'owner' }) as const;

  /** The second step of a sign-in at the provider in these groups. */
  async function startSecondStep(...groups: readonly string[]) {
    const { result, browser } = await signIn({ ...ANNA, groups });
    const cookie = newPendingCookie(ports.secrets, { customerId, token: browser.token, role: result.pendingRole });
    ports.clock.pass(30_000);
    return (code = codeAt(secret, Math.floor(ports.clock.now().getTime() / 30_000))) =>
      finishSignIn(ports, { cookie, code, browser });
  }

  test('groups of a provider decide nothing before the second factor, nor with a wrong code', async () => {
    const finish = await startSecondStep('leads');
    await expect(finish('000000')).rejects.toMatchObject({ code: 'invalid_request' });
    expect([await roleOf(anna.user.id), await actions()]).toEqual([
      'editor',
      expect.not.arrayContaining(['user.edited']),
    ]);
    expect((await finish()).user.role).toBe('admin');
    expect([await roleOf(anna.user.id), (await actions()).slice(0, 2)]).toEqual([
      'admin',
      ['user.signed_in', 'user.edited'],
    ]);
  });

  test('groups of a provider leave the last owner one even if the other has gone meanwhile', async () => {
    const { user: other } = await join('other@example.com');
    await changeRole(ports, admin(), anna.user.id, 'owner');
    const finish = await startSecondStep('staff');
    await changeRole(ports, admin(), other.id, 'editor');
    await finish();
    expect(await roleOf(anna.user.id)).toBe('owner');
  });

  test('groups of an older sign-in do not replace a role that another person gave meanwhile', async () => {
    await join('other@example.com');
    const finish = await startSecondStep('leads');
    await changeRole(ports, admin(), anna.user.id, 'viewer');
    await expect(finish()).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await roleOf(anna.user.id)).toBe('viewer');
  });
});

test('an account with a second factor is not linked by its address, and loses nothing', async () => {
  configure({ trustedMethods: ['mfa'] });
  const person = await join();
  await addApp(person);
  const before = await actions();
  for (const methods of [[], ['mfa']]) {
    await expect(signIn({ ...ANNA, methods })).rejects.toMatchObject(refusal('needs_second_factor'));
  }
  expect([await identitiesOf(person.user.id), await actions()]).toEqual([[], before]);
  expect(await ports.sessions.find(person.session.tokenHash)).not.toBeNull();
  const password = { email: ANNA.email, password: PASSWORD, browser: newBrowser(), device: null };
  expect((await signInByPassword(ports, password)).isPending).toBe(true);
});

test('an account with a passkey is not linked by its address', async () => {
  const { user } = await join();
  const at = ports.clock.now();
  const passkey = { userId: user.id, name: 'Laptop', credentialId: 'laptop', publicKey: '', counter: 0 };
  await ports.store.transaction(customerId, ({ factors }) =>
    factors.insertPasskey({ ...passkey, signsInAlone: true, createdAt: at, lastUsedAt: at }),
  );
  await expect(signIn()).rejects.toMatchObject(refusal('needs_second_factor'));
  expect(await identitiesOf(user.id)).toEqual([]);
});

describe('people get a mail', () => {
  let mailer: MemoryMailer;
  let seen: number;
  beforeEach(() => {
    seen = 0;
    mailer = new MemoryMailer();
    ports = { ...ports, mailer };
  });
  /** The templates of the mails since the last call. */
  async function told(): Promise<string[]> {
    for (let job = await claimJob(ports.jobs, 60); job !== null; job = await claimJob(ports.jobs, 60)) {
      await runJob(ports, job);
      await ports.jobs.complete(job);
    }
    const fresh = mailer.sent.slice(seen);
    seen = mailer.sent.length;
    return fresh.map(({ mail }) => mail.template);
  }

  test('when their account was linked, which says that the password was removed', async () => {
    await join();
    await told();
    await signIn();
    expect(await told()).toEqual(['password_changed']);
    expect(mailer.sent.at(-1)?.mail.values).toMatchObject({ hasPassword: false });
    await signIn();
    expect(await told()).toEqual([]);
  });

  test('about a first sign-in without a password, but not when they are new', async () => {
    await invite(ANNA.email);
    await told();
    await signIn();
    expect(await told()).toEqual(['new_sign_in']);
    configure({ customerId, admitsNewPeople: true, domains: ['example.com'] });
    await allowNewPeople();
    await signIn({ subject: 'bert-1', email: 'bert@example.com', isEmailVerified: true });
    expect(await told()).toEqual([]);
  });

  test('about a sign-in from an unknown place, unless a code is still required', async () => {
    await invite(ANNA.email);
    const person = present((await signIn()).session);
    await told();
    from = '203.0.113.77';
    await signIn();
    expect(await told()).toEqual(['new_sign_in']);
    from = '203.0.113.78';
    await addApp(person);
    await told();
    expect(await signIn()).toMatchObject({ result: { isPending: true } });
    expect(await told()).toEqual([]);
  });
});

describe('confirming one’s identity without a password', () => {
  let person: KnownSession;
  beforeEach(async () => {
    await invite(ANNA.email);
    person = present((await signIn()).session);
  });
  const now = () => ports.clock.now();
  const confirm = async (as: Person) => {
    const { address, cookie } = await start(person);
    return take(cookie, provider.signIn(address, as), person);
  };

  test('is refused when the provider only remembers the browser', async () => {
    expect(isConfirmed(person.session, now())).toBe(false);
    const recent = new Date(now().getTime() - 60_000);
    expect((await signIn({ ...ANNA, authenticatedAt: recent })).session?.session.confirmedAt).toEqual(recent);
    const future = new Date(now().getTime() + 60_000);
    expect((await signIn({ ...ANNA, authenticatedAt: future })).session?.session.confirmedAt).toEqual(now());
  });

  test('requires the same person to sign in at the provider just now', async () => {
    for (const authenticatedAt of [null, new Date(now().getTime() - CONFIRMED_MS)]) {
      await expect(confirm({ ...ANNA, authenticatedAt })).rejects.toMatchObject(refusal('not_fresh'));
    }
    const other = { subject: 'bert-1', authenticatedAt: now() };
    await expect(confirm(other)).rejects.toMatchObject(refusal('other_person'));
    const { address, cookie } = await start(person);
    const answer = provider.signIn(address, { ...ANNA, authenticatedAt: now() });
    await expect(take(cookie, answer, null)).rejects.toMatchObject(refusal('expired'));
    expect(isConfirmed(present(await ports.sessions.find(person.session.tokenHash)).session, now())).toBe(false);
    expect(await confirm({ ...ANNA, authenticatedAt: now() })).toMatchObject({ kind: 'confirmed' });
    expect(isConfirmed(present(await ports.sessions.find(person.session.tokenHash)).session, now())).toBe(true);
  });

  test('allows a first password, and the identity stays until it is unlinked', async () => {
    const set = async () => {
      const { session } = present(await ports.sessions.find(person.session.tokenHash));
      return changePassword(ports, session, { current: '', password: PASSWORD }, '192.0.2.1');
    };
    const [identity] = await identitiesOf(person.user.id);
    const unlink = { userId: person.user.id, identityId: present(identity).id };
    const self = { ...operatorFor(customerId), role: 'viewer' } as const;
    await expect(set()).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(unlinkIdentity(ports, self, person, unlink)).rejects.toMatchObject({ code: 'invalid_request' });
    await confirm({ ...ANNA, authenticatedAt: now() });
    await set();
    await unlinkIdentity(ports, self, person, unlink);
    expect((await actions())[0]).toBe('user.identity_unlinked');
    expect(await identitiesOf(person.user.id)).toEqual([]);
  });
});

test('admins unlink the identities of others except owners, which signs them out', async () => {
  const owner = await join('owner@example.com');
  await invite(ANNA.email, 'editor');
  const anna = present((await signIn()).session);
  const unlink = { userId: anna.user.id, identityId: present((await identitiesOf(anna.user.id))[0]).id };
  const as = (role: Role) => unlinkIdentity(ports, { ...operatorFor(customerId), role }, owner, unlink);
  await expect(as('editor')).rejects.toMatchObject({ code: 'scope_required' });
  await as('admin');
  expect(await ports.sessions.find(anna.session.tokenHash)).toBeNull();
  await expect(as('admin')).rejects.toMatchObject({ code: 'not_found' });
  await signIn({ subject: 'owner-1', email: 'owner@example.com', isEmailVerified: true });
  const own = { userId: owner.user.id, identityId: present((await identitiesOf(owner.user.id))[0]).id };
  const admin = { ...operatorFor(customerId), role: 'admin' } as const;
  await expect(unlinkIdentity(ports, admin, anna, own)).rejects.toMatchObject({ code: 'scope_required' });
});
