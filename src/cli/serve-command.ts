import { Command } from 'commander';
import { withPorts } from './with-ports.js';

export function serveCommand(): Command {
  return new Command('serve').description('run the service until it is told to stop').action(async () => {
    // Loaded when it is wanted: a second of work that the other commands would wait for.
    const { serve } = await import('../serve.js');
    await serve(process.env);
  });
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database to the schema of this version (starting the service does it too)')
    .action(async () => {
      // Opening the database brings it up to date.
      await withPorts(async () => undefined);
      console.log('The database is up to date.');
    });
}
