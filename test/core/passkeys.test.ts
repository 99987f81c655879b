import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import type { Id } from '../../src/core/shared/ids.js';
import { newDevice as newDeviceCookie } from '../../src/core/users/admission.js';
import { addPasskey } from '../../src/core/users/factors/add.js';
import {
  askAgain,
  askForNewPasskey,
  askForSecondStep,
  askToSignIn,
} from '../../src/core/users/factors/ask-for-passkey.js';
import { confirmIdentity } from '../../src/core/users/factors/confirm-identity.js';
import { removeFactor } from '../../src/core/users/factors/own-factors.js';
import { CHALLENGE_MS, userHandle } from '../../src/core/users/factors/passkey.js';
import { requireFactors } from '../../src/core/users/factors/policy.js';
import { MAX_FACTORS, newPendingCookie, PENDING_TRIES } from '../../src/core/users/factors/second-factor.js';
import { changePassword } from '../../src/core/users/people/new-password.js';
import { inviteUser, issueLink } from '../../src/core/users/people/one-time-link.js';
import { findSession, type KnownSession } from '../../src/core/users/session.js';
import { signInByLink } from '../../src/core/users/sign-in/by-link.js';
import { signInByPasskey } from '../../src/core/users/sign-in/by-passkey.js';
import { signInByPassword } from '../../src/core/users/sign-in/by-password.js';
import { finishSignIn } from '../../src/core/users/sign-in/second-step.js';
import { PublicAddresses } from '../../src/http/public-addresses.js';
import { MemoryMailer } from '../../testing/memory/memory-mailer.js';
import { claimJob } from '../support/claim.js';
import { type World, world } from '../support/core-world.js';
import { type Conduct, SoftwareAuthenticator } from '../support/software-authenticator.js';
import { present } from '../support/tenant.js';

const PASSWORD = 'five calm words of mine';
const HOME = '192.0.2.1';
const invalid = { code: 'invalid_request' };
const unauthorized = { code: 'unauthorized' };

let ports: World;
let customerId: Id;
let person: KnownSession;
let browsers = 0;

beforeEach(async () => {
  ports = world();
  customerId = await newCustomer();
  person = await newPerson('anna@example.com');
});

const newCustomer = async () =>
  (await createCustomer(ports, commandLine, { name: 'Studio', storageBytesLimit: null, photosLimit: null })).id;
const newBrowser = () => {
  browsers += 1;
  return { token: `a browser no ${browsers}`, address: HOME, namedAddress: HOME, userAgent: 'a browser' };
};
const newDevice = (step = 1) => new SoftwareAuthenticator(present(ports.addresses.passkeySite), step);

async function newPerson(email: string, of = customerId): Promise<KnownSession> {
  const { link } = await inviteUser(ports, operatorFor(of), { email, role: 'owner' });
  const browser = newBrowser();
  await signInByLink(ports, { token: link.split('/').at(-1) ?? '', email: '', password: PASSWORD, browser });
  return present(await findSession(ports, browser.token));
}

async function add(device: SoftwareAuthenticator, { alone = false, conduct = {} as Conduct, who = person } = {}) {
  const { challenge, cookie } = await askForNewPasskey(ports, who, alone);
  const given = { answer: device.made(challenge, conduct), challenge: cookie };
  const codes = await addPasskey(ports, who, { name: ' Laptop ', signsInAlone: alone, given }, HOME);
  if (who === person) person = { ...person, hasFactor: true };
  return codes;
}

/** The answer of a device to what was asked. */
const answer = (
  device: SoftwareAuthenticator,
  { challenge, cookie }: { challenge: string; cookie: string },
  conduct: Conduct = {},
) => ({ answer: device.used(challenge, userHandle(person.user), conduct), challenge: cookie });

async function password() {
  const browser = newBrowser();
  const result = await signInByPassword(ports, {
    email: 'anna@example.com',
    password: PASSWORD,
    browser,
    device: null,
  });
  return {
    ...result,
    browser,
    cookie: newPendingCookie(ports.secrets, { customerId, token: browser.token, role: null }),
  };
}

async function second(cookie: string, given: { answer: string; challenge: string }) {
  const browser = newBrowser();
  await finishSignIn(ports, { cookie, code: given, browser });
  return present(await findSession(ports, browser.token));
}

async function alone(given: { answer: string; challenge: string }) {
  const browser = newBrowser();
  await signInByPasskey(ports, given, browser, null);
  return present(await findSession(ports, browser.token));
}

const passkeys = () => ports.store.query(customerId, ({ factors }) => factors.passkeysOf(person.user.id));
const codesLeft = () => ports.store.query(customerId, ({ factors }) => factors.countRecoveryCodes(person.user.id));
const actions = async () => {
  const all = { actions: null, name: null, from: null, until: null };
  return (await ports.store.query(customerId, ({ audit }) => audit.list(null, 100, all))).map(({ action }) => action);
};

it('a sign-in by a passkey alone is told by mail, unless the address or the browser is known', async () => {
  ports = { ...ports, mailer: new MemoryMailer() };
  const device = newDevice();
  await add(device, { alone: true });
  await mails();
  const from = async (address: string, cookie: string | null = null) => {
    const browser = { ...newBrowser(), address, namedAddress: address };
    await signInByPasskey(ports, answer(device, askToSignIn(ports)), browser, cookie);
    return mails();
  };
  expect(await from(HOME)).toEqual([]);
  expect(await from('203.0.113.9', newDeviceCookie(ports, 'anna@example.com'))).toEqual([]);
  expect(await from('198.51.100.9')).toEqual(['new_sign_in']);
});

/** Templates of the mails that wait. */
async function mails(): Promise<string[]> {
  const templates: string[] = [];
  for (let job = await claimJob(ports.jobs, 60); job !== null; job = await claimJob(ports.jobs, 60)) {
    if (job.work.kind === 'mail') templates.push(job.work.template);
    await ports.jobs.complete(job);
  }
  return templates;
}

describe('adding a passkey', () => {
  it('stores its public half, creates recovery codes the first time, and signs every other browser out', async () => {
    const { browser: other } = await password();
    const device = newDevice();
    const codes = await add(device);
    expect(new Set(codes).size).toBe(10);
    expect(await findSession(ports, other.token)).toBeNull();
    expect(await passkeys()).toMatchObject([
      { name: 'Laptop', credentialId: device.credentialId, counter: 1, signsInAlone: false, userId: person.user.id },
    ]);
    expect(await add(newDevice())).toBeNull();
    expect((await actions()).filter((action) => action === 'user.factor_added')).toHaveLength(2);
  });

  it.each<[string, Conduct]>([
    ['another origin', { origin: 'https://photos.example.com.evil.example' }],
    ['another port', { origin: 'https://photos.example.com:8443' }],
    ['another site', { siteId: 'example.com' }],
    ['a frame on another site', { crossOrigin: true }],
  ])('refuses one made for %s', async (_, conduct) => {
    await expect(add(newDevice(), { conduct })).rejects.toMatchObject(invalid);
    expect([await passkeys(), await codesLeft()]).toEqual([[], 0]);
  });

  it('requires that the device verifies the person if the passkey is to replace the password', async () => {
    const conduct = { verifiesUser: false };
    await expect(add(newDevice(), { alone: true, conduct })).rejects.toMatchObject(invalid);
    await add(newDevice(), { conduct });
    expect(await passkeys()).toMatchObject([{ signsInAlone: false }]);
  });

  it('ignores the attestation of the maker, and fetches nothing to check it', async () => {
    const { challenge, cookie } = await askForNewPasskey(ports, person, false);
    const statement = new Map<string, unknown>([
      ['alg', -7],
      ['sig', new Uint8Array(70)],
      ['x5c', [new Uint8Array(300)]],
    ]);
    const given = { answer: newDevice().made(challenge, {}, statement), challenge: cookie };
    await addPasskey(ports, person, { name: 'Laptop', signsInAlone: false, given }, HOME);
    expect(await passkeys()).toHaveLength(1);
  });

  it('accepts an answer once, in time, of the session and to the challenge that was sent', async () => {
    const asked = await askForNewPasskey(ports, person, false);
    const adding = (given: { challenge: string }, who = person, signsInAlone = false) => {
      const words = { name: 'Laptop', signsInAlone, given: { answer: newDevice().made(asked.challenge), ...given } };
      return addPasskey(ports, who, words, HOME);
    };
    const cookie = { challenge: asked.cookie };
    await expect(adding(cookie, await newPerson('bert@example.com'))).rejects.toMatchObject(invalid);
    await expect(adding(cookie, person, true)).rejects.toMatchObject(invalid);
    await expect(adding({ challenge: askToSignIn(ports).cookie })).rejects.toMatchObject(invalid);
    await expect(adding({ challenge: '' })).rejects.toMatchObject(invalid);
    await adding(cookie);
    await expect(adding(cookie)).rejects.toMatchObject(invalid);
    const late = await askForNewPasskey(ports, person, false);
    ports.clock.pass(CHALLENGE_MS);
    const given = { answer: newDevice().made(late.challenge), challenge: late.cookie };
    const words = { name: 'Laptop', signsInAlone: false, given };
    await expect(addPasskey(ports, person, words, HOME)).rejects.toMatchObject(invalid);
    expect(await passkeys()).toHaveLength(1);
  });

  it('refuses one that a person here already has, and asks the device not to create another', async () => {
    const device = newDevice();
    await add(device);
    const { credentialId } = device;
    expect((await askForNewPasskey(ports, person, false)).credentialIds).toEqual([credentialId]);
    const who = await newPerson('bert@example.com');
    await expect(add(newDevice(), { who, conduct: { credentialId } })).rejects.toMatchObject(invalid);
  });

  it(`is limited to ${MAX_FACTORS}`, async () => {
    for (let number = 0; number < MAX_FACTORS; number += 1) await add(newDevice());
    await expect(add(newDevice())).rejects.toMatchObject({ code: 'limit_reached' });
  });

  it.each(['https://192.0.2.7', 'https://[2001:db8::1]:8443', 'http://photos.example.com'])(
    'is not offered at %s',
    async (url) => {
      const here = { ...ports, addresses: new PublicAddresses(url) };
      await expect(askForNewPasskey(here, person, false)).rejects.toMatchObject(invalid);
      expect(() => askToSignIn(here)).toThrow('need an address with a name');
    },
  );

  it('is offered on this very machine without TLS', () => {
    const { passkeySite } = new PublicAddresses('http://localhost:3000');
    expect(passkeySite).toEqual({ id: 'localhost', origin: 'http://localhost:3000' });
  });
});

describe('a passkey after the password', () => {
  let device: SoftwareAuthenticator;
  beforeEach(async () => {
    device = newDevice();
    await add(device);
  });

  it('is required, and the password alone signs no one in', async () => {
    const { isPending, browser, cookie } = await password();
    expect([isPending, await findSession(ports, browser.token)]).toEqual([true, null]);
    const asked = await askForSecondStep(ports, cookie);
    expect(asked).toMatchObject({ credentialIds: [device.credentialId], alone: false });
    const given = answer(device, asked, { verifiesUser: false, handle: null });
    expect(await second(cookie, given)).toMatchObject({ user: { id: person.user.id }, hasFactor: true });
    expect(await passkeys()).toMatchObject([{ counter: 2, lastUsedAt: ports.clock.now() }]);
    await expect(second(cookie, given)).rejects.toMatchObject(unauthorized);
    const again = await password();
    await expect(second(again.cookie, given)).rejects.toMatchObject(invalid);
  });

  it('is accepted with each answer once', async () => {
    const { cookie } = await password();
    const asked = await askForSecondStep(ports, cookie);
    await expect(second(cookie, answer(device, asked, { origin: 'https://evil.example' }))).rejects.toMatchObject(
      invalid,
    );
    await expect(second(cookie, answer(device, asked))).rejects.toMatchObject(invalid);
    await second(cookie, answer(device, await askForSecondStep(ports, cookie)));
  });

  it.each<[string, Conduct]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another site', { siteId: 'evil.example' }],
    ['a frame on another site', { crossOrigin: true }],
    ['another person’s handle', { handle: '1.999' }],
    ['an unknown passkey', { credentialId: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('is refused if it is %s, without further explanation', async (_, conduct) => {
    const { cookie } = await password();
    const given = answer(device, await askForSecondStep(ports, cookie), conduct);
    await expect(second(cookie, given)).rejects.toMatchObject({
      details: {
        errors: [{ field: 'code', message: 'This passkey was not accepted. Try again, or enter a code instead.' }],
      },
    });
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['a name alone', '{"id":"AAAA"}'],
    ['values of other types', '{"id":1,"response":7}'],
    ['much more than browsers send', 'x'.repeat(30_000)],
  ])('is refused with %s as an answer', async (_, text) => {
    const { cookie } = await password();
    const { cookie: challenge } = await askForSecondStep(ports, cookie);
    await expect(second(cookie, { answer: text, challenge })).rejects.toMatchObject(invalid);
    await expect(alone({ answer: text, challenge: askToSignIn(ports).cookie })).rejects.toMatchObject(unauthorized);
  });

  it('is refused for challenges of another purpose, sign-in or time', async () => {
    const { cookie } = await password();
    const other = await password();
    for (const asked of [
      await askAgain(ports, person),
      await askForSecondStep(ports, other.cookie),
      await askForNewPasskey(ports, person, false),
      askToSignIn(ports),
    ]) {
      await expect(second(cookie, answer(device, asked))).rejects.toMatchObject(invalid);
    }
    const late = await askForSecondStep(ports, other.cookie);
    ports.clock.pass(CHALLENGE_MS);
    await expect(second(other.cookie, answer(device, late))).rejects.toMatchObject(invalid);
    await second(other.cookie, answer(device, await askForSecondStep(ports, other.cookie)));
  });

  it('is refused if it is that of another person, also of one with the same at another customer', async () => {
    const theirs = newDevice();
    await add(theirs, { who: await newPerson('bert@example.com') });
    const elsewhere = await newPerson('carl@example.com', await newCustomer());
    const away = newDevice();
    await add(away, { who: elsewhere });
    for (const [each, conduct] of [
      [theirs, {}],
      [away, {}],
      [away, { handle: userHandle(elsewhere.user) }],
      [theirs, { credentialId: device.credentialId }],
    ] as const) {
      const { cookie } = await password();
      const given = answer(each, await askForSecondStep(ports, cookie), conduct);
      await expect(second(cookie, given)).rejects.toMatchObject(invalid);
    }
  });

  it('is refused if its counter went back, which is recorded', async () => {
    const { cookie } = await password();
    await second(cookie, answer(device, await askForSecondStep(ports, cookie), { counter: 9 }));
    for (const counter of [9, 8, 0]) {
      ports.clock.pass(60_000);
      const again = await password();
      const given = answer(device, await askForSecondStep(ports, again.cookie), { counter });
      await expect(second(again.cookie, given)).rejects.toMatchObject(invalid);
    }
    expect((await actions()).filter((action) => action === 'user.passkey_refused')).toHaveLength(3);
    expect(await passkeys()).toMatchObject([{ counter: 9 }]);
    const plain = newDevice(0);
    await add(plain);
    for (let times = 0; times < 2; times += 1) {
      ports.clock.pass(60_000);
      const sought = await password();
      await second(sought.cookie, answer(plain, await askForSecondStep(ports, sought.cookie)));
    }
  });

  it(`is refused after ${PENDING_TRIES} wrong answers, as after wrong codes`, async () => {
    const { cookie } = await password();
    const wrong = async () =>
      second(cookie, answer(newDevice(), await askForSecondStep(ports, cookie), { credentialId: device.credentialId }));
    for (let tries = 1; tries < PENDING_TRIES; tries += 1) await expect(wrong()).rejects.toMatchObject(invalid);
    await expect(wrong()).rejects.toMatchObject(unauthorized);
    await expect(askForSecondStep(ports, cookie)).rejects.toMatchObject({ code: 'not_found' });
    expect(await actions()).toContain('user.sign_in_refused');
  });

  it('is not replaced by a link, unless the operator created it for a person who lost everything', async () => {
    const enter = async (withoutFactors: boolean) => {
      const { link } = await issueLink(ports, operatorFor(customerId), person.user.id, { withoutFactors });
      const arrival = { token: link.split('/').at(-1) ?? '', email: '', password: PASSWORD, browser: newBrowser() };
      return (await signInByLink(ports, arrival)).isPending;
    };
    expect([await enter(false), (await passkeys()).length]).toEqual([true, 1]);
    expect([await enter(true), await passkeys(), await codesLeft()]).toEqual([false, [], 0]);
  });

  it('is requested again instead of the password, also for a new one', async () => {
    await expect(confirmIdentity(ports, person, PASSWORD)).rejects.toMatchObject(invalid);
    const given = answer(device, await askAgain(ports, person));
    await confirmIdentity(ports, person, given);
    await expect(confirmIdentity(ports, person, given)).rejects.toMatchObject(invalid);
    const session = { ...person.session, byLink: false };
    const change = (current: Parameters<typeof changePassword>[2]['current']) =>
      changePassword(ports, session, { current, password: 'quite another one' }, HOME);
    await expect(change(PASSWORD)).rejects.toMatchObject(invalid);
    await change(answer(device, await askAgain(ports, person)));
  });

  it('does not replace the password of a person who has none', async () => {
    const bert = await newPerson('bert@example.com');
    await expect(askAgain(ports, bert)).rejects.toMatchObject({ code: 'not_found' });
    const given = answer(device, await askAgain(ports, person));
    await expect(confirmIdentity(ports, bert, given)).rejects.toMatchObject(invalid);
  });

  it('satisfies the requirement for owners, and can be removed, but then not the last one', async () => {
    const [{ id = 0 } = {}] = await passkeys();
    await requireFactors(ports, person, '2020-01-01', HOME);
    const remove = async () =>
      removeFactor(ports, person, { kind: 'passkey', id, code: answer(device, await askAgain(ports, person)) }, HOME);
    await expect(remove()).rejects.toMatchObject({ details: { errors: [{ code: 'conflict' }] } });
    await requireFactors(ports, person, '', HOME);
    const app = { kind: 'app', id, code: answer(device, await askAgain(ports, person)) } as const;
    await expect(removeFactor(ports, person, app, HOME)).rejects.toMatchObject({ code: 'not_found' });
    await remove();
    expect([await passkeys(), await codesLeft(), (await actions())[0]]).toEqual([[], 0, 'user.factor_removed']);
    expect((await password()).isPending).toBe(false);
  });
});

describe('a passkey instead of the password', () => {
  let device: SoftwareAuthenticator;
  beforeEach(async () => {
    device = newDevice();
    await add(device, { alone: true });
  });

  it('signs its person in, once for each challenge', async () => {
    const asked = askToSignIn(ports);
    expect(asked).toMatchObject({ credentialIds: [], alone: true });
    const given = answer(device, asked);
    const signed = await alone(given);
    expect(signed).toMatchObject({ user: { id: person.user.id, lastSignInAt: ports.clock.now() }, hasFactor: true });
    expect((await actions())[0]).toBe('user.signed_in');
    await expect(alone(given)).rejects.toMatchObject(unauthorized);
    expect(await actions()).toContain('user.sign_in_refused');
  });

  it.each<[string, Conduct]>([
    ['a device that did not check the person', { verifiesUser: false }],
    ['another origin', { origin: 'https://evil.example' }],
    ['another site', { siteId: 'evil.example' }],
    ['an unknown passkey', { credentialId: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['a person who does not exist', { handle: '1.999' }],
    ['a customer who does not exist', { handle: '999.1' }],
    ['nobody', { handle: null }],
    ['a handle that is none', { handle: '1.1.1' }],
    ['a counter that went back', { counter: 0 }],
  ])('is refused with the same message if it is %s', async (_, conduct) => {
    const given = answer(device, askToSignIn(ports), conduct);
    await expect(alone(given)).rejects.toMatchObject({
      ...unauthorized,
      message: 'This passkey was not accepted. Try again, or sign in with your password.',
    });
  });

  it('is refused if it was not created for that, and for challenges of other purposes and times', async () => {
    const factor = newDevice();
    await add(factor);
    await expect(alone(answer(factor, askToSignIn(ports)))).rejects.toMatchObject(unauthorized);
    const { cookie } = await password();
    for (const asked of [await askAgain(ports, person), await askForSecondStep(ports, cookie)]) {
      await expect(alone(answer(device, asked))).rejects.toMatchObject(unauthorized);
    }
    const late = askToSignIn(ports);
    ports.clock.pass(CHALLENGE_MS);
    await expect(alone(answer(device, late))).rejects.toMatchObject(unauthorized);
  });

  it('is limited to a number of attempts per source', async () => {
    const wrong = () => alone(answer(device, askToSignIn(ports), { origin: 'https://evil.example' }));
    for (let tries = 0; tries < 20; tries += 1) await expect(wrong()).rejects.toMatchObject(unauthorized);
    await expect(alone(answer(device, askToSignIn(ports)))).rejects.toMatchObject({ code: 'rate_limited' });
    ports.clock.pass(60_000);
    await alone(answer(device, askToSignIn(ports)));
  });

  it('opens nothing of an account that is being closed', async () => {
    await ports.store.transaction(customerId, async ({ customer }) => {
      await customer.update({ ...(await customer.lock()), status: 'closing' });
    });
    await expect(alone(answer(device, askToSignIn(ports)))).rejects.toMatchObject(unauthorized);
  });
});
