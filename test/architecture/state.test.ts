import { sharedFolders } from '../support/shared-modules-runtime.mjs';
import { sources } from './sources.js';

/**
 * What a module may keep while the process runs: values that would be the same if they were made again, and what is declared while modules
 * load. Everything else belongs to an object that is made where the ports are opened, or to an adapter. Test suites share these modules.
 */
const allowed: Readonly<Record<string, string>> = {
  'src/adapters/trace-context.ts: storage': 'the trace of a request or job; empty without tracing',
  'src/core/media/zones.ts: formats':
    'time zones, by their names: making a format takes twenty times as long as using it',
  'src/core/photos/places.ts: english': 'names of countries: reading them takes 10 ms, which most starts do not need',
  'src/http/fields/declared.ts: declaredFields': 'declared by decorators',
  'src/http/fields/declared.ts: models': 'declared by decorators',
  'src/http/responses/send-public.ts: paths': 'names of files of the program that do not change',
  'src/http/responses/send-public.ts: read': 'files of the program that do not change',
  'testing/memory/memory-database.ts: inTransactionOf': 'the database in whose transaction it is called; empty outside',
};

/** A variable, an empty collection, or an object whose purpose is to be filled. Values that are complete from the start do not count. */
const STATE =
  /^(?:export )?(?:let (\w+)|const (\w+)(?:: (?!readonly )[^=]+)? = (?:new (?:Map|Set|WeakMap|WeakSet|AsyncLocalStorage|Batcher|BufferPool)\b(?:<.*>)?\(\)|\[\]|\{\});)/gm;

function stateOf(code: string): string[] {
  return [...code.matchAll(STATE)].map(([, variable, constant]) => variable ?? constant ?? '');
}

test.each([
  ['let moments = 1;', ['moments']],
  ['export const caches = new WeakMap<BlobStore, BlobCache>();', ['caches']],
  ['const spare: Uint8Array[] = [];', ['spare']],
  ['const made: Record<string, string> = {};', ['made']],
  ["const READS = new Set(['GET']);", []],
  ['const none: readonly string[] = [];', []],
  ['  const found = new Map();', []],
])('state is seen in %s', (code, names) => {
  expect(stateOf(code)).toEqual(names);
});

test('modules keep no state: caches, batches and pools belong to objects', () => {
  const found = sharedFolders
    .flatMap(sources)
    .flatMap(({ path, code }) => stateOf(code).map((name) => `${path}: ${name}`));
  expect(found.sort()).toEqual(Object.keys(allowed));
});
