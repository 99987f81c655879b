import { join } from 'node:path';
import ts from 'typescript';
import { sources } from './sources.js';

/*
 * What the types of src/core/shared/transactional.ts refuse. It is asked of the compiler, with a use case that does not exist.
 */

const root = join(__dirname, '../..');
const madeUp = join(root, 'src/core/photos/made-up.ts');

const imports = `
  import type { CustomerStore } from '../ports.js';
  import type { Readable, Reader, Transaction, Transactional } from '../shared/transactional.js';
`;

/** All of core, since each concept adds repositories to the same two interfaces. */
const core = sources().flatMap(({ path }) => (path.startsWith('src/core/') ? join(root, path) : []));
const parsed = new Map<string, ts.SourceFile | undefined>();

/** The messages of the compiler for a use case with this text. */
function problemsOf(text: string): readonly string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => path === madeUp || fileExists(path);
  host.readFile = (path) => (path === madeUp ? imports + text : readFile(path));
  host.getSourceFile = (path, version) => {
    if (path === madeUp) return ts.createSourceFile(path, imports + text, version);
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, version));
    return parsed.get(path);
  };
  const program = ts.createProgram([...core, madeUp], options, host);
  const source = program.getSourceFile(madeUp);
  return ts
    .getPreEmitDiagnostics(program, source)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('a use case works with the repositories that it names, and the store of an adapter satisfies every choice', () => {
  const text = `
    const trash = (store: Transactional<'photos' | 'outbox'>, at: Date) =>
      store.transaction(1, async ({ photos, outbox }) => {
        await photos.delete(7);
        await outbox.add('photo.deleted', [7], at);
      });
    const read = (store: Readable<'photos' | 'tags'>) => store.query(1, (reader) => tagsOf(reader));
    const tagsOf = (reader: Reader<'tags'>) => reader.tags.ofPhoto(7);
    export async function both(store: CustomerStore, named: Transactional<'photos' | 'outbox' | 'tags'>, at: Date) {
      await trash(store, at);
      await trash(named, at);
      await read(named);
    }
  `;
  expect(problemsOf(text)).toEqual([]);
});

test.each([
  [
    'a repository that is not named',
    `export const f = (store: Transactional<'photos'>) => store.transaction(1, async ({ outbox }) => void outbox);`,
    /'outbox' does not exist/,
  ],
  [
    'a write while reading',
    `export const f = (store: Readable<'photos'>) => store.query(1, (reader) => reader.photos.delete(7));`,
    /'delete' does not exist on type 'PhotoReads'/,
  ],
  [
    'a write outside a transaction',
    `export const f = (store: Transactional<'customer'>) => store.query(1, (reader) => reader.customer.lock());`,
    /'lock' does not exist on type 'CustomerReads'/,
  ],
  [
    'a transaction of a store for reading',
    `export const f = (store: Readable<'photos'>) => store.transaction(1, async () => undefined);`,
    /'transaction' does not exist/,
  ],
  [
    'a store with fewer repositories than are named',
    `declare const f: (store: Transactional<'photos' | 'outbox'>) => void;
     export const g = (store: Transactional<'photos'>) => f(store);`,
    /'outbox' is missing/,
  ],
  [
    'a transaction with fewer repositories than are named',
    `declare const f: (transaction: Transaction<'photos' | 'outbox'>) => void;
     export const g = (transaction: Transaction<'photos'>) => f(transaction);`,
    /'outbox' is missing/,
  ],
  [
    'a name that no concept declares',
    `export type Store = Transactional<'phots'>;`,
    /'"phots"' does not satisfy the constraint/,
  ],
])('the compiler refuses %s', (_, text, message) => {
  const problems = problemsOf(text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(message);
});
