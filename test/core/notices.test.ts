import { issueOwnKey } from '../../src/core/access/keys.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { DAY, HOUR } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { newDevice } from '../../src/core/users/admission.js';
import { addFactor, startEnrolment } from '../../src/core/users/factors/add.js';
import { codeAt } from '../../src/core/users/factors/one-time-code.js';
import { removeFactor, renewRecoveryCodes } from '../../src/core/users/factors/own-factors.js';
import { newPendingCookie } from '../../src/core/users/factors/second-factor.js';
import { confirmEmail, peekEmailChange, requestEmailChange } from '../../src/core/users/people/email.js';
import { changePassword } from '../../src/core/users/people/new-password.js';
import { inviteUser, issueLink } from '../../src/core/users/people/one-time-link.js';
import { findSession, type KnownSession } from '../../src/core/users/session.js';
import { signInByLink } from '../../src/core/users/sign-in/by-link.js';
import { signInByPassword } from '../../src/core/users/sign-in/by-password.js';
import { finishSignIn } from '../../src/core/users/sign-in/second-step.js';
import { userActor } from '../../src/core/users/user.js';
import { runJob } from '../../src/worker/pools.js';
import { MemoryMailer } from '../../testing/memory/memory-mailer.js';
import { claimJob } from '../support/claim.js';
import { type World, world } from '../support/core-world.js';
import { present } from '../support/tenant.js';

const PASSWORD = 'five calm words of mine';
const EMAIL = 'anna@example.com';
const HOME = '192.0.2.1';
const ELSEWHERE = '193.0.6.139';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';

let mailer: MemoryMailer;
let ports: World;
let customerId: Id;
let person: KnownSession;
let browsers: number;
let seen: number;

beforeEach(async () => {
  [browsers, seen] = [0, 0];
  mailer = new MemoryMailer();
  ports = { ...world(), mailer };
  const request = { name: 'Studio North', storageBytesLimit: null, photosLimit: null };
  customerId = (await createCustomer(ports, commandLine, request)).id;
  await join('olga@example.com');
  person = await join(EMAIL);
  await arrived();
});

const tokenOf = (link: string) => link.split('/').at(-1) ?? '';
const newBrowser = (address: string) => {
  browsers += 1;
  return { token: `a browser no ${browsers}`, address, namedAddress: address, userAgent: FIREFOX };
};

async function join(email: string): Promise<KnownSession> {
  const { link } = await inviteUser(ports, operatorFor(customerId), { email, role: 'owner' });
  const browser = newBrowser(HOME);
  await signInByLink(ports, { token: tokenOf(link), email: '', password: PASSWORD, browser });
  return present(await findSession(ports, browser.token));
}

/** The mails that came since the last call: recipient, template and values. */
async function arrived() {
  for (let job = await claimJob(ports.jobs, 60); job !== null; job = await claimJob(ports.jobs, 60)) {
    await runJob(ports, job);
    await ports.jobs.complete(job);
  }
  const mails = mailer.sent.slice(seen).map(({ mail }) => mail);
  seen = mailer.sent.length;
  return mails;
}
const templates = async () => (await arrived()).map(({ to, template }) => `${to.address} ${template}`);
const attempt = (address: string, device: string | null = null) => {
  const browser = newBrowser(address);
  return signInByPassword(ports, { email: EMAIL, password: PASSWORD, browser, device }).then((result) => ({
    ...result,
    browser,
  }));
};
const secretOf = (uri: string) => new URL(uri).searchParams.get('secret') ?? '';

async function addApp(): Promise<string> {
  const { uri, sealed } = startEnrolment(ports, person);
  const secret = secretOf(uri);
  await addFactor(ports, person, { name: 'Phone', code: nextCode(secret), sealed }, HOME);
  person = { ...person, hasFactor: true };
  return secret;
}
/** Of a time step that none before had. */
function nextCode(secret: string): string {
  ports.clock.pass(60_000);
  return codeAt(secret, Math.floor(ports.clock.now().getTime() / 30_000));
}

describe('a sign-in', () => {
  it('from an unknown place sends a notice with time, place, browser and whom to contact', async () => {
    await attempt(ELSEWHERE);
    expect(await arrived()).toEqual([
      {
        to: { userId: person.user.id, address: EMAIL },
        template: 'new_sign_in',
        values: {
          account: 'Studio North',
          timeZone: 'UTC',
          at: '2026-11-21T12:00:00.000Z',
          source: ELSEWHERE,
          country: 'NL',
          hasPassword: true,
          browser: 'Firefox on Linux',
          owners: ['olga@example.com'],
          home: 'https://photos.example.com/settings',
        },
      },
    ]);
  });

  it('from a known address, or in a known browser, sends no notice', async () => {
    await attempt(HOME);
    await attempt(ELSEWHERE, newDevice(ports, EMAIL));
    expect(await templates()).toEqual([]);
  });

  it('that is refused sends no notice, so that guessing fills no mailbox', async () => {
    const credentials = { email: EMAIL, password: 'wrong', browser: newBrowser(ELSEWHERE), device: null };
    await expect(signInByPassword(ports, credentials)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await templates()).toEqual([]);
  });

  it('with a second factor sends a notice once it is complete', async () => {
    const secret = await addApp();
    await arrived();
    for (const [address, expected] of [
      [ELSEWHERE, [`${EMAIL} new_sign_in`]],
      [HOME, []],
    ] as const) {
      const { browser } = await attempt(address);
      expect(await templates()).toEqual([]);
      const cookie = newPendingCookie(ports.secrets, { customerId, token: browser.token, role: null });
      await finishSignIn(ports, { cookie, code: nextCode(secret), browser: newBrowser(address) });
      expect(await templates()).toEqual(expected);
    }
  });
});

it('a new password sends a notice, whether it was changed or set with a link', async () => {
  await changePassword(ports, person.session, { current: '', password: 'quite another password' }, HOME);
  expect(await templates()).toEqual([`${EMAIL} password_changed`]);
  const { link } = await issueLink(ports, operatorFor(customerId), person.user.id);
  await signInByLink(ports, { token: tokenOf(link), email: '', password: PASSWORD, browser: newBrowser(ELSEWHERE) });
  expect(await templates()).toEqual([`${EMAIL} new_link`, `${EMAIL} password_changed`]);
});

it('second factors that are added and removed send a notice', async () => {
  const secret = await addApp();
  const [added] = await arrived();
  expect(added).toMatchObject({ template: 'factor_added', values: { name: 'Phone', browser: 'Firefox on Linux' } });
  const [app] = await ports.store.query(customerId, ({ factors }) => factors.appsOf(person.user.id));
  await removeFactor(ports, person, { kind: 'app', id: app?.id ?? 0, code: nextCode(secret) }, HOME);
  expect(await templates()).toEqual([`${EMAIL} factor_removed`]);
});

it('new recovery codes, and a removal of second factors by a link of the operator, send a notice', async () => {
  await addApp();
  await arrived();
  await renewRecoveryCodes(ports, person, HOME);
  const [renewed] = await arrived();
  expect(renewed).toMatchObject({
    template: 'recovery_codes_created',
    to: { address: EMAIL },
    values: { source: HOME },
  });
  const { link } = await issueLink(ports, operatorFor(customerId), person.user.id, { withoutFactors: true });
  await signInByLink(ports, { token: tokenOf(link), email: '', password: PASSWORD, browser: newBrowser(ELSEWHERE) });
  expect((await templates()).sort()).toEqual([`${EMAIL} factor_removed`, `${EMAIL} password_changed`]);
});

describe('a new API key', () => {
  const key = { name: 'Importer', scopes: ['all'], ipList: [], readLimit: null, writeLimit: null, expiresAt: null };

  it('sends a notice to the person in whose name it was created', async () => {
    await issueOwnKey(ports, { customerId, actor: userActor(person.user, HOME) }, key, null);
    const [mail] = await arrived();
    expect(mail).toMatchObject({
      to: { address: EMAIL },
      template: 'api_key_created',
      values: { name: 'Importer', source: HOME },
    });
  });

  it('that is refused, or that the operator creates, sends no notice', async () => {
    const actor = userActor(person.user, HOME);
    await expect(issueOwnKey(ports, { customerId, actor }, { ...key, scopes: [] }, null)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await issueOwnKey(ports, operatorFor(customerId), key, null);
    expect(await templates()).toEqual([]);
  });
});

describe('a new address of a person', () => {
  const NEW = 'anna@new.example';
  const actor = () => ({ customerId, actor: userActor(person.user, HOME) });
  const request = (email = NEW, uses: World = ports) => requestEmailChange(uses, actor(), person, email);
  const current = async () => (await ports.store.query(customerId, ({ users }) => users.get(person.user.id)))?.email;
  const confirm = (token: string) =>
    confirmEmail(ports, token, { address: ELSEWHERE, namedAddress: ELSEWHERE, userAgent: FIREFOX });
  async function requested(email = NEW): Promise<string> {
    expect(await request(email)).toBe('requested');
    const mail = (await arrived()).find(({ template }) => template === 'email_confirmation');
    return tokenOf(mail && 'link' in mail.values ? mail.values.link : '');
  }

  it('takes effect once the link that was mailed there is confirmed, with notices to the old one before and after', async () => {
    expect(await request(' Anna@NEW.example ')).toBe('requested');
    const mails = await arrived();
    expect(mails.map(({ to, template }) => `${to.address} ${template}`)).toEqual([
      `${NEW} email_confirmation`,
      `${EMAIL} email_change_requested`,
    ]);
    expect(mails[1]?.values).toMatchObject({ email: NEW, owners: ['olga@example.com'], source: HOME });
    const token = tokenOf(mails[0] && 'link' in mails[0].values ? mails[0].values.link : '');
    expect(await peekEmailChange(ports, token)).toMatchObject({ email: NEW, user: { id: person.user.id } });
    expect(await current()).toBe(EMAIL);
    expect(await confirm(token)).toMatchObject({ email: NEW });
    expect(await current()).toBe(NEW);
    expect(await templates()).toEqual([`${EMAIL} email_changed`]);
    await expect(confirm(token)).rejects.toMatchObject({ code: 'url_forbidden' });
  });

  it('is set at once where no mail server is configured, or when it is the same', async () => {
    expect(await request(EMAIL)).toBe('changed');
    expect(await request(NEW, { ...ports, mailer: null })).toBe('changed');
    expect([await current(), await templates()]).toEqual([NEW, []]);
  });

  it('is not confirmed after a day, nor after a new password', async () => {
    const late = await requested();
    ports.clock.pass(DAY);
    await expect(confirm(late)).rejects.toMatchObject({ code: 'url_forbidden' });
    const token = await requested();
    const { link } = await issueLink(ports, operatorFor(customerId), person.user.id);
    await signInByLink(ports, {
      token: tokenOf(link),
      email: '',
      password: 'a third password',
      browser: newBrowser(HOME),
    });
    expect(await peekEmailChange(ports, token)).toBeNull();
    await expect(confirm(token)).rejects.toMatchObject({ code: 'url_forbidden' });
    expect(await current()).toBe(EMAIL);
  });

  it('is not confirmed after the address was changed in between, even if it is the same again', async () => {
    const token = await requested();
    ports.clock.pass(1000);
    const withoutMail = { ...ports, mailer: null };
    await request('anna@third.example', withoutMail);
    await request(EMAIL, withoutMail);
    expect(await current()).toBe(EMAIL);
    expect(await peekEmailChange(ports, token)).toBeNull();
    await expect(confirm(token)).rejects.toMatchObject({ code: 'url_forbidden' });
    ports.clock.pass(1000);
    expect(await confirm(await requested())).toMatchObject({ email: NEW });
  });

  it('cannot be one that another person of the account has, or has got meanwhile', async () => {
    await expect(request('olga@example.com')).rejects.toMatchObject({
      details: { errors: [{ field: 'email', code: 'conflict' }] },
    });
    const token = await requested();
    await join(NEW);
    await expect(confirm(token)).rejects.toMatchObject({ details: { errors: [{ field: 'email', code: 'conflict' }] } });
    expect(await current()).toBe(EMAIL);
  });

  it('is not confirmed by a link for a password, nor the other way round', async () => {
    const token = await requested();
    const browser = newBrowser(HOME);
    const entering = signInByLink(ports, { token, email: '', password: 'a third password', browser });
    await expect(entering).rejects.toMatchObject({ code: 'url_forbidden' });
    const { link } = await issueLink(ports, operatorFor(customerId), person.user.id);
    await expect(confirm(tokenOf(link))).rejects.toMatchObject({ code: 'url_forbidden' });
  });

  it('can be requested five times in an hour', async () => {
    for (let time = 0; time < 5; time += 1) await request(`anna.${time}@new.example`);
    await expect(request()).rejects.toMatchObject({ code: 'rate_limited' });
    ports.clock.pass(HOUR + 1);
    expect(await request()).toBe('requested');
  });
});
