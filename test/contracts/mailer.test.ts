import { SmtpMailer } from '../../src/adapters/smtp/smtp-mailer.js';
import { MemoryMailer } from '../../testing/memory/memory-mailer.js';
import { MailServer } from '../support/mail-server.js';
import { mailerContract } from './mailer.contract.js';

mailerContract('memory', async () => {
  const mailer = new MemoryMailer();
  return {
    mailer,
    takes: (how) => {
      mailer.result = { all: 'sent', 'never this mail': 'refused', 'none now': 'away' }[how] as MemoryMailer['result'];
    },
    delivered: () => mailer.sent.map(({ id, mail }) => ({ id, to: mail.to.address })),
    close: async () => undefined,
  };
});

/** Without the quotes that some local parts need on their way (RFC 5321 §4.1.2). */
function unquoted(address: string): string {
  return address.replace(/^"(.*)"@/, '$1@');
}

mailerContract('SMTP', async () => {
  const server = await MailServer.start();
  const mailer = new SmtpMailer({
    host: '127.0.0.1',
    port: server.port,
    implicitTls: false,
    plaintextAllowed: true,
    credentials: null,
    from: { name: 'Photos', address: 'photos@example.com' },
  });
  return {
    mailer,
    takes: (how) => {
      server.recipients = how === 'never this mail' ? '550 No mailbox anna@example.com' : null;
      server.mails = how === 'none now' ? '451 Not now, anna@example.com' : null;
    },
    delivered: () =>
      server.received.flatMap(({ to, headers }) =>
        to.map((address) => ({
          to: unquoted(address),
          id: /^<(.*)@example\.com>$/.exec(headers['message-id'] ?? '')?.[1] ?? '',
        })),
      ),
    close: () => server.close(),
  };
});
