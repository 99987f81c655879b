import { basename, dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import type { Photo, PhotoService } from 'photo-service-sdk';
import { downloadFile } from 'photo-service-sdk/node';
import { PartlyDone, UsageError } from '../exit-codes.js';
import { fileName, nameKey, numbered } from '../file-name.js';
import { interruptible } from '../interruptible.js';
import { connect } from '../login.js';
import { type FilterOptions, filtersOf, idsOption, withFilters } from '../options.js';
import { type OutputOptions, print, printNote } from '../print.js';
import { type ProgressDisplay, withDisplay } from '../progress-display.js';
import { codeOf, isHopeless } from './download-errors.js';
import { forEachConcurrently } from './for-each-concurrently.js';
import { lookAt, openTargetFolder, type Present } from './target-folder.js';

const CONCURRENCY = 4;
const IDS_PER_READ = 100;

interface Options extends FilterOptions, OutputOptions {
  readonly to: string;
  readonly all?: boolean;
  readonly rendition?: 'thumb' | 'small' | 'medium' | 'large';
  readonly format?: 'jpeg' | 'webp';
}

interface Outcome {
  readonly id: number;
  readonly path: string | null;
  readonly outcome: 'downloaded' | 'present' | 'failed';
  readonly error: { readonly code: string; readonly message: string } | null;
}

export function downloadCommand(): Command {
  return withFilters(
    new Command('download').description('download photos as files: originals, verified byte for byte, or renditions'),
  )
    .argument('[ids...]', 'ids of photos; without ids, the photos selected by the options', idsOption)
    .option('--all', 'the whole library')
    .option('--to <folder>', 'the folder for the files', '.')
    .addOption(
      new Option('--rendition <name>', 'instead of the original').choices(['thumb', 'small', 'medium', 'large']),
    )
    .addOption(new Option('--format <format>', 'the format of the rendition').choices(['jpeg', 'webp']))
    .action(async (ids: readonly number[] | undefined, options: Options) => {
      const outcomes = await withDisplay(options, async (display) => {
        const client = await connect(display);
        await openTargetFolder(options.to);
        return interruptible((signal) => downloadAll(client, ids ?? [], options, display, signal));
      });
      const those = (outcome: Outcome['outcome']) => outcomes.filter((each) => each.outcome === outcome);
      const failed = those('failed');
      print(options, { photos: outcomes }, [
        `${those('downloaded').length} downloaded, ${those('present').length} already present, ${failed.length} failed`,
      ]);
      if (failed.length === 0) return;
      if (!options.json)
        for (const { id, error } of failed) printNote(`photo ${id}: ${error?.message ?? ''} (${error?.code})`);
      throw new PartlyDone();
    });
}

async function downloadAll(
  client: PhotoService,
  ids: readonly number[],
  options: Options,
  display: ProgressDisplay,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const { photos, missing } = await selectPhotos(client, ids, options, signal);
  const outcomes: Outcome[] = missing.map((id) => ({
    id,
    path: null,
    outcome: 'failed',
    error: { code: 'not_found', message: 'The photo does not exist.' },
  }));
  const taken = new Set<string>();
  const { rendition, format = 'jpeg' } = options;
  const totalBytes = rendition === undefined ? photos.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) : 0;
  let bytes = 0;
  const moved = (count: number) => {
    bytes += count;
    const failed = outcomes.filter(({ outcome }) => outcome === 'failed').length;
    const duplicates = outcomes.filter(({ outcome }) => outcome === 'present').length;
    const total = photos.length + missing.length;
    display.show({ done: outcomes.length, total, bytes, totalBytes, failed, duplicates });
  };
  await forEachConcurrently(CONCURRENCY, photos, async (photo) => {
    const own = fileName(photo.filename);
    const made = `${own.replace(/\.[^.]{1,10}$/, '')}-${rendition}.${format === 'webp' ? 'webp' : 'jpg'}`;
    const name = rendition === undefined ? own : made;
    // With its id where another of this run has that name.
    const free = taken.has(nameKey(name)) ? numbered(name, photo.id) : name;
    taken.add(nameKey(free));
    outcomes.push(await downloadOne(client, photo, join(options.to, free), { ...options, signal, onBytes: moved }));
    moved(0);
  });
  return outcomes;
}

async function selectPhotos(client: PhotoService, ids: readonly number[], options: Options, signal: AbortSignal) {
  const filters = await filtersOf(client, options);
  if (ids.length > 0 && (options.all || Object.keys(filters).length > 0))
    throw new UsageError('Specify either ids or options that select photos, not both.');
  if (ids.length === 0 && !options.all && Object.keys(filters).length === 0)
    throw new UsageError('Which photos? Specify ids, --tag NAME or another option, or --all.');
  if (ids.length === 0)
    return { photos: await client.photos.list({ ...filters, limit: 100 }, { signal }).toArray(), missing: [] };
  const unique = [...new Set(ids)];
  const photos: Photo[] = [];
  for (let at = 0; at < unique.length; at += IDS_PER_READ) {
    photos.push(
      ...(await client.photos.list({ ids: unique.slice(at, at + IDS_PER_READ), limit: 100 }, { signal }).toArray()),
    );
  }
  return { photos, missing: unique.filter((id) => !photos.some((photo) => photo.id === id)) };
}

async function downloadOne(
  client: PhotoService,
  photo: Photo,
  path: string,
  { rendition, format, signal, onBytes }: Options & { signal: AbortSignal; onBytes: (count: number) => void },
): Promise<Outcome> {
  const { id, sha256 } = photo;
  const isPhoto = (present: Present) => typeof present === 'object' && present.sha256 === sha256;
  try {
    const there = rendition === undefined ? await lookAt(path) : 'nothing';
    if (isPhoto(there)) return { id, path, outcome: 'present', error: null };
    const target = there === 'nothing' ? path : join(dirname(path), numbered(basename(path), id));
    if (target !== path && isPhoto(await lookAt(target))) return { id, path: target, outcome: 'present', error: null };
    const query = { ...(rendition && { rendition, ...(format && { format }) }) };
    await downloadFile(client, id, target, { ...query, signal, onBytes });
    return { id, path: target, outcome: 'downloaded', error: null };
  } catch (error) {
    if (isHopeless(error)) throw error;
    signal.throwIfAborted();
    const { message } = error as Error;
    return { id, path: null, outcome: 'failed', error: { code: codeOf(error as Error), message } };
  }
}
