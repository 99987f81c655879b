import { blobStores } from '../../src/composition/blob-stores.js';
import { settingsOf } from '../../src/config/config.js';
import { sources } from './sources.js';

const LIST = 'src/composition/blob-stores.ts';
const all = sources();
const remote = blobStores.filter(({ folder }) => folder === undefined);

test('there is more than one store that is not a folder of the installation', () => {
  expect(remote.map(({ kind }) => kind)).toEqual(['s3', 'azure']);
});

test.each(remote)('the store $kind costs its folder, and an import and a name in one list', (store) => {
  const folder = `src/adapters/${store.kind}-blobs/`;
  const own = all.filter(({ path }) => path.startsWith(folder));
  expect(own.length).toBeGreaterThan(0);
  const names = [store.kind, ...settingsOf(store), ...(store.prefix === undefined ? [] : [store.prefix])];
  const isNamed = new RegExp(`['"\`](${names.join('|')})['"\`]|\\b(${settingsOf(store).join('|')})\\b`);
  const knowing = all.filter(
    ({ path, code, imports }) =>
      !path.startsWith(folder) && (isNamed.test(code) || imports.some((target) => target.startsWith(folder))),
  );
  expect(knowing.map(({ path }) => path)).toEqual([LIST]);
  // The names are found where they belong.
  expect(own.some(({ code }) => isNamed.test(code))).toBe(true);
  const lines = knowing[0]?.code.split('\n').filter((line) => line.toLowerCase().includes(store.kind)) ?? [];
  expect(lines.map((line) => line.split(/\s/)[0])).toEqual(['import', 'export']);
});
