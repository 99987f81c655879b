import type { Command, Option } from 'commander';
import { exampleText } from 'photo-service-cli/command-names';
import { loadSettings } from '../config/settings-file.js';
import { backupCommand } from './backup/backup-command.js';
import { restoreCommand } from './backup/restore-command.js';
import { customerCommand } from './customer-command.js';
import { deliveryKeyCommand } from './delivery-key-command.js';
import { doctorCommand } from './doctor/doctor-command.js';
import { keyCommand } from './key-command.js';
import { operatorTokenCommand } from './operator-token-command.js';
import { envFileOf, envFileOption } from './options.js';
import { presetCommand } from './preset-command.js';
import { docsCommand, mailCommand, migrateCommand, reloadCommand, serveCommand } from './service-commands.js';
import { shareCommand } from './share-command.js';
import { blobsCommand, gcCommand, verifyCommand } from './store-commands.js';
import { userCommand } from './user-command.js';
import { listenCommand, webhookCommand } from './webhook-commands.js';

/** The examples that the help of each command ends with. */
const examples: Readonly<Record<string, string>> = {
  serve: 'phs serve --env-file /etc/photo-service/phs.env',
  doctor: 'phs doctor --json',
  migrate: 'phs migrate',
  reload: 'phs reload',
  customer: 'phs customer create --name ACME',
  key: 'phs key create --customer 1 --name importer --scopes photos:read,photos:write',
  user: 'phs user link 3 --customer 1',
  mail: 'phs mail test anna@example.com',
  webhook: 'phs webhook test 3 --customer 1',
  listen: 'phs listen --customer 1 --forward-to http://localhost:8080/webhooks',
  'delivery-key': 'phs delivery-key create --customer 1 --name website',
  preset: 'phs preset list --customer 1',
  share: 'phs share list --customer 1',
  'operator-token': 'phs operator-token create --name sign-up --scopes all',
  verify: 'phs verify --json',
  gc: 'phs gc --grace 3600',
  backup: 'phs backup /mnt/backup',
  restore: 'phs restore /mnt/backup',
  docs: 'phs docs ./site',
  blobs: 'phs blobs copy --to s3://photos',
};

/** The commands that operate the service. Requires the program to have `ownOptions`. */
export function ownCommands(): Command[] {
  // The first two read the settings themselves: one logs the warnings about them, the other reports them. The last one needs none.
  const all = [serveCommand(), doctorCommand(), ...commands().map(readingSettings), docsCommand()];
  return all.map((command) =>
    command.helpGroup('Operate the service:').addHelpText('after', exampleText(examples[command.name()] ?? '')),
  );
}

/** Options of the program itself. */
export function ownOptions(): Option[] {
  return [envFileOption()];
}

function readingSettings(command: Command): Command {
  return command.hook('preAction', (_, action) => {
    const { file, warnings } = loadSettings(envFileOf(action));
    if (file !== null) console.error(`phs: settings from ${file}`);
    for (const warning of warnings) console.error(`phs: warning: ${warning}`);
  });
}

function commands(): Command[] {
  return [
    migrateCommand(),
    reloadCommand(),
    customerCommand(),
    keyCommand(),
    userCommand(),
    mailCommand(),
    webhookCommand(),
    listenCommand(),
    deliveryKeyCommand(),
    presetCommand(),
    shareCommand(),
    operatorTokenCommand(),
    verifyCommand(),
    gcCommand(),
    backupCommand(),
    restoreCommand(),
    blobsCommand(),
  ];
}
