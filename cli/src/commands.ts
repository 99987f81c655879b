import type { Command } from 'commander';
import { type ClientCommandName, clientCommandNames, exampleText } from './command-names.js';
import { completionCommand } from './commands/completion-command.js';
import { demoCommand } from './commands/demo-command.js';
import { loginCommand, whoamiCommand } from './commands/login-command.js';
import { photosCommand } from './commands/photos-command.js';
import { tagsCommand } from './commands/tags-command.js';
import { downloadCommand } from './download/download-command.js';
import { exportCommand } from './export/export-command.js';
import { importCommand } from './import/import-command.js';
import { mcpCommand } from './mcp/mcp-command.js';
import { syncCommand } from './sync/sync-folder.js';

/** The maker of each command, and the example with which its help ends. */
const makers: Readonly<Record<ClientCommandName, readonly [make: () => Command, example: string]>> = {
  login: [loginCommand, 'phs login --url https://photos.example.com --token phs_live_…'],
  whoami: [whoamiCommand, 'phs whoami --profile work'],
  import: [importCommand, 'phs import ~/Pictures --tag Family --time-zone Europe/Oslo'],
  photos: [photosCommand, 'phs photos list --tag Paris --taken-after 2026-01-01T00:00:00Z'],
  tags: [tagsCommand, 'phs tags list'],
  download: [downloadCommand, 'phs download --tag Paris --to ./paris'],
  sync: [syncCommand, 'phs sync ~/Photos --sidecars'],
  export: [exportCommand, 'phs export /mnt/archive'],
  mcp: [mcpCommand, 'phs mcp --write'],
  demo: [demoCommand, 'phs demo'],
};

/** Everything that a client does at the command line, to be added to a program: that of this package, or the service's own. */
export function clientCommands(): Command[] {
  const commands = clientCommandNames.map((name) => {
    const [make, example] = makers[name];
    return withCommonOptions(make()).addHelpText('after', exampleText(example));
  });
  return [...commands, completionCommand()].map((command) => command.helpGroup('Use a library:'));
}

/**
 * Each command that asks the service prints for programs too, and can be told to print nothing, unless it only shows something, and which of
 * several logins to use.
 */
function withCommonOptions(command: Command): Command {
  for (const child of command.commands) withCommonOptions(child as Command);
  if (command.commands.length > 0) return command;
  const name = command.name();
  // What it prints is the protocol.
  if (name !== 'mcp') command.option('--json', 'print one JSON document');
  if (!['mcp', 'whoami', 'list', 'get'].includes(name)) command.option('-q, --quiet', 'print only errors');
  return command
    .option('--profile <name>', 'the stored login to use, when there are several (default: PHOTO_SERVICE_PROFILE)')
    .hook('preAction', (_, action) => {
      const { profile } = action.opts<{ profile?: string }>();
      if (profile !== undefined) process.env['PHOTO_SERVICE_PROFILE'] = profile;
    });
}
