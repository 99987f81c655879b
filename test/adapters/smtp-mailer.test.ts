import { SmtpMailer, type SmtpOptions } from '../../src/adapters/smtp/smtp-mailer.js';
import type { QueuedMail } from '../../src/core/mail/mail.js';
import { MailServer } from '../support/mail-server.js';
import { sampleMails } from '../support/sample-mails.js';
import { until } from '../support/until.js';

let server: MailServer;
afterEach(() => server.close());

const mailerFor = (options: Partial<SmtpOptions> = {}) =>
  new SmtpMailer({
    host: '127.0.0.1',
    port: server.port,
    implicitTls: false,
    plaintextAllowed: true,
    credentials: null,
    from: { name: 'Photos, "Studio"', address: 'photos@example.com' },
    ...options,
  });
const invitationOf = (account: string): QueuedMail => {
  const { invitation } = sampleMails;
  const mail = { ...invitation, values: { ...invitation.values, account } };
  return { id: 'an-id', at: new Date('2026-11-24T09:30:00.000Z'), mail };
};
const reasonOf = (failing: Promise<unknown>) =>
  failing.then(
    () => 'it succeeded',
    (error: Error) => error.message,
  );

describe('a mail', () => {
  beforeEach(async () => {
    server = await MailServer.start();
  });

  it('has a text and HTML, a date, an id, and says that a program sent it', async () => {
    await mailerFor().send(invitationOf('Studio Süd 📷'));
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: 'photos@example.com', to: ['anna@example.com'] });
    expect(mail?.headers).toMatchObject({
      to: 'anna@example.com',
      date: 'Tue, 24 Nov 2026 09:30:00 +0000',
      'message-id': '<an-id@example.com>',
      'auto-submitted': 'auto-generated',
      'mime-version': '1.0',
    });
    expect(mail?.headers['from']).toMatch(/<photos@example\.com>$/);
    expect(mail?.text).toContain('Studio Süd 📷');
    expect(mail?.html).toContain('Studio Süd 📷');
    expect(mail?.raw.split('\r\n').filter((line) => line.length > 78 && !line.includes('boundary='))).toEqual([]);
  });

  it.each([
    'A\r\nBcc: everyone@example.com',
    'A\nContent-Type: text/html\n\n<b>',
    'a, b <c@example.com>, "d',
    '\u202Eevil\u2066\u200F, x@example.com',
    '=?utf-8?Q?=0d=0aBcc:_x@example.com?=',
  ])('of the account %j goes to its recipient alone, and gets no other line above its text', async (account) => {
    await mailerFor().send(invitationOf(account));
    const [mail] = server.received;
    expect(mail?.to).toEqual(['anna@example.com']);
    expect(Object.keys(mail?.headers ?? {}).sort()).toEqual([
      'auto-submitted',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
      'x-auto-response-suppress',
    ]);
    expect(mail?.headers['content-type']).toMatch(/^multipart\/alternative;/);
  });

  it.each([
    ['Bcc in an address', 'anna@example.com\r\nBcc: everyone@example.com'],
    ['a second address', 'anna@example.com, everyone@example.com'],
  ])('reaches no other recipient by %s', async (_, address) => {
    const mail = invitationOf('Studio');
    await mailerFor()
      .send({ ...mail, mail: { ...mail.mail, to: { userId: 7, address } } })
      .catch(() => undefined);
    const reached = server.received.flatMap(({ to }) => to);
    expect(reached.filter((to) => to === 'everyone@example.com')).toEqual([]);
    expect(server.received.flatMap(({ headers }) => Object.keys(headers))).not.toContain('bcc');
  });

  it('waits no longer for a server that hangs than it was given, and holds no more than two connections to it', async () => {
    server.hangs = true;
    const mailer = mailerFor({ timeoutMs: 400 });
    const two = [1, 2].map(() => reasonOf(mailer.send(invitationOf('Studio'))));
    await until(() => server.connections === 2);
    expect(await reasonOf(mailer.send(invitationOf('Studio')))).toMatch(
      /cannot be used: it is busy with 2 other mails/,
    );
    for (const reason of await Promise.all(two)) expect(reason).toMatch(/cannot be used: .*(in time|within 400 ms)/);
    server.hangs = false;
    // On a busy machine 400 ms may be too little at first.
    await until(async () => (await mailer.send(invitationOf('Studio')).catch(() => null)) === 'sent');
  });
});

describe('encryption', () => {
  it('is required of a server, which gets neither mail nor password without it', async () => {
    const passwords: string[] = [];
    server = await MailServer.start({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ password }, _, done) => {
        passwords.push(String(password));
        done(null, { user: 'photos' });
      },
    });
    const credentials = { user: 'photos', pass: 'secret of the server' };
    const strict = mailerFor({ plaintextAllowed: false, credentials });
    expect(await reasonOf(strict.send(invitationOf('Studio')))).toMatch(/offers no encryption/);
    expect(await reasonOf(strict.check())).toMatch(/offers no encryption/);
    expect({ passwords, received: server.received }).toEqual({ passwords: [], received: [] });
    expect(await mailerFor({ credentials }).send(invitationOf('Studio'))).toBe('sent');
    expect(passwords).toEqual(['secret of the server']);
  });

  it.each([true, false])(
    'needs a certificate that is trusted, with TLS from the first byte: %s',
    async (implicitTls) => {
      server = await MailServer.start({ disabledCommands: ['AUTH'], secure: implicitTls });
      const strict = mailerFor({ plaintextAllowed: false, implicitTls });
      expect(await reasonOf(strict.send(invitationOf('Studio')))).toMatch(/cannot be used: /);
      expect(server.received).toEqual([]);
      expect(await mailerFor({ implicitTls }).send(invitationOf('Studio'))).toBe('sent');
    },
  );
});

it('a wrong password is no fault of the mail, and is not repeated', async () => {
  server = await MailServer.start({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _, done) => {
      done(Object.assign(new Error(`not ${password}`), { responseCode: 535 }), undefined as never);
    },
  });
  const mailer = mailerFor({ credentials: { user: 'photos', pass: 'secret of the server' } });
  for (const failing of [mailer.send(invitationOf('Studio')), mailer.check()]) {
    const reason = await reasonOf(failing);
    expect(reason).toMatch(/does not accept the user name and password of SMTP_URL/);
    expect(reason).not.toContain('secret of the server');
  }
});

it('the answer of a mail server is shown on one line, without control characters of a terminal', async () => {
  server = await MailServer.start();
  server.recipients = '550 No\u001b[31m such\u0007 mailbox';
  const { recovery } = sampleMails;
  expect(await mailerFor().sendReported({ id: 'an-id', at: new Date(), mail: recovery })).toEqual({
    result: 'refused',
    answer: '550 No [31m such mailbox',
  });
});

it('a mail server that cannot be reached is named', async () => {
  server = await MailServer.start();
  const mailer = mailerFor();
  const { port } = server;
  await server.close();
  expect(await reasonOf(mailer.check())).toBe(`The mail server 127.0.0.1:${port} cannot be used: ECONNREFUSED.`);
});
