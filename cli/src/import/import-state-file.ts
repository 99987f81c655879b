import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { ImportOptions } from 'photo-service-sdk';
import { ownFolder } from '../folders.js';
import type { Login } from '../login.js';
import type { ImportName } from './open-import.js';

/**
 * The file of the state (photo-service-sdk, import/import-state.ts, which also says what a later run skips), in `photo-service/imports` of
 * `$XDG_STATE_HOME` or `~/.local/state`, unless `--state` names another. One for each service, key, source, set of paths and set of options: a
 * run goes on only with what it was begun with, and never with what was begun in another account.
 */
export function importStateFile(
  { url, token }: Login,
  from: ImportName,
  paths: readonly string[],
  options: ImportOptions,
): string {
  const { uploads: _, dryRun: __, tagDuplicates: ___, ...lasting } = options;
  const places = paths.map((path) => resolve(path)).sort();
  const what = JSON.stringify([url.replace(/\/{1,9}$/, ''), token, places, lasting, from]);
  return join(ownFolder('state'), 'imports', `${hash('sha256', what).slice(0, 20)}.json`);
}
