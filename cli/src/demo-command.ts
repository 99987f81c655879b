import { Command } from 'commander';
import { type PhotoService, runImport } from 'photo-service-sdk';
import { DEMO_PHOTOS, demoPhotos } from './demo/demo-photos.js';
import { PartlyDone, UsageError } from './exit-codes.js';
import { interruptible } from './interrupt.js';
import { connect } from './login.js';
import { jsonOption, type OutputOptions, quietOption } from './options.js';
import { print } from './print.js';
import { ProgressDisplay } from './progress-display.js';

export function demoCommand(): Command {
  return new Command('demo')
    .description(`fill an empty library with ${DEMO_PHOTOS} generated photos, to look around`)
    .option('--add', 'add them to a library that has photos, too')
    .addOption(jsonOption())
    .addOption(quietOption())
    .action(async (options: OutputOptions & { add?: boolean }) => {
      const client = await connect();
      if (!options.add) await requireEmpty(client);
      const display = new ProgressDisplay(options);
      try {
        const { imported, duplicates, failed } = await interruptible((signal) =>
          runImport(client, [...demoPhotos()], {
            ...{ name: 'Demo', source: 'phs demo', signal },
            onProgress: display.importing.bind(display),
          }),
        );
        display.end();
        print(options, { imported, duplicates, failed }, [
          `${imported} imported, ${duplicates} already in the library. See them at ${client.baseUrl}/settings/library`,
        ]);
        if (failed.length > 0) throw new PartlyDone();
      } finally {
        display.end();
      }
    });
}

/** Refuses an account that has photos: its owner would have to sort the generated ones out. */
async function requireEmpty(client: PhotoService): Promise<void> {
  const [some] = await client.photos.list({ trashed: 'any', limit: 1 }).toArray();
  if (some === undefined) return;
  throw new UsageError('This library has photos. Use an empty account, or add the generated ones with --add.');
}
