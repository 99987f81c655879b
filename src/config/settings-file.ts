import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, settingNames } from './config.js';
import type { Environment } from './environment-reader.js';

/** The name of the file that a service and the commands on its installation both read. */
const SETTINGS_FILE = 'phs.env';

export interface Settings {
  /** The environment, and below it the values of the file. */
  readonly env: Environment;
  /** The file's path; null: there is none. */
  readonly file: string | null;
  /** The names that have a value in it. */
  readonly fileNames: readonly string[];
  /** Messages for people about names that are probably misspelt. */
  readonly warnings: readonly string[];
}

/**
 * Finds the settings file and reads it: the named one, otherwise `phs.env` in the data folder that the environment names, otherwise in the
 * working directory, beside `./data`. A relative DATA_DIR in it is relative to the file's own folder, so that it names the same
 * installation wherever the file is read from.
 * @throws ConfigError when a file that is named, or found, cannot be read.
 */
export function readSettings(env: Environment, folder: string, named?: string): Settings {
  const isNamed = named !== undefined;
  const path = resolve(folder, named ?? join(env['DATA_DIR']?.trim() || '.', SETTINGS_FILE));
  const values = valuesOf(path, isNamed);
  const dataDir = values?.['DATA_DIR']?.trim();
  // Node 20 treats --env-file as an option of its own wherever it occurs, so that the file's value may be in the environment already.
  const isOfFile = dataDir && (env['DATA_DIR'] === undefined || (isNamed && env['DATA_DIR'] === values?.['DATA_DIR']));
  return {
    env: { ...values, ...env, ...(isOfFile && { DATA_DIR: resolve(dirname(path), dataDir) }) },
    file: values === null ? null : path,
    fileNames: Object.keys(values ?? {}),
    warnings: misspeltSettings(Object.keys(env), Object.keys(values ?? {})),
  };
}

/** The same for this process: the file's values become part of its environment, because libraries read that by themselves. Call it once. */
export function loadSettings(named?: string): Settings {
  const settings = readSettings(process.env, process.cwd(), named);
  Object.assign(process.env, settings.env);
  return settings;
}

function valuesOf(path: string, isNamed: boolean): Record<string, string> | null {
  try {
    return parseEnv(readFileSync(path, 'utf8')) as Record<string, string>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!isNamed && (code === 'ENOENT' || code === 'ENOTDIR')) return null;
    throw new ConfigError([`The settings file ${path} cannot be read (${message}).`]);
  }
}

/** Variables that the libraries of this program read by themselves: Node, pg, the AWS SDK and OpenTelemetry. */
const OF_LIBRARIES = ['NODE_', 'PG', 'AWS_', 'OTEL_'];
/** Any name with one of these prefixes is meant for this program. */
const OURS = ['PHS_', 'S3_', 'TO_S3_'];

/**
 * A message for each name that is probably a misspelt setting. A settings file contains nothing else, so there every unknown name is one;
 * in an environment most names belong to other programs. Values are not checked.
 */
export function misspeltSettings(inEnvironment: readonly string[], inFile: readonly string[]): readonly string[] {
  const known = knownNames();
  const unknown = (names: readonly string[]) => names.filter((name) => !known.includes(name));
  const sentences = new Set<string>();
  for (const name of unknown(inFile)) {
    const meant = closest(name, known);
    if (meant !== undefined || !hasPrefix(name, OF_LIBRARIES)) sentences.add(sentence(name, meant));
  }
  for (const name of unknown(inEnvironment)) {
    const meant = closest(name, known);
    if (meant !== undefined || hasPrefix(name, OURS)) sentences.add(sentence(name, meant));
  }
  return [...sentences];
}

/** The settings, and those of them that `phs blobs copy` reads again for its target. */
function knownNames(): readonly string[] {
  const names = settingNames();
  return [...names, ...names.filter((name) => name.startsWith('S3_')).map((name) => `TO_${name}`)];
}

function sentence(name: string, meant: string | undefined): string {
  return `${name} is not a setting and has no effect.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}

function hasPrefix(name: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => name.startsWith(prefix));
}

const MAX_SLIPS = 2;

/** One typing error in a short name, two in a long one. */
function closest(name: string, known: readonly string[]): string | undefined {
  const upper = name.toUpperCase();
  return known
    .filter(({ length }) => Math.abs(length - upper.length) <= MAX_SLIPS)
    .map((candidate) => ({ candidate, slips: distance(upper, candidate) }))
    .filter(({ candidate, slips }) => slips <= (candidate.length < 8 ? 1 : MAX_SLIPS))
    .sort((a, b) => a.slips - b.slips)[0]?.candidate;
}

/** Letters inserted, deleted, changed, or swapped with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, changed, isSwap ? at(i - 2, j - 2) + 1 : changed);
    }
  }
  return at(a.length, b.length);
}
