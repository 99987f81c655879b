import { Command, InvalidArgumentError, Option } from 'commander';
import {
  ApiError,
  type Photo,
  type PhotoEdit,
  type PhotoPatch,
  type PhotoQuery,
  type PhotoService,
} from 'photo-service-sdk';
import { PartlyDone, UsageError } from '../exit-codes.js';
import { interruptible } from '../interruptible.js';
import { connect } from '../login.js';
import {
  type FilterOptions,
  filtersOf,
  given,
  idOption,
  idsOption,
  namesOption,
  wholeOption,
  withFilters,
} from '../options.js';
import { bytesText, count, type OutputOptions, print, printNote, tableOf } from '../print.js';

export function photosCommand(): Command {
  return new Command('photos')
    .description('list and change the photos in the library')
    .addCommand(list())
    .addCommand(get())
    .addCommand(edit())
    .addCommand(remove())
    .addCommand(restore());
}

function list(): Command {
  return withFilters(new Command('list').description('list photos, newest first'))
    .addOption(
      new Option('--sort <order>', 'prefix it with - for descending order').choices(
        ['createdAt', 'id', 'takenAt', 'filename', 'sizeBytes']
          .flatMap((name) => [name, `-${name}`])
          .concat('updatedAt'),
      ),
    )
    .option('--limit <n>', 'maximum number of photos (default: 100; 0: all)', wholeOption)
    .action(async (options: FilterOptions & OutputOptions & { sort?: PhotoQuery['sort']; limit?: number }) => {
      const client = await connect();
      const filters = await filtersOf(client, options);
      const most = options.limit === 0 ? Number.POSITIVE_INFINITY : (options.limit ?? 100);
      const query = { ...filters, ...(options.sort && { sort: options.sort }), limit: Math.min(100, most) };
      const photos: Photo[] = [];
      await interruptible(async (signal) => {
        for await (const photo of client.photos.list(query, { signal })) {
          if (photos.push(photo) >= most) break;
        }
      });
      const lines = tableOf(photos, {
        ID: ({ id }) => id,
        FILE: ({ filename }) => filename,
        TAKEN: ({ takenAtLocal }) => takenAtLocal ?? '-',
        SIZE: ({ sizeBytes }) => bytesText(sizeBytes),
        PIXELS: ({ width, height }) => `${width}×${height}`,
        TAGS: ({ tags }) => tags.map(({ name }) => name).join(', '),
      });
      print(options, { photos }, lines);
    });
}

function get(): Command {
  return new Command('get')
    .description('show a photo with all its fields')
    .argument('<id>', 'the id of the photo', idOption)
    .option('--exif', 'include the raw metadata of the file')
    .option('--trashed', 'even if it is in the trash')
    .action(async (id: number, options: OutputOptions & { exif?: boolean; trashed?: boolean }) => {
      const extras = {
        ...(options.exif && { include: ['exif' as const] }),
        ...(options.trashed && { trashed: 'any' as const }),
      };
      const photo = await (await connect()).photos.get(id, extras);
      print(options, photo, JSON.stringify(photo, null, 2).split('\n'));
    });
}

/** An empty one of these clears the field. */
const TEXTS = ['title', 'description', 'creator', 'copyright', 'takenAt', 'timeZone', 'externalId'] as const;

interface EditOptions extends OutputOptions, Partial<Record<'filename' | (typeof TEXTS)[number], string>> {
  /** Null: none. */
  readonly rating?: number | null;
  readonly favorite?: boolean;
  readonly rotation?: '0' | '90' | '180' | '270';
  readonly focus?: string;
  /** In seconds. */
  readonly shift?: number;
  readonly tags?: readonly string[];
  readonly metadata?: readonly string[];
}

function edit(): Command {
  return new Command('edit')
    .description('edit photos; an empty value clears a field')
    .argument('<ids...>', 'ids of photos', idsOption)
    .option('--filename <name>')
    .option('--title <text>')
    .option('--description <text>')
    .option('--rating <0-5>', '', ratingOption)
    .option('--favorite', 'make them favourites')
    .option('--no-favorite', 'make them favourites no longer')
    .option('--creator <text>')
    .option('--copyright <text>')
    .addOption(new Option('--rotation <degrees>', 'clockwise').choices(['0', '90', '180', '270']))
    .option('--focus <x,y>', 'what crops keep in view, from 0,0 (top left) to 1,1, for example 0.5,0.3')
    .option('--taken-at <time>', 'for example 2026-11-21T10:00:00+01:00')
    .option('--time-zone <zone>', 'for example Europe/Oslo; keeps the wall-clock time')
    .addOption(
      new Option('--shift <duration>', 'move capture times by so much, each from its own: -1h30m, +3600s, 2d')
        .argParser(shiftOption)
        .conflicts(['takenAt', 'timeZone']),
    )
    .option('--external-id <id>')
    .option('--metadata <key=value>', 'repeatable; key= removes a key', namesOption)
    .option('--tags <name>', 'replace all tags with these (repeatable; one empty name removes all)', namesOption)
    .action(async (ids: readonly number[], options: EditOptions) => {
      const patch = patchOf(options);
      if (Object.keys(patch).length === 0 && !options.tags) throw new UsageError('Specify at least one change.');
      const client = await connect();
      const edits =
        Object.keys(patch).length > 0
          ? await updateEach(client, ids, patch)
          : [...new Set(ids)].map((id): Outcome => ({ id, outcome: 'unchanged', error: null }));
      const tagNames = options.tags?.filter((name) => name !== '');
      const outcomes = tagNames ? await setTagsOfEach(client, edits, tagNames) : edits;
      const failed = outcomes.filter(({ outcome }) => outcome !== 'updated' && outcome !== 'unchanged');
      const unchanged = outcomes.filter(({ outcome }) => outcome === 'unchanged').length;
      const changed = `${count(outcomes.length - failed.length - unchanged, 'photo')} changed`;
      print(options, { photos: outcomes, tags: tagNames ?? null }, [
        unchanged > 0 ? `${changed}, ${unchanged} unchanged` : changed,
      ]);
      requireNoFailures(options, failed);
    });
}

function requireNoFailures({ json }: OutputOptions, failed: readonly { id: number; error?: Outcome['error'] }[]): void {
  if (failed.length === 0) return;
  if (!json) for (const { id, error } of failed) printNote(`photo ${id}: ${error?.message ?? 'does not exist'}`);
  throw new PartlyDone();
}

/** Photos of one call of the API: it changes all of them or, when it fails, none. */
const PHOTOS_PER_CALL = 100;

/** If a call fails, says which photos were changed before: a shift must not be repeated for them. */
async function updateEach(client: PhotoService, ids: readonly number[], patch: PhotoPatch): Promise<Outcome[]> {
  const unique = [...new Set(ids)];
  const edits: Outcome[] = [];
  for (let at = 0; at < unique.length; at += PHOTOS_PER_CALL) {
    try {
      edits.push(...(await client.photos.updateMany(unique.slice(at, at + PHOTOS_PER_CALL), patch)));
    } catch (error) {
      if (at > 0) {
        printNote(`Before this error, the first ${at} of ${unique.length} photos were done. The others:`);
        printNote(unique.slice(at).join(','));
      }
      throw error;
    }
  }
  return edits;
}

type Outcome = Pick<PhotoEdit, 'id' | 'outcome' | 'error'>;

/** Gives these tags to all photos that are there: a write for each. */
async function setTagsOfEach(client: PhotoService, edits: readonly Outcome[], tagNames: string[]): Promise<Outcome[]> {
  const tags = tagNames.length > 0 ? { tagNames } : { tagIds: [] };
  const outcomes: Outcome[] = [];
  for (const edit of edits) {
    if (edit.outcome !== 'updated' && edit.outcome !== 'unchanged') {
      outcomes.push(edit);
      continue;
    }
    try {
      await client.photos.setTags(edit.id, tags);
      outcomes.push({ ...edit, outcome: 'updated' });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
      outcomes.push({ id: edit.id, outcome: 'not_found', error: null });
    }
  }
  return outcomes;
}

function patchOf(options: EditOptions): PhotoPatch {
  const { filename, shift, rotation, focus, rating, favorite, metadata } = options;
  const texts = TEXTS.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [[name, value === '' ? null : value] as const];
  });
  return {
    ...Object.fromEntries(texts),
    ...(shift !== undefined && { shiftTakenAt: { seconds: shift } }),
    ...given({ filename, rating, favorite }),
    ...(rotation !== undefined && { rotation: Number(rotation) as 0 | 90 | 180 | 270 }),
    ...(focus !== undefined && { focus: focus === '' ? null : point(focus) }),
    ...(metadata && { metadata: Object.fromEntries(metadata.map(pair)) }),
  };
}

function ratingOption(text: string): number | null {
  if (!/^[0-5]?$/.test(text)) throw new InvalidArgumentError('It must be 0 to 5, or empty for none.');
  return text === '' ? null : Number(text);
}

/** `-1h30m` in seconds. */
function shiftOption(text: string): number {
  const parts = /^([+-]?)(?:(\d{1,5})d)?(?:(\d{1,10})h)?(?:(\d{1,10})m)?(?:(\d{1,10})s)?$/.exec(text);
  const sum = [86_400, 3600, 60, 1].reduce((total, length, at) => total + length * Number(parts?.[at + 2] ?? 0), 0);
  if (sum === 0) {
    throw new InvalidArgumentError(
      'It must look like -1h30m or +3600s: days (d), hours (h), minutes (m), seconds (s).',
    );
  }
  return parts?.[1] === '-' ? -sum : sum;
}

function point(text: string): { x: number; y: number } {
  const [, x, y] = /^([0-9.]+),([0-9.]+)$/.exec(text) ?? [];
  if (x === undefined || Number.isNaN(Number(x)) || Number.isNaN(Number(y)))
    throw new UsageError(`${text} must look like 0.5,0.3.`);
  return { x: Number(x), y: Number(y) };
}

function pair(text: string): [string, string | null] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`${text} must look like key=value.`);
  return [text.slice(0, at), text.slice(at + 1) || null];
}

function remove(): Command {
  return new Command('rm')
    .description('move photos to the trash')
    .argument('<ids...>', 'ids of photos', idsOption)
    .option('--permanent', 'delete permanently, even from the trash; requires --yes')
    .option('--yes', 'really')
    .action(async (ids: readonly number[], options: OutputOptions & { permanent?: boolean; yes?: boolean }) => {
      const { permanent = false } = options;
      if (permanent && !options.yes)
        throw new UsageError('This cannot be undone. Add --yes to delete the photos permanently.');
      const deletions = await (await connect()).photos.deleteMany(ids, { permanent });
      const missing = deletions.filter(({ outcome }) => outcome === 'not_found');
      const where = permanent ? 'permanently deleted' : 'moved to the trash';
      print(options, { photos: deletions }, [`${count(deletions.length - missing.length, 'photo')} ${where}`]);
      requireNoFailures(options, missing);
    });
}

function restore(): Command {
  return new Command('restore')
    .description('restore photos from the trash')
    .argument('<ids...>', 'ids of photos', idsOption)
    .action(async (ids: readonly number[], options: OutputOptions) => {
      const edits = await (await connect()).photos.updateMany(ids, { trashed: false });
      const failed = edits.filter(({ outcome }) => outcome !== 'updated' && outcome !== 'unchanged');
      print(options, { photos: edits }, [`${count(edits.length - failed.length, 'photo')} restored`]);
      requireNoFailures(options, failed);
    });
}
