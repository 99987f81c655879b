import { Command } from 'commander';
import { readConfig } from '../config/config.js';
import { loadSettings } from '../config/settings-file.js';
import { envFileOf } from './options.js';
import { openInstallation, printInstallation } from './with-ports.js';

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service until it is stopped')
    .option('--open', 'open the settings area in a browser when it is ready')
    .action(async ({ open = false }: { open?: boolean }, command: Command) => {
      // Loaded on demand: it takes a second that the other commands would wait for.
      const { serve } = await import('../start/serve.js');
      await serve(loadSettings(envFileOf(command)), { open });
    });
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('migrate the database to the schema of this version (starting the service does so, too)')
    .action(async () => {
      const config = readConfig(process.env);
      printInstallation(config);
      // Opening the database migrates it.
      await (await openInstallation(config, { create: true })).close();
      console.log('The database is up to date.');
    });
}
