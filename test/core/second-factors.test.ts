import { TOTP, URI } from 'otpauth';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { resealSecrets } from '../../src/core/customers/reseal.js';
import type { Id } from '../../src/core/shared/ids.js';
import { signToken } from '../../src/core/shared/secrets.js';
import { newDevice } from '../../src/core/users/admission.js';
import { addFactor, startEnrolment } from '../../src/core/users/factors/add.js';
import { confirmIdentity } from '../../src/core/users/factors/confirm-identity.js';
import { codeAt } from '../../src/core/users/factors/one-time-code.js';
import { removeFactor, renewRecoveryCodes } from '../../src/core/users/factors/own-factors.js';
import { factorSecrets, mustAddFactor, requireFactors } from '../../src/core/users/factors/policy.js';
import {
  MAX_FACTORS,
  newPendingCookie,
  PENDING_MS,
  PENDING_TRIES,
  readPendingCookie,
  WRONG_CODES,
} from '../../src/core/users/factors/second-factor.js';
import { changePassword } from '../../src/core/users/people/new-password.js';
import { inviteUser, issueLink } from '../../src/core/users/people/one-time-link.js';
import { findSession, type KnownSession } from '../../src/core/users/session.js';
import { signInByLink } from '../../src/core/users/sign-in/by-link.js';
import { signInByPassword } from '../../src/core/users/sign-in/by-password.js';
import { finishSignIn } from '../../src/core/users/sign-in/second-step.js';
import { type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

const PASSWORD = 'five calm words of mine';
const EMAIL = 'anna@example.com';
const HOME = '192.0.2.1';
const ELSEWHERE = '203.0.113.77';

let ports: World;
let customerId: Id;
let person: KnownSession;
let browsers = 0;

beforeEach(async () => {
  ports = world();
  const request = { name: 'Studio North', storageBytesLimit: null, photosLimit: null };
  customerId = (await createCustomer(ports, commandLine, request)).id;
  const { link } = await inviteUser(ports, operatorFor(customerId), { email: EMAIL, role: 'owner' });
  const browser = newBrowser(HOME);
  await signInByLink(ports, { token: tokenOf(link), email: '', password: PASSWORD, browser });
  person = present(await findSession(ports, browser.token));
});

const tokenOf = (link: string) => link.split('/').at(-1) ?? '';
const newBrowser = (address: string) => {
  browsers += 1;
  return { token: `a browser no ${browsers}`, address, namedAddress: address, userAgent: 'a browser' };
};
/** As an authenticator app reads the QR code: an implementation that is not ours. */
const appFor = (uri: string) => {
  const totp = URI.parse(uri) as TOTP;
  return { totp, code: (steps = 0) => totp.generate({ timestamp: ports.clock.now().getTime() + steps * 30_000 }) };
};
type App = ReturnType<typeof appFor>;
/** No code of this app for a while. */
const wrongFor = (app: App) => {
  const valid = [-2, -1, 0, 1, 2].map((steps) => app.code(steps));
  return present(['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !valid.includes(code)));
};

async function add(name = 'Phone'): Promise<{ app: App; codes: readonly string[] | null }> {
  const { uri, sealed } = startEnrolment(ports, person);
  const app = appFor(uri);
  const codes = await addFactor(ports, person, { name, code: app.code(), sealed }, HOME);
  person = { ...person, hasFactor: true };
  // The code that was used is over.
  ports.clock.pass(60_000);
  return { app, codes };
}

async function password(address = HOME, device: string | null = null) {
  const browser = newBrowser(address);
  const result = await signInByPassword(ports, { email: EMAIL, password: PASSWORD, browser, device });
  return {
    ...result,
    browser,
    cookie: newPendingCookie(ports.secrets, { customerId, token: browser.token, role: null }),
  };
}
const second = async (cookie: string, code: string, address = HOME) => {
  const browser = newBrowser(address);
  await finishSignIn(ports, { cookie, code, browser });
  return present(await findSession(ports, browser.token));
};
const actions = async () => {
  const all = { actions: null, name: null, from: null, until: null };
  const entries = await ports.store.query(customerId, ({ audit }) => audit.list(null, 100, all));
  return entries.map(({ action }) => action);
};
const codesLeft = () => ports.store.query(customerId, ({ factors }) => factors.countRecoveryCodes(person.user.id));

test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('the code at %d seconds is that of RFC 6238, appendix B', (seconds, code) => {
  expect(codeAt('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', Math.floor(seconds / 30))).toBe(code);
});

describe('adding an authenticator app', () => {
  it('needs its code, stores the secret encrypted, and creates ten recovery codes the first time', async () => {
    const { secret, uri, sealed } = startEnrolment(ports, person);
    const { totp } = appFor(uri);
    expect([totp.secret.base32, totp.issuer, totp.label]).toEqual([secret, 'Photo Service', `${EMAIL} (Studio North)`]);
    const wrong = addFactor(ports, person, { name: 'Phone', code: wrongFor(appFor(uri)), sealed }, HOME);
    await expect(wrong).rejects.toMatchObject({ details: { errors: [{ field: 'code' }] } });
    expect((await password()).isPending).toBe(false);
    expect(startEnrolment(ports, person, sealed).secret).toBe(secret);
    const codes = await addFactor(
      ports,
      person,
      { name: ' Phone ', code: totp.generate({ timestamp: ports.clock.now().getTime() }), sealed },
      HOME,
    );
    expect(new Set(codes).size).toBe(10);
    expect(present(codes)[0]).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    const [app] = await ports.store.query(customerId, ({ factors }) => factors.appsOf(person.user.id));
    expect(app).toMatchObject({ name: 'Phone', createdAt: ports.clock.now() });
    expect(JSON.stringify([app, await actions()])).not.toContain(secret);
    expect((await add('Tablet')).codes).toBeNull();
    expect((await actions()).filter((action) => action === 'user.factor_added')).toHaveLength(2);
  });

  it('signs every other browser out, and ends sign-ins that wait for a code', async () => {
    const { browser: other } = await password();
    await add();
    expect(await findSession(ports, other.token)).toBeNull();
    const { cookie } = await password();
    const { app } = await add('Tablet');
    await expect(second(cookie, app.code())).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('accepts a setup that was started by the same person, within the hour', async () => {
    const { uri, sealed } = startEnrolment(ports, person);
    const stranger = { ...person, user: { ...person.user, id: 999 } };
    const given = () => ({ name: 'Phone', code: appFor(uri).code(), sealed });
    await expect(addFactor(ports, stranger, given(), HOME)).rejects.toMatchObject({ code: 'invalid_request' });
    ports.clock.pass(3600 * 1000);
    await expect(addFactor(ports, person, given(), HOME)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it(`is limited to ${MAX_FACTORS}, and needs a name`, async () => {
    for (let number = 0; number < MAX_FACTORS; number += 1) await add(`App ${number}`);
    await expect(add()).rejects.toMatchObject({ code: 'limit_reached' });
    await expect(add(' ')).rejects.toMatchObject({ details: { errors: [{ field: 'name', code: 'required' }] } });
  });
});

describe('signing in with a second factor', () => {
  let app: App;
  let codes: readonly string[];
  beforeEach(async () => {
    const added = await add();
    app = added.app;
    codes = present(added.codes);
  });

  it('requires the code after the password, which alone opens nothing', async () => {
    const { isPending, browser, cookie } = await password();
    expect([isPending, await findSession(ports, browser.token)]).toEqual([true, null]);
    const signed = await second(cookie, ` ${app.code().slice(0, 3)} ${app.code().slice(3)} `);
    expect(signed).toMatchObject({ user: { id: person.user.id, lastSignInAt: ports.clock.now() }, hasFactor: true });
    expect((await actions())[0]).toBe('user.signed_in');
    await expect(second(cookie, app.code(1))).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('accepts a code once, and none from before it; clocks may differ by half a minute', async () => {
    await second((await password()).cookie, app.code(1));
    const { cookie } = await password();
    for (const steps of [1, 0, -1]) {
      await expect(second(cookie, app.code(steps))).rejects.toMatchObject({ code: 'invalid_request' });
    }
    ports.clock.pass(60_000);
    await second(cookie, app.code(-0));
  });

  it('signs in one of two who send the same code at once', async () => {
    const [one, two] = [await password(), await password()];
    const both = await Promise.allSettled([one, two].map(({ cookie }) => second(cookie, app.code())));
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('accepts a recovery code once, however it is typed, and a new set replaces it', async () => {
    const [first = '', other = ''] = codes;
    await second((await password()).cookie, first.toLowerCase().replaceAll('-', ' '));
    expect([(await actions()).includes('user.recovery_code_used'), await codesLeft()]).toEqual([true, 9]);
    const { cookie } = await password();
    await expect(second(cookie, first)).rejects.toMatchObject({ code: 'invalid_request' });
    const renewed = await renewRecoveryCodes(ports, person, HOME);
    await expect(second(cookie, other)).rejects.toMatchObject({ code: 'invalid_request' });
    await second(cookie, present(renewed[0]));
    expect(await codesLeft()).toBe(9);
  });

  it(`ends after ${PENDING_TRIES} wrong codes, or ten minutes`, async () => {
    const { cookie } = await password();
    const wrong = wrongFor(app);
    for (let tries = 1; tries < PENDING_TRIES; tries += 1) {
      await expect(second(cookie, wrong)).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await expect(second(cookie, wrong)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(second(cookie, app.code())).rejects.toMatchObject({ code: 'unauthorized' });
    const late = await password();
    ports.clock.pass(PENDING_MS);
    await expect(second(late.cookie, app.code())).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(second('forged', app.code())).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await actions()).toContain('user.sign_in_refused');
  });

  it('counts guesses of strangers over all sign-ins, which does not lock out known browsers or recovery codes', async () => {
    for (let guess = 0; guess < WRONG_CODES; guess += 1) {
      ports.clock.pass(60_000);
      const { cookie } = await password(ELSEWHERE);
      await expect(second(cookie, wrongFor(app), ELSEWHERE)).rejects.toMatchObject({ code: 'invalid_request' });
    }
    ports.clock.pass(60_000);
    const { cookie } = await password(ELSEWHERE);
    await expect(second(cookie, app.code(), ELSEWHERE)).rejects.toMatchObject({ code: 'rate_limited' });
    await second(cookie, present(codes[0]), ELSEWHERE);
    ports.clock.pass(60_000);
    const known = await password('198.51.100.9', newDevice(ports, EMAIL));
    await second(known.cookie, app.code(), '198.51.100.9');
    ports.clock.pass(24 * 3600 * 1000);
    await second((await password('198.51.100.200')).cookie, app.code());
  });

  it('is not replaced by a link, which sets a password only', async () => {
    const { link } = await issueLink(ports, operatorFor(customerId), person.user.id);
    const browser = newBrowser(ELSEWHERE);
    const result = await signInByLink(ports, {
      token: tokenOf(link),
      email: '',
      password: 'quite another one',
      browser,
    });
    expect([result.isPending, await findSession(ports, browser.token)]).toEqual([true, null]);
    const signed = await second(
      newPendingCookie(ports.secrets, { customerId, token: browser.token, role: null }),
      app.code(),
    );
    expect(signed.session.byLink).toBe(true);
  });

  it('is replaced by a link of the operator for a person who lost the device', async () => {
    const { link } = await issueLink(ports, operatorFor(customerId), person.user.id, { withoutFactors: true });
    expect((await password()).isPending).toBe(true);
    const browser = newBrowser(ELSEWHERE);
    const result = await signInByLink(ports, { token: tokenOf(link), email: '', password: PASSWORD, browser });
    expect([result.isPending, result.user.linkDropsFactors, await codesLeft()]).toEqual([false, false, 0]);
    expect(await findSession(ports, browser.token)).toMatchObject({ hasFactor: false });
    expect((await actions()).slice(0, 3)).toEqual(['user.link_used', 'user.factor_removed', 'user.linked']);
  });

  it('starts again when the password has changed', async () => {
    const { cookie } = await password();
    await changePassword(ports, person.session, { current: PASSWORD, password: 'quite another one' }, HOME);
    await expect(second(cookie, app.code())).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('is required for a new password, because a session may have been stolen with the password', async () => {
    const change = (current: string) =>
      changePassword(ports, { ...person.session, byLink: false }, { current, password: 'quite another one' }, HOME);
    for (const current of [PASSWORD, wrongFor(app)]) {
      await expect(change(current)).rejects.toMatchObject({ details: { errors: [{ field: 'current' }] } });
    }
    await change(app.code());
    await expect(password()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('confirms the person again instead of the password', async () => {
    await expect(confirmIdentity(ports, person, PASSWORD)).rejects.toMatchObject({ code: 'invalid_request' });
    const code = app.code();
    await confirmIdentity(ports, person, code);
    await expect(confirmIdentity(ports, person, code)).rejects.toMatchObject({ code: 'invalid_request' });
    await confirmIdentity(ports, person, present(codes[0]));
  });

  it('can be removed with a code only, and the last one with the recovery codes', async () => {
    const [{ id = 0 } = {}] = await ports.store.query(customerId, ({ factors }) => factors.appsOf(person.user.id));
    const { browser: other, cookie } = await password();
    await second(cookie, present(codes[0]));
    for (const code of ['', PASSWORD, wrongFor(app)]) {
      const refused = removeFactor(ports, person, { kind: 'app', id, code }, HOME);
      await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await expect(removeFactor(ports, person, { kind: 'app', id: 999, code: app.code() }, HOME)).rejects.toMatchObject({
      code: 'not_found',
    });
    ports.clock.pass(60_000);
    await removeFactor(ports, person, { kind: 'app', id, code: app.code() }, HOME);
    expect([await codesLeft(), (await password()).isPending, (await actions())[1]]).toEqual([
      0,
      false,
      'user.factor_removed',
    ]);
    expect(await findSession(ports, other.token)).toBeNull();
    await expect(renewRecoveryCodes(ports, person, HOME)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('survives a rotation of SECRET_KEY, but not its loss', async () => {
    const rotated = { ...ports, secrets: ['a newer secret of the tests, long enough', ...ports.secrets] as const };
    await resealSecrets(rotated, [factorSecrets]);
    const newest = { ...ports, secrets: [rotated.secrets[0]] as const };
    const resealed = { ...person };
    await confirmIdentity(newest, resealed, app.code());
    await expect(confirmIdentity(ports, person, app.code(1))).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a second factor that is required of everyone', () => {
  const requireFrom = (day: string) => requireFactors(ports, person, day, HOME);

  it('can be required by a person who has one, from a day in the time zone of the account', async () => {
    await expect(requireFrom('2030-01-31')).rejects.toMatchObject({ details: { errors: [{ code: 'conflict' }] } });
    await add();
    for (const day of ['soon', '2030-02-31', '2030-1-1']) {
      await expect(requireFrom(day)).rejects.toMatchObject({ details: { errors: [{ code: 'invalid_format' }] } });
    }
    const { version } = await requireFrom('2030-01-31');
    expect((await requireFrom('2030-01-31')).version).toBe(version);
    const without = { ...person, hasFactor: false, customer: await requireFrom('2030-01-31') };
    const start = Date.parse('2030-01-31T00:00:00Z');
    expect([-1, 0].map((later) => mustAddFactor(without, new Date(start + later)))).toEqual([false, true]);
    expect(mustAddFactor({ ...without, hasFactor: true }, new Date(start))).toBe(false);
    expect((await requireFrom('')).factorsRequiredFrom).toBeNull();
    expect((await actions()).filter((action) => action === 'customer.edited')).toHaveLength(2);
  });

  it('prevents the removal of the last one', async () => {
    const [phone, tablet] = [(await add()).app, (await add('Tablet')).app];
    const apps = await ports.store.query(customerId, ({ factors }) => factors.appsOf(person.user.id));
    const [one, two] = apps.map(({ id }) => id);
    await requireFrom('2020-01-01');
    await removeFactor(ports, person, { kind: 'app', id: present(one), code: phone.code() }, HOME);
    const last = removeFactor(ports, person, { kind: 'app', id: present(two), code: tablet.code() }, HOME);
    await expect(last).rejects.toMatchObject({ details: { errors: [{ code: 'conflict' }] } });
    expect(await codesLeft()).toBe(10);
    await requireFrom('');
    ports.clock.pass(60_000);
    await removeFactor(ports, person, { kind: 'app', id: present(two), code: tablet.code() }, HOME);
    expect((await password()).isPending).toBe(false);
  });
});

it('a cookie of a form that this version does not write waits for no code, although it is signed', () => {
  const secrets = ['a secret'] as const;
  expect(readPendingCookie(secrets, signToken(secrets, 'pending', { c: 1, t: 'a token' }))).toBeNull();
});
