import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { azureBlobs } from '../adapters/azure-blobs/azure-blobs.js';
import { OutsideBlobStore } from '../adapters/decorators/outside-blob-store.js';
import { localBlobs } from '../adapters/local-blobs/local-blob-store.js';
import { s3Blobs } from '../adapters/s3-blobs/s3-blobs.js';
import { type Config, readConfig } from '../config/config.js';
import type { Environment } from '../config/environment-reader.js';
import { isModulePath, readSettings, type Settings } from '../config/settings-file.js';
import type { BlobStoreKind, OpenedBlobStore } from '../core/blobs/blob-store-kind.js';
import { reasonOf } from '../core/shared/errors.js';

/** The kinds of blob stores that come with the program: a new one is its folder and its line here. The first is the default. */
export const blobStores: readonly BlobStoreKind[] = [localBlobs, s3Blobs, azureBlobs];

/** The kinds that an environment may choose from: those of the program, and the one of the module that `BLOB_STORE` names by its path. */
export function blobStoresOf(env: Environment): readonly BlobStoreKind[] {
  const chosen = env['BLOB_STORE']?.trim() ?? '';
  return isModulePath(chosen) ? [...blobStores, outsideStore(chosen, 'BLOB_STORE')] : blobStores;
}

/** The validated settings in an environment. Throws one `ConfigError` that lists every problem. */
export function configOf(env: Environment): Config {
  return readConfig(env, blobStoresOf(env));
}

/**
 * Reads the settings of this process: the values of the file become part of its environment, because libraries read that by themselves. Call
 * it once. @param named The file; if absent, the one beside the data folder. @throws ConfigError
 */
export function loadSettings(named?: string): Settings {
  const settings = readSettings(process.env, process.cwd(), blobStoresOf(process.env), named);
  Object.assign(process.env, settings.env);
  return settings;
}

/** The parts that a module from outside must have. */
const REQUIRED = { kind: 'string', advice: 'string', settings: 'function', describe: 'function', open: 'function' };

/**
 * The store that a module exports. One that cannot be used has a problem instead of settings, so that it is reported with all others.
 * @param path From the working folder. @param where The name of what gave the path, for messages.
 */
export function outsideStore(path: string, where: string): BlobStoreKind {
  const file = resolve(path);
  const kinds = blobStores.map(({ kind }) => kind).join(', ');
  const expected = `It must be a module whose default export is a kind of blob store, as docs/adapters.md describes; or use one of those that are there: ${kinds}.`;
  const problem = (sentence: string): BlobStoreKind => ({
    kind: path,
    advice: '',
    settings: (read) => read.problem(`${where}: ${sentence} ${expected}`),
    describe: () => path,
    open: () => Promise.reject(new Error(sentence)),
  });
  if (!existsSync(file)) return problem(`there is no module ${file}.`);
  let exported: unknown;
  try {
    // Not `import()`: the settings that it reads belong to those that are read, and reported, all at once.
    exported = createRequire(file)(file).default;
  } catch (error) {
    return problem(`${file} cannot be loaded (${reasonOf(error)}).`);
  }
  if (typeof exported !== 'object' || exported === null) return problem(`${file} has no default export.`);
  const lacking = Object.entries(REQUIRED).flatMap(([name, type]) =>
    typeof (exported as Record<string, unknown>)[name] === type ? [] : [`${name} (a ${type})`],
  );
  if (lacking.length > 0) return problem(`the default export of ${file} lacks ${lacking.join(', ')}.`);
  const store = exported as BlobStoreKind;
  return Object.create(store, {
    kind: { value: path, enumerable: true },
    open: {
      async value(...args: Parameters<BlobStoreKind['open']>): Promise<OpenedBlobStore> {
        const opened = await store.open(...args);
        return { ...opened, blobs: new OutsideBlobStore(opened.blobs), close: () => opened.close?.() };
      },
    },
  });
}
