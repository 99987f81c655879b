import { Command, Option } from 'commander';
import type { ImportOptions, PhotoService, Wait } from 'photo-service-sdk';
import { PartlyDone, UsageError } from '../exit-codes.js';
import type { RestoreResult } from '../export/restore-export.js';
import { grouped } from '../grouped.js';
import { interruptible } from '../interruptible.js';
import { clientOf, currentLogin } from '../login.js';
import { given, namesOption, wholeOption } from '../options.js';
import { bytesText, count, type OutputOptions, print, printNote, timeText } from '../print.js';
import { withDisplay } from '../progress-display.js';
import { folderSource } from '../sources/folder-source.js';
import { importSource, type SourceImportOptions, type SourceImportResult } from '../sources/import-source.js';
import { importStateFile } from './import-state-file.js';
import { type ImportName, importNames, openImport } from './open-import.js';
import { watchFolders } from './watch-folders.js';

interface Options extends OutputOptions {
  readonly from: ImportName;
  readonly tag?: readonly string[];
  readonly name?: string;
  readonly timeZone?: string;
  readonly dateFromFilename?: boolean;
  readonly allowDuplicates?: boolean;
  readonly restore: boolean;
  readonly uploads?: number;
  readonly sidecars: boolean;
  readonly exclude?: readonly string[];
  readonly state?: string;
  readonly dryRun?: boolean;
  readonly watch?: boolean;
}

export function importCommand(): Command {
  return new Command('import')
    .description('import photos into the library; if interrupted, run the same command again to continue')
    .argument('<paths...>', 'files, and folders that contain photos; with --from, the export, or a list of URLs')
    .addOption(new Option('--from <source>', 'where the photos come from').choices(importNames).default('folder'))
    .option('--tag <name>', 'add this tag to every photo, those in the library too (repeatable)', namesOption)
    .option('--name <name>', 'the name of the import')
    .option('--time-zone <zone>', 'the time zone of photos that do not state one, such as Europe/Oslo')
    .option('--date-from-filename', 'photos that do not state when they were taken get the date in their file names')
    .option('--allow-duplicates', 'import photos that are already in the library a second time')
    .option('--no-restore', 'do not restore photos from the trash')
    .option('--uploads <n>', 'uploads at the same time, 1 to 16 (default: 6)', wholeOption)
    .option('--no-sidecars', 'ignore XMP files beside the photos')
    .option(
      '--exclude <glob>',
      'leave out files and folders of this name, or path below the folder or bucket (repeatable)',
      namesOption,
    )
    .option(
      '--state <file>',
      'where to store the state of the run (default: a file for these paths, in XDG_STATE_HOME)',
    )
    .option('--watch', 'go on with what arrives in the folders, until Ctrl-C')
    .option('--dry-run', 'compare files with the library, but change nothing')
    .action(async (paths: readonly string[], options: Options) => {
      const { from, watch, dryRun, json, exclude } = options;
      if (watch && (from !== 'folder' || dryRun || json))
        throw new UsageError('--watch imports from folders, and goes on: it has no --from, --dry-run or --json.');
      if (exclude !== undefined && from !== 'folder' && from !== 's3')
        throw new UsageError('--exclude leaves files out of folders and buckets: it has no other --from.');
      const began = performance.now();
      let waited = 0;
      await withDisplay(options, async (display) => {
        const source = await openImport(from, paths, options);
        try {
          const login = await currentLogin();
          const onWait = (wait: Wait) => {
            if (wait.reason === 'limit') waited += wait.milliseconds;
            display.waiting(wait);
          };
          const client = clientOf(login, { onWait });
          const wanted = importOptions(options);
          const stateFile = options.state ?? importStateFile(login, from, paths, wanted);
          const settings = { ...wanted, ...keywordsAsTags(options), stateFile };
          if (watch) return await watchAndImport(client, paths, options, settings);
          const onProgress = display.importing.bind(display);
          const result = await interruptible((signal) => source.run(client, { ...settings, onProgress, signal }));
          display.end();
          const seconds = (performance.now() - began) / 1000;
          printResult(options, result, seconds, Math.round(waited));
          if (result.failed.length > 0 || (result.differences ?? []).length > 0) throw new PartlyDone();
        } finally {
          await source.close?.();
        }
      });
    });
}

/** Returns options in an order that never changes: the name of the state file comes from them. */
function importOptions(options: Options): ImportOptions {
  const { tag, name, timeZone, dateFromFilename, allowDuplicates, restore, uploads, dryRun } = options;
  return given({
    source: 'phs',
    ...(tag && { tagNames: tag, tagDuplicates: true }),
    name,
    defaultTimeZone: timeZone,
    dateFromFilename,
    ...(allowDuplicates && { duplicatePolicy: 'allow' as const }),
    ...(!restore && { restoreTrashed: false }),
    uploads,
    dryRun,
  });
}

/** Keywords in files become tags where the key may create them. An export says by itself which tags its photos have. */
function keywordsAsTags({ from, quiet }: Options): Pick<ImportOptions, 'keywordsAsTags' | 'onKeywordsLeft'> {
  if (from === 'photo-service') return {};
  let isTold = quiet === true;
  const onKeywordsLeft = () => {
    if (!isTold) printNote('Keywords in the files do not become tags: that requires a key with the scope tags:write.');
    isTold = true;
  };
  return { keywordsAsTags: 'if_allowed', onKeywordsLeft };
}

/** The words for reasons of skipping that are not words themselves. */
const REASONS: Readonly<Record<string, string>> = {
  system: 'of the system',
  not_an_image: 'not images',
  video: 'videos, which are not supported',
};

type Result = SourceImportResult & Partial<RestoreResult>;

function printResult(options: Options, result: Result, seconds: number, waitedForLimitsMs: number): void {
  const { dryRun, imported, duplicates, failed, bytesUploaded, skipped, losses, edited = 0, differences = [] } = result;
  const reasons = grouped(result.skippedFiles, ({ reason }) => REASONS[reason] ?? reason.replaceAll('_', ' '));
  const texts = [...reasons].map(([text, files]) => (reasons.size === 1 ? text : `${files.length} ${text}`));
  const known = (number: number | null) => (number === null ? '?' : number.toLocaleString('en'));
  const sent = bytesUploaded === null ? '' : `, ${bytesText(bytesUploaded)} ${dryRun ? 'to upload' : 'sent'}`;
  const speed = !bytesUploaded || dryRun ? '' : `, ${bytesText(Math.round(bytesUploaded / Math.max(0.1, seconds)))}/s`;
  const waited = waitedForLimitsMs === 0 ? '' : `, ${timeText(waitedForLimitsMs / 1000)} waiting for rate limits`;
  const verb = dryRun ? 'would be imported' : 'imported';
  print(options, { ...result, seconds: Math.round(seconds * 10) / 10, waitedForLimitsMs }, [
    `${known(imported)} ${verb}, ${known(duplicates)} already in the library, ${failed.length} failed${sent} (${timeText(seconds)}${speed}${waited})`,
    ...(skipped > 0 ? [`${count(skipped, 'other file')} skipped: ${texts.join(', ')}`] : []),
    ...(losses.length > 0 ? [`${count(losses.length, 'detail')} of photos lost: add --json to list them`] : []),
    ...(edited > 0 ? [`${count(edited, 'photo')} edited afterwards, to be as they were`] : []),
    ...(differences.length > 0 ? [`${count(differences.length, 'field')} not as before: add --json to list them`] : []),
  ]);
  if (options.json) return;
  for (const { path, code, message } of failed) printNote(`failed: ${path}: ${message} (${code})`);
}

/** An import for each time that files have arrived; its result is printed when it is done. */
function watchAndImport(
  client: PhotoService,
  paths: readonly string[],
  options: Options,
  wanted: Omit<SourceImportOptions, 'signal'>,
): Promise<never> {
  const { sidecars, exclude } = options;
  if (!options.quiet) printNote(`Watching ${paths.join(', ')}. Stop with Ctrl-C.`);
  return interruptible((signal) => {
    const importThese = async (only: ReadonlySet<string>) => {
      const began = performance.now();
      const source = folderSource(paths, { sidecars, exclude, only });
      const result = await importSource(client, source, { ...wanted, signal });
      // Whatever else is in the folders was not meant.
      const met = { ...result, skipped: 0 };
      printResult(options, met, (performance.now() - began) / 1000, 0);
    };
    const onOutage = ({ message }: Error) => printNote(`phs: ${message} Trying again.`);
    return watchFolders(paths, importThese, { signal, onOutage, exclude });
  });
}
