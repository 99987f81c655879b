import { type Command, Option } from 'commander';
import { exampleText } from 'photo-service-cli/command-names';
import { loadSettings } from '../composition/blob-stores.js';
import { backupCommand } from './backup/backup-command.js';
import { restoreCommand } from './backup/restore-command.js';
import { blobsCommand } from './blobs-command.js';
import { customerCommand } from './customer-command.js';
import { deliveryKeyCommand } from './delivery-key-command.js';
import { doctorCommand } from './doctor/doctor-command.js';
import { gcCommand, verifyCommand } from './integrity-commands.js';
import { keyCommand } from './key-command.js';
import { operatorTokenCommand } from './operator-token-command.js';
import { envFileOf } from './options.js';
import { presetCommand } from './preset-command.js';
import { docsCommand, mailCommand, migrateCommand, reloadCommand, serveCommand } from './service-commands.js';
import { shareCommand } from './share-command.js';
import { userCommand } from './user-command.js';
import { listenCommand, webhookCommand } from './webhook-commands.js';

/** The commands that operate the service. Requires the program to have `ownOptions`. */
export function ownCommands(): Command[] {
  const readingSettings = [
    showing(migrateCommand(), 'phs migrate'),
    showing(reloadCommand(), 'phs reload'),
    printing(customerCommand(), 'phs customer create --name ACME'),
    printing(keyCommand(), 'phs key create --customer 1 --name importer --scopes photos:read,photos:write'),
    printing(userCommand(), 'phs user link 3 --customer 1'),
    printing(mailCommand(), 'phs mail test anna@example.com'),
    printing(webhookCommand(), 'phs webhook test 3 --customer 1'),
    showing(listenCommand(), 'phs listen --customer 1 --forward-to http://localhost:8080/webhooks'),
    printing(deliveryKeyCommand(), 'phs delivery-key create --customer 1 --name website'),
    printing(presetCommand(), 'phs preset list --customer 1'),
    printing(shareCommand(), 'phs share list --customer 1'),
    printing(operatorTokenCommand(), 'phs operator-token create --name sign-up --scopes all'),
    printing(verifyCommand(), 'phs verify --json'),
    printing(gcCommand(), 'phs gc --grace 3600'),
    printing(backupCommand(), 'phs backup /mnt/backup'),
    printing(restoreCommand(), 'phs restore /mnt/backup'),
    printing(blobsCommand(), 'phs blobs copy --to s3://photos'),
  ];
  for (const command of readingSettings) {
    command.hook('preAction', (_, action) => {
      const { file, warnings } = loadSettings(envFileOf(action));
      if (file !== null) console.error(`phs: settings from ${file}`);
      for (const warning of warnings) console.error(`phs: warning: ${warning}`);
    });
  }
  const all = [
    // These two read the settings themselves: one logs the warnings about them, the other reports them.
    showing(serveCommand(), 'phs serve --env-file /etc/photo-service/phs.env'),
    showing(doctorCommand(), 'phs doctor --json'),
    ...readingSettings,
    printing(docsCommand(), 'phs docs ./site'),
  ];
  return all.map((command) => command.helpGroup('Operate the service:'));
}

/** Options of the program itself, so that they are understood before and after the name of a command. */
export function ownOptions(): Option[] {
  return [new Option('--env-file <file>', 'settings of the installation (default: phs.env, see docs/operations.md)')];
}

function showing(command: Command, example: string): Command {
  return command.addHelpText('after', exampleText(example));
}

/** The same for a command that prints its result, or whose subcommands do: for people, or for programs. */
function printing(command: Command, example: string): Command {
  for (const each of command.commands.length === 0 ? [command] : command.commands)
    each.option('--json', 'print one JSON document');
  return showing(command, example);
}
