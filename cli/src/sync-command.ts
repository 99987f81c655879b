import { Command } from 'commander';
import { PartlyDone } from './exit-codes.js';
import { interruptible } from './interrupt.js';
import { connect } from './login.js';
import { jsonOption, quietOption } from './options.js';
import { bytesText, count, print, printNote } from './print.js';
import { ProgressDisplay } from './progress-display.js';
import { type SyncResult, syncFolder } from './sync-folder.js';

interface Options {
  readonly full?: boolean;
  readonly delete: boolean;
  readonly sidecars?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function syncCommand(): Command {
  return new Command('sync')
    .description('update a folder from the library: downloads new photos and removes deleted ones')
    .argument('<folder>', 'the folder for the originals; created if it does not exist')
    .option('--full', 'compare everything, not only what has changed since the last run')
    .option('--no-delete', 'keep the files of deleted photos')
    .option('--sidecars', 'write the title, tags, time, place and so on of each photo into an XMP file beside it')
    .addOption(jsonOption())
    .addOption(quietOption())
    .action(async (folder: string, options: Options) => {
      const display = new ProgressDisplay(options);
      try {
        const client = await connect(display.waiting.bind(display));
        const onStep = (result: SyncResult) => display.show(progressOf(result));
        const result = await interruptible((signal) =>
          syncFolder(client, folder, {
            full: options.full === true,
            deletes: options.delete,
            sidecars: options.sidecars === true,
            signal,
            onStep,
          }),
        );
        display.end();
        report(options, result);
      } finally {
        display.end();
      }
    });
}

/** For the display: how many are to come is not known before they have come. */
export function progressOf({ downloaded, downloadedBytes, renamed, deleted, unchanged, failed }: SyncResult) {
  const done = downloaded + renamed + deleted + unchanged + failed.length;
  return { done, total: done, bytes: downloadedBytes, totalBytes: downloadedBytes, failed: failed.length };
}

function report(options: Options, result: SyncResult): void {
  const { downloaded, downloadedBytes, renamed, deleted, sidecars, kept, failed } = result;
  print(options, result, [
    `${downloaded} downloaded (${bytesText(downloadedBytes)}), ${renamed} renamed, ${deleted} removed, ${failed.length} failed`,
    ...(sidecars > 0 ? [`${count(sidecars, 'sidecar')} written`] : []),
    ...(kept.length > 0
      ? [`kept, because they were changed locally or cannot be removed: ${count(kept.length, 'file')}`]
      : []),
  ]);
  if (failed.length === 0) return;
  if (!options.json) {
    for (const { id, filename, code, message } of failed) printNote(`photo ${id}, ${filename}: ${message} (${code})`);
  }
  throw new PartlyDone();
}
