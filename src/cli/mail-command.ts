import { Command } from 'commander';
import { print } from 'photo-service-cli/print';
import type { Mailer, SendReport } from '../core/mail/mail.js';
import { newRandomToken } from '../core/shared/random.js';
import { readEmail } from '../core/users/user.js';
import { PublicAddresses } from '../http/public-addresses.js';
import { openMailer } from '../ports.module.js';
import { ExitWith, exitCodes } from './exit-codes.js';
import { presentInstallation } from './with-ports.js';

export function mailCommand(): Command {
  return new Command('mail').description('the server that mails are handed to (SMTP_URL)').addCommand(test());
}

function test(): Command {
  return new Command('test')
    .description('send a test mail, and say what the server answered')
    .argument('<address>', 'who gets it')
    .option('--json', 'print one JSON document')
    .action(async (text: string, options: { json?: boolean }) => {
      const to = readEmail(text);
      const { smtp, publicUrl } = await presentInstallation();
      if (smtp === null) throw new Error('No server for mail is configured: set SMTP_URL and MAIL_FROM.');
      const server = `${smtp.host}:${smtp.port}`;
      const report = await send(openMailer(smtp), to, publicUrl);
      print(options, { to, from: smtp.from.address, server, ...report }, [line(report, server, to)]);
      if (report.result !== 'sent') throw new ExitWith(exitCodes.environment);
    });
}

/** Without the queue, as somebody waits for the answer. */
function send(mailer: Mailer, address: string, publicUrl: string): Promise<SendReport> {
  const [id, at, home] = [newRandomToken(), new Date(), new PublicAddresses(publicUrl).settings()];
  const values = { at: at.toISOString(), home };
  return mailer.sendReported({ id, at, mail: { to: { userId: 0, address }, template: 'test', values } });
}

function line({ result, answer }: SendReport, server: string, to: string): string {
  if (result === 'sent') return `${server} takes mails to ${to}: ${answer}`;
  if (result === 'refused') return `${server} refuses mails to ${to} for good: ${answer}`;
  return `${server} takes no mails now: ${answer}`;
}
