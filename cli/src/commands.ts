import type { Command } from 'commander';
import { completionCommand } from './completion-command.js';
import { downloadCommand } from './download-command.js';
import { exportCommand } from './export-command.js';
import { importCommand } from './import-command.js';
import { photosCommand } from './photos-command.js';
import { loginCommand, whoamiCommand } from './session-commands.js';
import { syncCommand } from './sync-command.js';
import { tagsCommand } from './tags-command.js';

export { type Explanation, explain, tell } from './explain.js';

/** Everything that a client does at the command line, to be added to a program: that of this package, or the service's own. */
export function clientCommands(): Command[] {
  return [
    loginCommand(),
    whoamiCommand(),
    importCommand(),
    photosCommand(),
    tagsCommand(),
    downloadCommand(),
    syncCommand(),
    exportCommand(),
    completionCommand(),
  ];
}
