import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { measure } from '../../bin/house/measure.js';
import { sources } from './sources.js';

const root = join(__dirname, '../..');

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly imports: readonly { readonly file: string; readonly imports?: string; readonly repository?: string }[];
}

async function house(...options: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/house.js'), ...options], {
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

const measured = measure(root);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'house-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A tree of these files, beside an empty `src`. */
async function tree(files: Readonly<Record<string, string>>): Promise<string> {
  await mkdir(join(folder, 'src'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

test('in this tree it sees the imports that the import law sees', () => {
  const conceptOf = (path: string) => /^src\/core\/([^/]+)\//.exec(path)?.[1];
  const expected = sources().flatMap((file) =>
    file.imports.flatMap((target) => {
      const [from, to] = [conceptOf(file.path), conceptOf(target)];
      return from === undefined || to === undefined || from === to ? [] : [`${file.path} → ${target}`];
    }),
  );
  const seen = measured.direction.edges.flatMap((edge: Edge) =>
    edge.imports.flatMap((each) => (each.imports === undefined ? [] : [`${each.file} → ${each.imports}`])),
  );
  expect(expected.length).toBeGreaterThan(100);
  expect(seen.sort()).toEqual([...new Set(expected)].sort());
});

test('in this tree the files and folders of each folder have an order: each imports those below it', () => {
  expect(measured.circles).toEqual([]);
  for (const workspace of ['sdk', 'cli', 'uploader', 'postgres'])
    expect(measured.rings[`${workspace} workspace`].files).toBeGreaterThan(5);
});

test('a circle is found through any number of files and folders, with the imports that make it', async () => {
  const { circles } = measure(
    await tree({
      'src/a/b/x.ts': "import '../c.js';\n",
      'src/a/c.ts': "import './d/y.js';\n",
      'src/a/d/y.ts': "import '../b/z.js';\n",
      'src/a/b/z.ts': '\n',
      'src/a/e.ts': "import './b/x.js';\n",
      'sdk/src/one.ts': "import type { Two } from './two.js';\n",
      'sdk/src/two.ts': "export { one } from './one.js';\n",
    }),
  );
  expect(circles).toEqual([
    [
      ['src/a/b/x.ts', 'src/a/c.ts'],
      ['src/a/c.ts', 'src/a/d/y.ts'],
      ['src/a/d/y.ts', 'src/a/b/z.ts'],
    ],
    [
      ['sdk/src/one.ts', 'sdk/src/two.ts'],
      ['sdk/src/two.ts', 'sdk/src/one.ts'],
    ],
  ]);
});

test('types, import() and re-exports count as imports; cycles are found through any number of concepts', async () => {
  const { direction } = measure(
    await tree({
      'src/core/ports.ts': "import type { Photo } from './photos/photo.js';\nexport type Uses = Photo;\n",
      'src/core/shared/text.ts': "// import './nothing.js'\nexport const text = \"import '../imports/import.js'\";\n",
      'src/core/tags/tag.ts': "import type { Photo } from '../photos/photo.js';\nexport type Tag = Photo;\n",
      'src/core/photos/photo.ts': "export type Photo = import('../media/reader.js').Reader | string;\n",
      'src/core/media/reader.ts': "export type { Tag as Reader } from '../tags/tag.js';\n",
      'src/core/imports/import.ts':
        "import { text } from '../shared/text.js';\nimport type { Uses } from '../ports.js';\n",
      'src/core/access/key.ts': "export const key = () => import('../customers/customer.js');\n",
      'src/core/customers/customer.ts':
        "import '../access/key.js';\ndeclare module '../ports.js' { interface Ports {} }\n",
    }),
  );
  expect(direction.edges.map(({ from, to }: Edge) => `${from} → ${to}`).sort()).toEqual([
    'access → customers',
    'customers → access',
    'imports → shared',
    'media → tags',
    'photos → media',
    'tags → photos',
  ]);
  expect(direction.cycles).toEqual([
    ['access', 'customers'],
    ['media', 'photos', 'tags'],
  ]);
  expect(direction.againstDirection.map(({ from, to, imports }: Edge) => [from, to, imports])).toEqual([
    ['media', 'tags', [{ file: 'src/core/media/reader.ts', imports: 'src/core/tags/tag.ts' }]],
    ['tags', 'photos', [{ file: 'src/core/tags/tag.ts', imports: 'src/core/photos/photo.ts' }]],
  ]);
  expect(direction.portsImportedBy).toBe(1);
});

/** Two concepts that declare a repository each, and one use case. */
const withRepositories = (useCase: string, path = 'src/core/tags/use-case.ts') => ({
  'src/core/shared/transactional.ts': `
    export interface Reads {}
    export interface Repositories {}
    export type Transaction<Names extends keyof Repositories> = Pick<Repositories, Names>;
    export interface Transactional<Names extends keyof Repositories> { transaction(work: (transaction: Transaction<Names>) => void): void }
  `,
  'src/core/tags/tag-repository.ts':
    "declare module '../shared/transactional.js' { interface Reads { tags: TagReads } interface Repositories { tags: Tags } }\nexport interface Tags {}\n",
  'src/core/imports/import-repository.ts':
    "declare module '../shared/transactional.js' { interface Repositories { readonly imports: Imports } }\nexport interface Imports {}\n",
  [path]: useCase,
});

test('the name of a repository counts as an import of the concept that declares it', async () => {
  const { direction } = measure(
    await tree(
      withRepositories(`
        import type { Transaction, Transactional } from '../shared/transactional.js';
        // Transactional<'imports'>
        export function retag({ store }: { store: Transactional<'tags' | 'imports'> }) {}
        const count = (transaction: Transaction<'tags'>) => "Transaction<'imports'>";
      `),
    ),
  );
  const against = [{ file: 'src/core/tags/use-case.ts', repository: 'imports' }];
  expect(direction.againstDirection).toEqual([{ from: 'tags', to: 'imports', imports: against }]);
  expect(direction.unreadableNames).toEqual([]);

  const { direction: right } = measure(
    await tree(
      withRepositories("export const read = (store: Readable<'tags'>) => store;\n", 'src/core/imports/use-case.ts'),
    ),
  );
  expect(right.edges.map(({ from, to }: Edge) => `${from} → ${to}`)).toContain('imports → tags');
});

test('a cycle is one of names as well as one of imports', async () => {
  const { direction } = measure(
    await tree({
      ...withRepositories("import type { Access } from '../access/key.js';\n", 'src/core/customers/customer.ts'),
      'src/core/customers/customer-repository.ts':
        "declare module '../shared/transactional.js' { interface Repositories { customer: Customers } }\n",
      'src/core/access/key.ts': "export const key = (store: Transactional<'customer'>) => store;\n",
    }),
  );
  expect(direction.againstDirection).toEqual([]);
  expect(direction.cycles).toEqual([['access', 'customers']]);
});

test.each([
  [
    'all of them',
    'export const all = (store: Transactional<keyof Repositories>) => store;',
    ['keyof Repositories', 'Repositories'],
  ],
  ['a choice from all', "export type Some = Pick<Repositories, 'imports'>;", ['Repositories']],
  ['a name given by another type', 'export const other = (store: Transactional<Name>) => store;', ['Name']],
  ['a name that nobody declares', "export const none = (store: Readable<'phots'>) => store;", ["'phots'"]],
  [
    'another name of the type',
    "import { type Transactional as Store } from '../shared/transactional.js';",
    ['type Transactional as Store'],
  ],
])('names of repositories that cannot be read are found: %s', async (_, useCase, expected) => {
  const { direction } = measure(await tree(withRepositories(`${useCase}\n`)));
  expect(direction.unreadableNames.map(({ text }: { text: string }) => text)).toEqual(expected);
});

test('in this tree no file has more than 400 lines and no folder more than 16 files', () => {
  expect(measured.rooms.over).toEqual([]);
  expect(measured.rooms.fullest?.files).toBeLessThanOrEqual(16);
});

test('files over 400 lines are found, and files are added up by ring', async () => {
  const lines = (count: number) => '\n'.repeat(count - 1);
  const { rooms, rings, coreConcepts } = measure(
    await tree({
      'src/core/photos/trash.ts': `export async function trashPhoto({ store }: Uses) {}${lines(61)}\n`,
      'src/core/photos/photo.ts': `export function photo(value: string) {}${lines(90)}\n`,
      'src/api/photos.controller.ts': `${lines(401)}\n`,
      'src/adapters/photos.ts': `${lines(400)}\n`,
      'src/adapters/tags.ts': `${lines(1000)}\n`,
      'src/adapters/typeorm/migrations/1.ts': `${lines(500)}\n`,
      'src/main.ts': 'start();\n',
    }),
  );
  expect(rooms.over.map(({ path, lines }: { path: string; lines: number }) => [path, lines])).toEqual([
    ['src/adapters/tags.ts', 1000],
    ['src/api/photos.controller.ts', 401],
  ]);
  expect(rings.core).toEqual({ files: 2, lines: 151 });
  expect(coreConcepts).toEqual({ photos: { files: 2, lines: 151 } });
});

test('rooms: the file in the middle, the fullest folder, short files with one caller, and comments without a subject', async () => {
  const { rooms } = measure(
    await tree({
      'src/core/tags/tag.ts':
        '/** What is a tag. */\nexport type Tag = string;\n/** The longest name. */\nexport const MAX = 1;\n',
      'src/core/tags/read-tag.ts': "import type { Tag } from './tag.js';\n",
      'src/core/tags/edit-tag.ts': "import type { Tag } from './tag.js';\nimport './save-tag.js';\n",
      'src/core/tags/save-tag.ts': '\n',
      'src/api/tags.module.ts':
        "import './tags.controller.js';\nimport '../core/tags/edit-tag.js';\nimport '../core/tags/read-tag.js';\n",
      'src/api/tags.controller.ts': `import '../core/tags/edit-tag.js';\nimport '../core/tags/read-tag.js';${'\n'.repeat(70)}`,
    }),
  );
  expect(rooms).toMatchObject({ files: 6, median: 3, fullest: { folder: 'src/core/tags', files: 4 } });
  expect(rooms.withOneCaller).toEqual(['src/core/tags/save-tag.ts']);
  expect([rooms.comments, rooms.withoutSubject]).toEqual([2, [{ path: 'src/core/tags/tag.ts', word: 'What' }]]);
});

test('for people it prints a table, with a column for another checkout', async () => {
  await tree({
    'src/core/tags/tag.ts': "import '../photos/photo.js';\n",
    'src/core/photos/photo.ts': "import '../tags/tag.js';\n",
    'earlier/src/core/tags/tag.ts': '\n\n',
  });
  const printed = await house('--root', folder, '--before', join(folder, 'earlier'), '--verbose');
  expect(printed).toMatch(/^\| +\| before \| after \|\n/);
  expect(printed).toMatch(/^\| core\/tags: files, lines \| 1, 2 \| 1, 1 \|$/m);
  expect(printed).toMatch(/^\| circles of files and folders \| 0 \| 1 \|$/m);
  expect(printed).toContain('\nCircle\n  src/core/photos/photo.ts → src/core/tags/tag.ts\n');
});
