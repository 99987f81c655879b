import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PhotoQuery, PhotoService } from 'photo-service-sdk';
import { UsageError } from './exit-codes.js';

export function idOption(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) {
    throw new InvalidArgumentError('It must be an id such as 1.');
  }
  return Number(text);
}

/** For repeated arguments: `7 8,9` */
export function idsOption(text: string, sofar: readonly number[] = []): readonly number[] {
  return [...sofar, ...text.split(',').map((each) => idOption(each.trim()))];
}

export function wholeOption(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or greater.');
  return Number(text);
}

/** Repeated options add to the list; nothing is split, since names may hold commas. */
export function namesOption(text: string, sofar: readonly string[] = []): readonly string[] {
  return [...sofar, text];
}

/** Which photos are meant, by other things than their ids. */
export interface FilterOptions {
  readonly query?: string;
  readonly tag?: readonly string[];
  readonly import?: number;
  readonly takenAfter?: string;
  readonly takenBefore?: string;
  readonly minRating?: number;
  readonly favorite?: boolean;
  readonly creator?: string;
  readonly country?: string;
  readonly place?: string;
  readonly similarTo?: number;
  readonly maxDistance?: number;
  readonly trashed?: 'false' | 'true' | 'any';
}

export function withFilters(command: Command): Command {
  return command
    .option('--query <words>', 'search words in file names, titles, descriptions, creators, places and tags')
    .option('--tag <name>', 'only photos with this tag (repeatable: with all of them)', namesOption)
    .option('--import <id>', 'only photos of this import', idOption)
    .option('--taken-after <time>', 'for example 2026-01-01T00:00:00Z')
    .option('--taken-before <time>')
    .option('--min-rating <n>', 'from 0 to 5', wholeOption)
    .option('--favorite', 'only favourites')
    .option('--no-favorite', 'only photos that are no favourites')
    .option('--creator <name>', 'part of the name of who made them')
    .option('--country <code>', 'where they were taken, for example FR')
    .option('--place <words>', 'words of the city, region or country')
    .option('--similar-to <id>', 'only photos that look like this one, nearest first', idOption)
    .option('--max-distance <n>', 'with --similar-to: in how many of 64 bits hashes may differ, 0 to 16', wholeOption)
    .addOption(new Option('--trashed <which>', 'photos in the trash').choices(['false', 'true', 'any']));
}

export async function filtersOf(client: PhotoService, options: FilterOptions): Promise<PhotoQuery> {
  const { query, tag, takenAfter, takenBefore, minRating, favorite, creator, country, place, trashed } = options;
  const { similarTo, maxDistance } = options;
  if (maxDistance !== undefined && similarTo === undefined)
    throw new UsageError('--max-distance requires --similar-to, the photo that others are compared with.');
  return given({
    q: query,
    tagIds: tag && (await Promise.all(tag.map((name) => tagId(client, name)))),
    importId: options.import,
    ...{ takenAfter, takenBefore, minRating, favorite, creator, country, place, similarTo, maxDistance, trashed },
  });
}

/** The tag of a name. @throws UsageError when there is none. */
export async function tagId(client: PhotoService, name: string): Promise<number> {
  const tag = await client.tags.named(name);
  if (tag === null) throw new UsageError(`There is no tag ${name}. To list all tags: phs tags list`);
  return tag.id;
}

/** Returns the values that were given, without those that are undefined. */
export function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };
