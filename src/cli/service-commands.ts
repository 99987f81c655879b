import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { exitCodes } from 'photo-service-cli/exit-codes';
import { print } from 'photo-service-cli/print';
import { configOf, loadSettings } from '../composition/blob-stores.js';
import { requireInstallation } from '../composition/require-installation.js';
import type { SendReport } from '../core/mail/mail.js';
import { newRandomToken } from '../core/shared/secrets.js';
import { readEmail } from '../core/users/user.js';
import { PublicAddresses } from '../http/public-addresses.js';
import { site, sitePaths } from '../http/responses/send-public.js';
import { openMailer } from '../ports.module.js';
import { PrimaryFile } from '../start/processes/primary-file.js';
import { ExitWith, envFileOf } from './options.js';
import { openInstallation, presentInstallation, printInstallation } from './with-ports.js';

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service until it is stopped')
    .option('--open', 'open the settings area in a browser when it is ready')
    .option('--memory', 'store nothing, for trying it out and for tests of clients: no database and no data folder')
    .action(async (options: { open?: boolean; memory?: boolean }, command: Command) => {
      // Loaded on demand: it takes a second that the other commands would wait for.
      const { serve } = await import('../start/serve.js');
      await serve(loadSettings(envFileOf(command)), { open: false, ...options });
    });
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('migrate the database to the schema of this version (starting the service does so, too)')
    .action(async () => {
      const config = configOf(process.env);
      printInstallation(config);
      // Opening the database migrates it.
      await (await openInstallation(config, { create: true })).close();
      console.log('The database is up to date.');
    });
}

export function reloadCommand(): Command {
  return new Command('reload')
    .description('replace the processes of a running service (PROCESSES) one after another, without failing a request')
    .action(async () => {
      const config = configOf(process.env);
      await requireInstallation(config);
      printInstallation(config);
      // There, any signal ends a process.
      if (process.platform === 'win32')
        throw new Error('Processes cannot be replaced on Windows: restart the service.');
      const pid = await new PrimaryFile(config).find();
      if (pid === null) {
        throw new Error(
          `No service with several processes that was started outside a terminal is running on port ${config.port}: restart the service instead.`,
        );
      }
      process.kill(pid, 'SIGHUP');
      console.log('The processes are being replaced. The log says "all processes were replaced" when it is done.');
    });
}

export function mailCommand(): Command {
  const mail = new Command('mail').description('the server that mails are handed to (SMTP_URL)');
  mail
    .command('test')
    .description('send a test mail, and say what the server answered')
    .argument('<address>', 'who gets it')
    .action(async (text: string, options: { json?: boolean }) => {
      const to = readEmail(text);
      const { smtp, publicUrl } = await presentInstallation();
      if (smtp === null) throw new Error('No server for mail is configured: set SMTP_URL and MAIL_FROM.');
      const server = `${smtp.host}:${smtp.port}`;
      const [id, at, home] = [newRandomToken(), new Date(), new PublicAddresses(publicUrl).settings()];
      const values = { at: at.toISOString(), home };
      const mail = { to: { userId: 0, address: to }, template: 'test', values } as const;
      // Without the queue, as a person waits for the answer.
      const report = await openMailer(smtp).sendReported({ id, at, mail });
      print(options, { to, from: smtp.from.address, server, ...report }, [line(report, server, to)]);
      if (report.result !== 'sent') throw new ExitWith(exitCodes.environment);
    });
  return mail;
}

function line({ result, answer }: SendReport, server: string, to: string): string {
  if (result === 'sent') return `${server} takes mails to ${to}: ${answer}`;
  if (result === 'refused') return `${server} refuses mails to ${to} for good: ${answer}`;
  return `${server} takes no mails now: ${answer}`;
}

export function docsCommand(): Command {
  return new Command('docs')
    .description('write the documentation as files, to be served by any web server')
    .argument('<folder>', 'where to; files of the same names are replaced')
    .action(async (folder: string, options: { json?: boolean }) => {
      const files = sitePaths().size;
      await cp(site, folder, { recursive: true });
      print(options, { folder, files }, [
        `${files} files in ${folder}; it begins at ${join(folder, 'docs/index.html')}.`,
      ]);
    });
}
