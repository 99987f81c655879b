import { Command, Option } from 'commander';
import { PartlyDone } from '../exit-codes.js';
import { interruptible } from '../interruptible.js';
import { connect } from '../login.js';
import { bytesText, count, type OutputOptions, print } from '../print.js';
import { withDisplay } from '../progress-display.js';
import { printFailures, type SyncResult, showStep } from '../sync/sync-folder.js';

export function exportCommand(): Command {
  return new Command('export')
    .description(
      'export the library for good: originals, XMP sidecars, all fields as JSON, checksums, and pages to look at it',
    )
    .argument('<folder>', 'the folder; created if it does not exist, brought up to date if it is an export')
    .addOption(new Option('--by <order>', 'the folders of the originals').choices(['date', 'tag']).default('date'))
    .action(async (folder: string, options: OutputOptions & { readonly by: 'date' | 'tag' }) => {
      // Only this command needs it.
      const { exportLibrary } = await import('./export-library.js');
      const result = await withDisplay(options, async (display) => {
        const client = await connect(display);
        const onStep = (step: SyncResult) => showStep(display, step);
        return interruptible((signal) => exportLibrary(client, folder, { by: options.by, signal, onStep }));
      });
      const { photos, tags, imports, trashed, downloaded, downloadedBytes, failed, kept, complete } = result;
      print(options, result, [
        `${count(photos, 'photo')}, ${count(tags, 'tag')} and ${count(imports, 'import')} exported; ${downloaded} downloaded (${bytesText(downloadedBytes)}), ${failed.length} failed`,
        ...(trashed > 0 ? [`${count(trashed, 'photo')} in the trash left out: restore them first to export them`] : []),
        ...(kept.length > 0 ? [`kept, because they were changed locally: ${count(kept.length, 'file')}`] : []),
        ...(complete ? [] : ['Some photos changed meanwhile or could not be downloaded. Run the same command again.']),
      ]);
      printFailures(options, result);
      if (!complete) throw new PartlyDone();
    });
}
