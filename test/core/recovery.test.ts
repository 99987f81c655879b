import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { HOUR } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { signToken } from '../../src/core/shared/secrets.js';
import { readMailedToken } from '../../src/core/users/mailed-token.js';
import { changePassword, RECOVERY_MS, requestRecovery } from '../../src/core/users/people/new-password.js';
import { inviteUser, issueLink } from '../../src/core/users/people/one-time-link.js';
import { peekLink, signInByLink } from '../../src/core/users/sign-in/by-link.js';
import { signInByPassword } from '../../src/core/users/sign-in/by-password.js';
import type { User } from '../../src/core/users/user.js';
import { runJob } from '../../src/worker/pools.js';
import { MemoryMailer } from '../../testing/memory/memory-mailer.js';
import { claimJob } from '../support/claim.js';
import { type World, world } from '../support/core-world.js';
import { HeldClock, isOver } from '../support/held-clock.js';
import { openSession } from '../support/open-session.js';

const PASSWORD = 'five calm words of mine';
const NEW = 'quite another password';
const EMAIL = 'anna@example.com';
const SOURCE = '192.0.2.1';

let mailer: MemoryMailer;
let ports: World;
let customerId: Id;
let anna: User;
let browsers = 0;

const browser = () => {
  browsers += 1;
  return { token: `a browser no ${browsers}`, address: SOURCE, namedAddress: SOURCE, userAgent: 'a browser' };
};
const tokenOf = (link: string) => link.split('/').at(-1) ?? '';
const enter = (link: string, password = NEW) =>
  signInByLink(ports, { token: tokenOf(link), email: '', password, browser: browser() });
const ask = (email = EMAIL, source = SOURCE) => requestRecovery(ports, email, source);
const attempt = (password: string) =>
  signInByPassword(ports, { email: EMAIL, password, browser: browser(), device: null });

beforeEach(async () => {
  mailer = new MemoryMailer();
  ports = { ...world(), mailer };
  [customerId, anna] = await account('Studio North');
  await links();
});

async function account(name: string): Promise<[Id, User]> {
  const { id } = await createCustomer(ports, commandLine, { name, storageBytesLimit: null, photosLimit: null });
  const { link } = await inviteUser(ports, operatorFor(id), { email: EMAIL, role: 'owner' });
  return [id, (await enter(link, PASSWORD)).user];
}

/** Of the mails for new passwords that came since the last call. */
let seen = 0;
async function links(): Promise<string[]> {
  for (let job = await claimJob(ports.jobs, 60); job !== null; job = await claimJob(ports.jobs, 60)) {
    await runJob(ports, job);
    await ports.jobs.complete(job);
  }
  const sent = mailer.sent.flatMap(({ mail }) => (mail.template === 'recovery' ? [mail.values.link] : []));
  if (seen > sent.length) seen = 0;
  const fresh = sent.slice(seen);
  seen = sent.length;
  return fresh;
}

it('a recovery mail contains a link, which replaces the password once', async () => {
  await ask(' Anna@Example.com ');
  const [link = ''] = await links();
  expect(mailer.sent.at(-1)?.mail).toMatchObject({
    to: { userId: anna.id, address: EMAIL },
    values: { account: 'Studio North', source: SOURCE, expiresAt: '2026-11-21T13:00:00.000Z' },
  });
  expect((await peekLink(ports, tokenOf(link)))?.user.id).toBe(anna.id);
  await enter(link);
  await expect(attempt(PASSWORD)).rejects.toMatchObject({ code: 'unauthorized' });
  expect((await attempt(NEW)).user.id).toBe(anna.id);
  await expect(enter(link, 'a third password, too')).rejects.toMatchObject({ code: 'url_forbidden' });
  expect(await peekLink(ports, tokenOf(link))).toBeNull();
});

it('a recovery link that two use at the same time signs one in', async () => {
  await ask();
  const [link = ''] = await links();
  const entered = await Promise.allSettled([enter(link), enter(link, 'a third password, too')]);
  expect(entered.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

it('recovery mails nothing to an address without an account, or that has only been invited', async () => {
  await ask('nobody@example.com');
  await ask('');
  await inviteUser(ports, operatorFor(customerId), { email: 'bert@example.com', role: 'viewer' });
  await ask('bert@example.com');
  expect(await links()).toEqual([]);
});

it('recovery mails nothing to a person whose password was removed in the meantime', async () => {
  const users = {
    ...ports.users,
    findByEmail: async (email: string) => {
      const known = await ports.users.findByEmail(email);
      await ports.store.transaction(customerId, async (transaction) => {
        const user = await transaction.users.lock(anna.id);
        if (user !== null) await transaction.users.update({ ...user, passwordHash: null });
      });
      return known;
    },
  };
  await requestRecovery({ ...ports, users }, EMAIL, SOURCE);
  expect(await links()).toEqual([]);
});

it('recovery takes as long for an unknown address', async () => {
  for (const email of [EMAIL, 'nobody@example.com']) {
    const clock = new HeldClock(ports.clock);
    const asked = requestRecovery({ ...ports, clock }, email, SOURCE);
    expect([email, await isOver(asked), clock.pauses]).toEqual([email, false, [500]]);
    clock.release();
    await asked;
  }
  expect(await links()).toHaveLength(1);
});

it('recovery mails one link for each account that has the address', async () => {
  const [other] = await account('Studio South');
  await links();
  await ask();
  const owners = await Promise.all(
    (await links()).map(async (link) => (await peekLink(ports, tokenOf(link)))?.user.customerId),
  );
  expect(owners.sort()).toEqual([customerId, other].sort());
});

it('every requested recovery link stays valid, and so does one that a person created', async () => {
  const made = await issueLink(ports, operatorFor(customerId), anna.id);
  await ask();
  await ask();
  const all = [made.link, ...(await links())];
  expect(all).toHaveLength(3);
  for (const link of all) expect(await peekLink(ports, tokenOf(link))).not.toBeNull();
  await enter(all[1] ?? '');
  for (const link of all) expect(await peekLink(ports, tokenOf(link))).toBeNull();
});

it('a recovery link expires after an hour', async () => {
  await ask();
  const [link = ''] = await links();
  ports.clock.pass(RECOVERY_MS - 1);
  expect(await peekLink(ports, tokenOf(link))).not.toBeNull();
  ports.clock.pass(1);
  await expect(enter(link)).rejects.toMatchObject({ code: 'url_forbidden' });
});

it('a recovery link ends with a new password, and with the removal of the person', async () => {
  await ask();
  const [link = ''] = await links();
  const session = await openSession(ports, anna, { ...browser(), byLink: true });
  await changePassword(ports, session, { current: '', password: NEW }, SOURCE);
  expect(await peekLink(ports, tokenOf(link))).toBeNull();
  await ask();
  const [second = ''] = await links();
  await ports.store.transaction(customerId, ({ users }) => users.delete(anna.id));
  expect(await peekLink(ports, tokenOf(second))).toBeNull();
  await expect(enter(second)).rejects.toMatchObject({ code: 'url_forbidden' });
});

it('a recovery link cannot be forged: neither its text nor its signature may change', async () => {
  await ask();
  const token = tokenOf((await links())[0] ?? '');
  const bytes = Buffer.from(token, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const forged = Buffer.from(bytes);
    forged[at] = (forged[at] ?? 0) ^ 1;
    expect(await peekLink(ports, forged.toString('base64url'))).toBeNull();
  }
});

it('a recovery link does not remove second factors, even while a link of the operator that does is open', async () => {
  await issueLink(ports, operatorFor(customerId), anna.id, { withoutFactors: true });
  const app = {
    userId: anna.id,
    name: 'Phone',
    secret: 'sealed',
    lastStep: 0,
    createdAt: ports.clock.now(),
    lastUsedAt: null,
  };
  await ports.store.transaction(customerId, ({ factors }) => factors.insertApp(app as never));
  await ask();
  const [link = ''] = await links();
  expect((await enter(link)).isPending).toBe(true);
  expect(await ports.store.query(customerId, ({ factors }) => factors.appsOf(anna.id))).toHaveLength(1);
});

it('recovery mails a person at most three times in an hour, and does not reveal that', async () => {
  const ips = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5'];
  for (const ip of ips) await ask(EMAIL, ip);
  expect(await links()).toHaveLength(3);
  ports.clock.pass(HOUR + 1);
  await ask();
  expect(await links()).toHaveLength(1);
});

it('recovery is limited for each source, whatever address it requests', async () => {
  for (let time = 0; time < 5; time += 1) await ask(`nobody.${time}@example.com`);
  await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
  await ask(EMAIL, '192.0.2.99');
  expect(await links()).toHaveLength(1);
});

it('recovery is in the audit log, with the source and without a link', async () => {
  await ask();
  const [entry] = await ports.store.query(customerId, ({ audit }) => audit.list(null, 1));
  expect(entry).toMatchObject({
    action: 'user.recovery_requested',
    subjectName: EMAIL,
    actorKind: 'person',
    actorId: null,
    address: SOURCE,
  });
});

it('a link of a form that this version does not write is not open, although it is signed', () => {
  const earlier = signToken(ports.secrets, 'recovery', { c: customerId, u: 1, f: 'f', x: 9e12 });
  expect(readMailedToken(ports.secrets, 'recovery', earlier)).toBeNull();
});
