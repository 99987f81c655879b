import { Command, Option } from 'commander';
import { PartlyDone } from './exit-codes.js';
import { interruptible } from './interrupt.js';
import { connect } from './login.js';
import { jsonOption, quietOption } from './options.js';
import { bytesText, count, print, printNote } from './print.js';
import { ProgressDisplay } from './progress-display.js';
import { progressOf } from './sync-command.js';

interface Options {
  readonly by: 'date' | 'tag';
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function exportCommand(): Command {
  return new Command('export')
    .description(
      'export the library for good: originals, XMP sidecars, all fields as JSON, checksums, and pages to look at it',
    )
    .argument('<folder>', 'the folder; created if it does not exist, brought up to date if it is an export')
    .addOption(new Option('--by <order>', 'the folders of the originals').choices(['date', 'tag']).default('date'))
    .addOption(jsonOption())
    .addOption(quietOption())
    .action(async (folder: string, options: Options) => {
      const { exportLibrary } = await import('./export/export-library.js');
      const display = new ProgressDisplay(options);
      try {
        const client = await connect(display.waiting.bind(display));
        const onStep = (result: Parameters<typeof progressOf>[0]) => display.show(progressOf(result));
        const result = await interruptible((signal) =>
          exportLibrary(client, folder, { by: options.by, signal, onStep }),
        );
        display.end();
        const { photos, tags, imports, trashed, downloaded, downloadedBytes, failed, kept, complete } = result;
        print(options, result, [
          `${count(photos, 'photo')}, ${count(tags, 'tag')} and ${count(imports, 'import')} exported; ${downloaded} downloaded (${bytesText(downloadedBytes)}), ${failed.length} failed`,
          ...(trashed > 0
            ? [`${count(trashed, 'photo')} in the trash left out: restore them first to export them`]
            : []),
          ...(kept.length > 0 ? [`kept, because they were changed locally: ${count(kept.length, 'file')}`] : []),
          ...(complete
            ? []
            : ['Some photos changed meanwhile or could not be downloaded. Run the same command again.']),
        ]);
        if (!options.json)
          for (const { id, filename, code, message } of failed)
            printNote(`photo ${id}, ${filename}: ${message} (${code})`);
        if (!complete) throw new PartlyDone();
      } finally {
        display.end();
      }
    });
}
