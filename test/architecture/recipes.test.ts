/* @slow @rest */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePatch } from 'diff';
import { pathIn, TreeCopy } from '../support/tree-copy.js';

/** The recipes of CONTRIBUTING, each a patch of what a maintainer would commit. */

const root = join(__dirname, '../..');
const FOLDER = 'docs/recipes';

interface Recipe {
  readonly name: string;
  /** The most files of src that are new, and that are changed. Those that commands write are not in a patch. */
  readonly created: number;
  readonly changed: number;
  /** The suites of what it touches. */
  readonly suites: string;
}

const recipes: readonly Recipe[] = [
  { name: 'endpoint', created: 0, changed: 4, suites: 'core/neighbours|api/neighbours' },
  { name: 'field', created: 1, changed: 4, suites: 'api/photo-fields|adapters/typeorm-photos' },
  { name: 'format', created: 1, changed: 1, suites: 'adapters/ppm-pictures|core/formats|architecture/formats' },
  { name: 'resource', created: 7, changed: 5, suites: '(core|api|pages)/albums' },
  {
    name: 'blob-store',
    created: 1,
    changed: 1,
    suites: 'contracts/attic-blobs|architecture/blob-stores|boot/blob-stores',
  },
  { name: 'gazetteer', created: 1, changed: 1, suites: 'adapters/cached-gazetteer' },
  { name: 'mailer', created: 1, changed: 1, suites: 'contracts/sendmail-mailer' },
  { name: 'rate-windows', created: 1, changed: 1, suites: 'contracts/file-rate-windows' },
];

const textOf = (name: string) => readFileSync(join(root, FOLDER, name, 'recipe.patch'), 'utf8');
const filesOf = (name: string) =>
  parsePatch(textOf(name)).map((file) => ({ path: pathIn(file), isNew: file.isCreate === true, hunks: file.hunks }));

test('CONTRIBUTING names the folder of each recipe, and each folder is tested', () => {
  const names = recipes.map(({ name }) => name);
  expect(readdirSync(join(root, FOLDER)).sort()).toEqual(names.toSorted());
  const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  expect(names.filter((name) => !page.includes(`(${FOLDER}/${name}/recipe.patch)`))).toEqual([]);
});

test.each(recipes)(
  'the recipe $name has at most $created new and $changed changed files of src, and tests',
  (recipe) => {
    const all = filesOf(recipe.name);
    const ofSource = all.filter(({ path }) => path.startsWith('src/'));
    const created = ofSource.filter(({ isNew }) => isNew).length;
    expect(created).toBeLessThanOrEqual(recipe.created);
    expect(ofSource.length - created).toBeLessThanOrEqual(recipe.changed);
    expect(all.some(({ path }) => path.startsWith('test/'))).toBe(true);
  },
);

test('the recipe of a resource has at most 12 new files, with its tests and the repository in memory', () => {
  expect(filesOf('resource').filter(({ isNew }) => isNew).length).toBeLessThanOrEqual(12);
});

test.each([
  ['blob-store', 'src/composition/blob-stores.ts'],
  ['gazetteer', 'src/ports.module.ts'],
  ['mailer', 'src/ports.module.ts'],
  ['rate-windows', 'src/ports.module.ts'],
])('the recipe %s changes one line of src beside an import', (name, changed) => {
  const files = filesOf(name).filter(({ path, isNew }) => path.startsWith('src/') && !isNew);
  const lines = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines.filter((line) => /^[-+]/.test(line))));
  expect(files.map(({ path }) => path)).toEqual([changed]);
  expect(lines.map((line) => (line.startsWith('+import ') ? '+import' : line[0]))).toEqual(['+import', '-', '+']);
});

test.each(recipes)('the recipe $name applies to this tree as it is', ({ name }) => {
  const changed = filesOf(name).flatMap(({ path, isNew }) => (isNew ? [] : [path]));
  const copy = new TreeCopy(changed);
  try {
    copy.apply(textOf(name));
  } finally {
    copy.remove();
  }
});

/** Compilation, and suites in a process of their own, beside all others. */
jest.setTimeout(900_000);

/** Of the resource, test/services/albums-recipe.test.ts does this, and more. */
test('the recipes compile, with the documents and types that commands write, and pass the suites of what they touch', () => {
  const small = recipes.filter(({ name }) => name !== 'resource');
  const copy = new TreeCopy();
  try {
    for (const { name } of small) copy.apply(textOf(name));
    copy.compile();
    const suites = ['architecture/words', ...small.map((recipe) => recipe.suites)].join('|');
    expect(copy.jest(`test/(${suites})\\.test`)).toMatch(/Test Suites: +(\d+) passed, \1 total/);
  } finally {
    copy.remove();
  }
});
