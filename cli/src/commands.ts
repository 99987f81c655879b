import type { Command } from 'commander';
import { type ClientCommandName, clientCommandNames } from './command-names.js';
import { completionCommand } from './completion-command.js';
import { downloadCommand } from './download-command.js';
import { exportCommand } from './export-command.js';
import { importCommand } from './import-command.js';
import { mcpCommand } from './mcp-command.js';
import { photosCommand } from './photos-command.js';
import { loginCommand, whoamiCommand } from './session-commands.js';
import { syncCommand } from './sync-command.js';
import { tagsCommand } from './tags-command.js';

export { type Explanation, explain, tell } from './explain.js';

const makers: Readonly<Record<ClientCommandName, () => Command>> = {
  login: loginCommand,
  whoami: whoamiCommand,
  import: importCommand,
  photos: photosCommand,
  tags: tagsCommand,
  download: downloadCommand,
  sync: syncCommand,
  export: exportCommand,
  mcp: mcpCommand,
};

/** Everything that a client does at the command line, to be added to a program: that of this package, or the service's own. */
export function clientCommands(): Command[] {
  return [...clientCommandNames.map((name) => makers[name]()), completionCommand()];
}
