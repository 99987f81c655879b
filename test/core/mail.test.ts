import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { type Job, type JobWork, MAX_ATTEMPTS, MAX_FAILURES } from '../../src/core/jobs/job.js';
import { MAIL_MS, queueMail } from '../../src/core/mail/send-mail.js';
import { HOUR } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import {
  inviteFirstOwner,
  inviteUser,
  issueLink,
  LINK_MAILS_PER_CUSTOMER,
} from '../../src/core/users/people/one-time-link.js';
import { signInByLink } from '../../src/core/users/sign-in/by-link.js';
import { type EndedMail, runJob } from '../../src/worker/pools.js';
import { MemoryMailer } from '../../testing/memory/memory-mailer.js';
import { claimJob } from '../support/claim.js';
import { type World, world } from '../support/core-world.js';
import { sampleMails } from '../support/sample-mails.js';
import { present } from '../support/tenant.js';

let mailer: MemoryMailer;
let ports: World;
let customerId: Id;

beforeEach(async () => {
  mailer = new MemoryMailer();
  ports = { ...world(), mailer };
  customerId = (
    await createCustomer(ports, commandLine, { name: 'Studio North', storageBytesLimit: null, photosLimit: null })
  ).id;
});

const queue = (uses: Pick<World, 'mailer' | 'secrets'> = ports) =>
  ports.store.transaction(customerId, (transaction) =>
    queueMail(uses, transaction, sampleMails.recovery, ports.clock.now()),
  );
const claimed = async () => present(await claimJob(ports.jobs, 60));
async function run(job: Job, uses: World = ports): Promise<EndedMail['outcome'] | undefined> {
  const ended: EndedMail[] = [];
  await runJob(uses, job, (mail) => ended.push(mail));
  return ended[0]?.outcome;
}
async function sendAll(): Promise<void> {
  for (let job = await claimJob(ports.jobs, 60); job !== null; job = await claimJob(ports.jobs, 60)) {
    await runJob(ports, job);
    await ports.jobs.complete(job);
  }
}

describe('a mail', () => {
  it('is sent if its cause is committed, and not otherwise', async () => {
    const failing = ports.store.transaction(customerId, async (transaction) => {
      await queueMail(ports, transaction, sampleMails.recovery, ports.clock.now());
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await claimJob(ports.jobs, 60)).toBeNull();
    await queue();
    expect(await run(await claimed())).toBe('sent');
    expect(mailer.sent).toEqual([{ id: expect.any(String), mail: sampleMails.recovery, at: ports.clock.now() }]);
  });

  it('is not queued where no server is configured', async () => {
    await queue({ ...ports, mailer: null });
    expect(await claimJob(ports.jobs, 60)).toBeNull();
  });

  it('is encrypted in the queue, except for the fields that may be logged', async () => {
    await queue();
    const { work } = await claimed();
    expect(work).toEqual({
      kind: 'mail',
      id: expect.any(String),
      template: 'recovery',
      userId: 7,
      sealed: expect.any(String),
    });
    expect(JSON.stringify(work)).not.toMatch(/anna|example\.com|enter|Studio/);
  });

  it('has the same id when it is sent again because the result of the first time is unknown', async () => {
    await queue();
    const job = await claimed();
    const ids: string[] = [];
    const noting = new MemoryMailer();
    noting.send = async ({ id }) => {
      ids.push(id);
      return 'sent';
    };
    for (let time = 0; time < 2; time += 1) await run(job, { ...ports, mailer: noting });
    expect(new Set(ids).size).toBe(1);
    expect(ids).toHaveLength(2);
  });

  it('is tried again while the server is unavailable, and dropped after a day', async () => {
    await queue();
    const job = await claimed();
    mailer.result = 'away';
    await expect(run(job)).rejects.toMatchObject({ code: 'service_unavailable' });
    ports.clock.pass(MAIL_MS - 1);
    await expect(run(job)).rejects.toMatchObject({ code: 'service_unavailable' });
    ports.clock.pass(1);
    expect(await run(job)).toBe('expired');
    mailer.result = 'sent';
    expect(await run(job)).toBe('expired');
    expect(mailer.sent).toEqual([]);
  });

  it('that the server will never take is not tried again', async () => {
    await queue();
    mailer.result = 'refused';
    expect(await run(await claimed())).toBe('refused');
  });

  it('is dropped when it cannot be decrypted any longer, or no server is configured any longer', async () => {
    await queue();
    const job = await claimed();
    expect(await run(job, { ...ports, secrets: ['another secret that is long enough for all'] })).toBe('unreadable');
    expect(await run(job, { ...ports, mailer: null })).toBe('expired');
    expect(
      await run(job, { ...ports, secrets: ['a newer secret that is long enough for all', ...ports.secrets] }),
    ).toBe('sent');
  });

  it('that fails by an internal fault, or ends the service each time, is given up', async () => {
    await queue();
    const job = await claimed();
    const faulty = new MemoryMailer();
    faulty.send = () => Promise.reject(new Error('a fault'));
    const uses = { ...ports, mailer: faulty };
    await expect(run({ ...job, failures: MAX_FAILURES - 2 }, uses)).rejects.toThrow('a fault');
    expect(await run({ ...job, failures: MAX_FAILURES - 1 }, uses)).toBe('failed');
    expect(await run({ ...job, attempt: MAX_ATTEMPTS + 1 })).toBe('failed');
    expect(mailer.sent).toEqual([]);
  });

  it('is reported without its address and its links', async () => {
    await queue();
    const ended: EndedMail[] = [];
    await runJob(ports, await claimed(), (mail) => ended.push(mail));
    expect(ended).toEqual([{ customerId, userId: 7, template: 'recovery', outcome: 'sent' }]);
  });

  it('does not affect other work of the account', async () => {
    await queue();
    const other: JobWork = { kind: 'renew' };
    await ports.store.transaction(customerId, ({ jobs }) => jobs.add(other));
    await queue();
    await sendAll();
    expect(mailer.sent).toHaveLength(2);
  });
});

describe('a mailed link', () => {
  const anna = { email: 'anna@example.com', role: 'editor' as const };
  const owner = {
    ...operatorFor(customerId),
    actor: { kind: 'person', id: 1, name: 'olga@example.com', address: null },
  } as const;
  const invite = (caller = operatorFor(customerId)) => inviteUser(ports, caller, anna);

  it('of an invitation is sent to the person, and stays on the page', async () => {
    const { user, link, isMailed } = await inviteUser(ports, { ...owner, customerId }, anna);
    expect(isMailed).toBe(true);
    await sendAll();
    expect(mailer.sent.map(({ mail }) => mail)).toEqual([
      {
        to: { userId: user.id, address: 'anna@example.com' },
        template: 'invitation',
        values: {
          account: 'Studio North',
          timeZone: 'UTC',
          link,
          expiresAt: '2026-11-28T12:00:00.000Z',
          role: 'editor',
          invitedBy: 'olga@example.com',
        },
      },
    ]);
  });

  it('for a person who has signed in before is no invitation, with or without a password', async () => {
    const { user, link } = await invite();
    const browser = { token: 'a browser', address: '192.0.2.1', namedAddress: '192.0.2.1', userAgent: 'a browser' };
    const token = link.split('/').at(-1) ?? '';
    await signInByLink(ports, { token, email: '', password: 'five calm words of mine', browser });
    await issueLink(ports, operatorFor(customerId), user.id);
    await sendAll();
    await ports.store.transaction(customerId, async ({ users }) => {
      await users.update({ ...present(await users.lock(user.id)), passwordHash: null });
    });
    await issueLink(ports, operatorFor(customerId), user.id);
    await sendAll();
    expect(mailer.sent.map(({ mail }) => mail.template)).toEqual(['invitation', 'new_link', 'new_link']);
  });

  it('is not sent for removing second factors, nor to the first owner, who has no address', async () => {
    const { user } = await invite();
    await sendAll();
    const made = await issueLink(ports, operatorFor(customerId), user.id, { withoutFactors: true });
    const first = await inviteFirstOwner(ports, operatorFor(customerId));
    await sendAll();
    expect([made.isMailed, first.isMailed]).toEqual([false, false]);
    expect(mailer.sent).toHaveLength(1);
  });

  it('is created, but not sent, beyond three in an hour to one address', async () => {
    const { user } = await invite();
    const made = [await invite(), await issueLink(ports, operatorFor(customerId), user.id), await invite()];
    expect(made.map(({ isMailed }) => isMailed)).toEqual([true, true, false]);
    expect((await inviteUser(ports, operatorFor(customerId), { ...anna, email: 'bert@example.com' })).isMailed).toBe(
      true,
    );
    await sendAll();
    expect(mailer.sent.map(({ mail }) => mail.to.address)).toEqual([...Array(3).fill(anna.email), 'bert@example.com']);
    ports.clock.pass(HOUR + 1);
    expect((await invite()).isMailed).toBe(true);
  });

  it('is created, but not sent, beyond fifty in an hour of one customer', async () => {
    const mailed: boolean[] = [];
    for (let at = 0; at <= LINK_MAILS_PER_CUSTOMER; at += 1) {
      const { isMailed } = await inviteUser(ports, operatorFor(customerId), { ...anna, email: `p${at}@example.com` });
      mailed.push(isMailed);
    }
    expect(mailed).toEqual([...Array(50).fill(true), false]);
    const request = { name: 'Studio South', storageBytesLimit: null, photosLimit: null };
    const other = operatorFor((await createCustomer(ports, commandLine, request)).id);
    expect((await invite(other)).isMailed).toBe(true);
  });

  it('is not sent where no server is configured', async () => {
    expect((await inviteUser({ ...ports, mailer: null }, operatorFor(customerId), anna)).isMailed).toBe(false);
    expect(await claimJob(ports.jobs, 60)).toBeNull();
  });
});
