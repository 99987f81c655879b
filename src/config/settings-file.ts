import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from './config.js';
import type { Environment } from './environment-reader.js';
import { misspeltSettings } from './setting-names.js';

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
