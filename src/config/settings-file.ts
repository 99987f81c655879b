import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { BlobStoreKind } from '../core/blobs/blob-store-kind.js';
import { ConfigError, settingNames, settingsOf } from './config.js';
import type { Environment } from './environment-reader.js';

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
 * Finds the settings file, which a service and the commands on its installation both read, and reads it: the named one, otherwise
 * `phs.env` in the data folder that the environment names, otherwise in the working directory, beside `./data`. A relative DATA_DIR in it
 * is relative to the file's own folder, so that it names the same installation wherever the file is read from.
 * @param stores The kinds of blob stores. @throws ConfigError when a file that is named, or found, cannot be read or names code.
 */
export function readSettings(
  env: Environment,
  folder: string,
  stores: readonly BlobStoreKind[],
  named?: string,
): Settings {
  const isNamed = named !== undefined;
  const path = resolve(folder, named ?? join(env['DATA_DIR']?.trim() || '.', 'phs.env'));
  const values = valuesOf(path, isNamed);
  // Permission to write such a file, or a data folder, is not permission to choose what runs.
  if (isModulePath(values?.['BLOB_STORE']?.trim() ?? '')) {
    const advice = 'Set it in the environment of the process instead, or name one of the stores that are there';
    const kinds = stores.map(({ kind }) => kind).join(', ');
    throw new ConfigError([
      `BLOB_STORE in ${path} names a module, which a file of settings may not. ${advice}: ${kinds}.`,
    ]);
  }
  const dataDir = values?.['DATA_DIR']?.trim();
  // Node 20 treats --env-file as an option of its own wherever it occurs, so that the file's value may be in the environment already.
  const isOfFile = dataDir && (env['DATA_DIR'] === undefined || (isNamed && env['DATA_DIR'] === values?.['DATA_DIR']));
  return {
    env: { ...values, ...env, ...(isOfFile && { DATA_DIR: resolve(dirname(path), dataDir) }) },
    file: values === null ? null : path,
    fileNames: Object.keys(values ?? {}),
    warnings: misspeltSettings(Object.keys(env), Object.keys(values ?? {}), stores),
  };
}

/** Whether a value of `BLOB_STORE` is the path of a module, which is loaded and run. */
export function isModulePath(text: string): boolean {
  return /^(\.{0,2}[\\/]|[A-Za-z]:[\\/])/.test(text);
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

/**
 * A message for each name that is probably a misspelt setting. A settings file contains nothing else, so there every unknown name is one;
 * in an environment most names belong to other programs. Values are not checked.
 */
export function misspeltSettings(
  inEnvironment: readonly string[],
  inFile: readonly string[],
  stores: readonly BlobStoreKind[],
): readonly string[] {
  // Settings of stores that `phs blobs copy` reads again for its target.
  const ofTargets = stores.flatMap(settingsOf).map((name) => `TO_${name}`);
  const known = [...settingNames(stores), ...ofTargets];
  // Any name with one of these prefixes is meant for this program.
  const ours = ['PHS_', ...stores.flatMap(({ prefix }) => (prefix === undefined ? [] : [prefix, `TO_${prefix}`]))];
  const sentences = (names: readonly string[], isOurs: (name: string) => boolean) =>
    names.flatMap((name) => {
      if (known.includes(name)) return [];
      const meant = closest(name, known);
      const about = `${name} is not a setting and has no effect.`;
      return meant !== undefined ? [`${about} Did you mean ${meant}?`] : isOurs(name) ? [about] : [];
    });
  const ofFile = sentences(inFile, (name) => !hasPrefix(name, OF_LIBRARIES));
  return [...new Set([...ofFile, ...sentences(inEnvironment, (name) => hasPrefix(name, ours))])];
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
