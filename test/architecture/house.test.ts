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

test('in this tree it sees the imports that the import law sees, and the examples that it counts by are still there', async () => {
  const { direction, touched } = measure(root);
  const conceptOf = (path: string) => /^src\/core\/([^/]+)\//.exec(path)?.[1];
  const expected = sources().flatMap((file) =>
    file.imports.flatMap((target) => {
      const [from, to] = [conceptOf(file.path), conceptOf(target)];
      return from === undefined || to === undefined || from === to ? [] : [`${file.path} → ${target}`];
    }),
  );
  const seen = direction.edges.flatMap((edge: Edge) =>
    edge.imports.flatMap((each) => (each.imports === undefined ? [] : [`${each.file} → ${each.imports}`])),
  );
  expect(expected.length).toBeGreaterThan(100);
  expect(seen.sort()).toEqual([...new Set(expected)].sort());

  expect(touched.endpoint.files).toContain('src/api/photos/photo-parts.controller.ts');
  for (const { files, declared } of touched.fields) expect(Math.min(files.length, declared)).toBeGreaterThan(3);
  for (const { own } of [touched.store, ...touched.resources]) expect(own.length).toBeGreaterThan(0);
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
  expect(direction.mutualPairs).toEqual([['access', 'customers']]);
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

test('statements are counted once, where they begin; plain is one verb on one table', async () => {
  const { statements } = measure(
    await tree({
      'src/adapters/typeorm/photos.ts': `
        // SELECT nothing FROM comments
        const privilege = 'SELECT';
        const plain = \`SELECT \${columns} FROM photos WHERE id = $1 FOR UPDATE\`;
        const upsert = 'INSERT INTO tags (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET id = excluded.id';
        const joined = 'SELECT p.id FROM photos p JOIN tags t ON t.id = p.id';
        const listed = 'SELECT p.id FROM photos p, tags t WHERE t.id = p.id';
        const nested = \`DELETE FROM photos WHERE id IN (\${'SELECT id FROM old'}) AND id IN (SELECT id FROM older)\`;
        const computed = 'SELECT id FROM unnest($1::bigint[]) AS id';
        const tableless = "SELECT 'a FROM b'";
        const words = 'Delete it: DELETE FROM photos';
      `,
      'src/adapters/typeorm/migrations/1-photos.ts': "const sql = 'DELETE FROM photos';\n",
      'src/http/page.ts': "const sql = 'DELETE FROM photos';\n",
    }),
  );
  expect(statements.all).toBe(7);
  expect(statements.plain.map(({ line }: { line: number }) => line)).toEqual([4, 5]);
});

test('limits are numbers that stand where a limit is expected, not those that have a name', async () => {
  const { limits } = measure(
    await tree({
      'src/core/limits.ts':
        'const KIB = 1024;\nexport const MAX_NAME = 200;\nexport const defaults: Limits = { bytes: 4 * KIB, tags: 70 };\n',
      'src/core/photos/values.ts':
        "export function textErrors(text: string, max: number) {}\ntextErrors('a', 200);\ntextErrors('b', MAX_NAME);\nlater(200);\n",
      'src/http/api/photo.dto.ts': 'class Body { @MaxLength(200) name: string; @MaxLength(1) initial: string }\n',
      'src/http/openapi/photos.ts': 'const name = { maxLength: 200, examples: [200], minimum: -90, maximum: 4096 };\n',
      'src/adapters/photos.ts': 'const name = { maxLength: 200 };\n',
      'src/core/whole.ts': 'export const whole = (least: number, most: number) => null;\n',
      'src/core/quality.ts': "import { whole } from './whole.js';\nconst quality = whole(2, 90);\n",
      'src/http/example.ts':
        "import { later } from '../core/later.js';\nconst whole = (text: string, example: number) => null;\nwhole('A year.', 2026);\n",
    }),
  );
  // Of two functions with one name, the one that the file knows counts.
  expect(limits.places).toBe(7);
  expect(limits.repeated).toEqual([
    { value: 200, files: ['src/core/photos/values.ts', 'src/http/api/photo.dto.ts', 'src/http/openapi/photos.ts'] },
  ]);
  expect(limits.ofConstants.map(({ value, names }: { value: number; names: string[] }) => [value, names])).toEqual([
    [200, ['MAX_NAME']],
    [4096, ['bytes']],
  ]);
});

test('what one more endpoint, field, store and resource would touch is what knows of the one that is there', async () => {
  const { touched } = measure(
    await tree({
      'src/core/photos/set-photo-tags.ts': 'export function setPhotoTags({ store }: Uses) {}\n',
      'src/core/photos/photo.ts': 'export interface Photo { readonly rating: number; readonly berating: number }\n',
      'src/http/api/photos/photo.dto.ts': 'export class TagsBody {}\nexport class PhotoBody { rating: number }\n',
      'src/http/api/photos/photo.view.ts':
        '// rating\nexport const view = (photo: Photo) => ({ rating: photo.rating });\n',
      'src/http/api/photos/photos.controller.ts': `
        import { setPhotoTags } from '../../../core/photos/set-photo-tags.js';
        import { shared } from '../shared.js';
        import { PhotoBody, TagsBody } from './photo.dto.js';
        @Controller('api/v1/photos')
        export class PhotosController {
          @Put(':id/tags') setTags(@Sent() body: TagsBody) { return setPhotoTags(this.ports, body, shared); }
          @Put(':id') edit(@Sent() body: PhotoBody) { return shared; }
        }
      `,
      'src/http/openapi/photos.ts': "export const paths = { '/api/v1/photos/{id}/tags': { put: {} } };\n",
      'src/adapters/typeorm/photos/photo.repository.ts': 'const sql = `SELECT p.rating FROM photos p`;\n',
      'src/adapters/typeorm/migrations/1.ts': "const sql = 'ALTER TABLE photos ADD rating integer';\n",
      'src/adapters/typeorm/migrations/2.ts': "const sql = 'CREATE INDEX ON photos (rating)';\n",
      'src/adapters/s3-blobs/open.ts': 'export const openS3 = 1;\n',
      'src/ports.module.ts': "import { openS3 } from './adapters/s3-blobs/open.js';\n",
      'src/core/events/webhook.ts': 'export interface Webhook {}\n',
      'src/core/customers/customer-store.ts': 'export interface Store { readonly webhooks: unknown }\n',
      'test/api/photos.test.ts': "put('/api/v1/photos/{id}/tags', { rating: webhook });\n",
      'sdk/src/api-types.ts':
        "/**\n * This file was auto-generated by openapi-typescript.\n */\nexport interface Generated { '/api/v1/photos/{id}/tags': { rating: Webhook } }\n",
    }),
  );
  expect(touched.endpoint.files).toEqual([
    'src/core/photos/set-photo-tags.ts',
    'src/http/api/photos/photo.dto.ts',
    'src/http/api/photos/photos.controller.ts',
    'src/http/openapi/photos.ts',
  ]);
  const [rating] = touched.fields;
  expect(rating).toEqual({
    field: 'rating',
    files: [
      'src/adapters/typeorm/migrations/*',
      'src/adapters/typeorm/photos/photo.repository.ts',
      'src/core/photos/photo.ts',
      'src/http/api/photos/photo.dto.ts',
      'src/http/api/photos/photo.view.ts',
    ],
    declared: 2,
    declaredIn: ['src/core/photos/photo.ts', 'src/http/api/photos/photo.dto.ts'],
  });
  expect(touched.store).toMatchObject({ own: ['src/adapters/s3-blobs/open.ts'], others: ['src/ports.module.ts'] });
  expect(touched.resources[0]).toEqual({
    resource: 'webhook',
    own: ['src/core/events/webhook.ts'],
    others: ['src/core/customers/customer-store.ts'],
  });
});

test('in this tree no file has more than 400 lines and no folder more than 16 files', async () => {
  const { sizes, rooms } = measure(root);
  expect(sizes.over).toEqual([]);
  expect(rooms.fullest?.files).toBeLessThanOrEqual(16);
});

test('files over 400 lines and under 10 are found, and files are added up by ring', async () => {
  const lines = (count: number) => '\n'.repeat(count - 1);
  const { sizes, rings, coreConcepts } = measure(
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
  expect(sizes.over.map(({ path, lines }: { path: string; lines: number }) => [path, lines])).toEqual([
    ['src/adapters/tags.ts', 1000],
    ['src/api/photos.controller.ts', 401],
  ]);
  expect(sizes.tiny).toEqual([{ path: 'src/main.ts', lines: 1 }]);
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

test('seconds of the tests are added up by part', async () => {
  const results = join(await tree({}), 'results.json');
  const ran = (name: string, startTime: number, endTime: number) => ({
    name: join(folder, name),
    startTime,
    endTime,
    assertionResults: [{}, {}],
  });
  const testResults = [
    ran('test/core/a.test.ts', 1000, 2500),
    ran('test/core/sub/b.test.ts', 1000, 1500),
    ran('test/api/c.test.ts', 2000, 9000),
  ];
  await writeFile(results, JSON.stringify({ testResults }));
  const { tests } = measure(folder, results);
  expect(tests).toEqual({
    parts: { core: { files: 2, tests: 4, seconds: 2 }, api: { files: 1, tests: 2, seconds: 7 } },
    waited: 8,
  });
});

test('for people it prints a table, with a column for another checkout', async () => {
  await tree({ 'src/core/tags/tag.ts': 'export type Tag = string;\n', 'earlier/src/core/tags/tag.ts': '\n\n' });
  const printed = await house('--root', folder, '--before', join(folder, 'earlier'), '--verbose');
  expect(printed).toMatch(/^\| +\| before \| after \|\n/);
  expect(printed).toMatch(/^\| core\/tags: files, lines \| 1, 2 \| 1, 1 \|$/m);
  expect(printed).toContain('\nUnder 10 lines\n  src/core/tags/tag.ts: 1\n');
});
