import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { writeContents } from './licences.js';

const CORE = '\0core';
const GLOBALS = ['describe', 'it', 'expect', 'beforeAll', 'afterAll', 'beforeEach', 'afterEach'];

/**
 * Writes what other programs import, `photo-service/core` and `photo-service/testing`, into `dist/library`: a module for each, with
 * the packages that they are made from in it, and the declarations. The entry of core exports all that its files export.
 */
export async function writeLibrary(root) {
  const target = join(root, 'dist', 'library');
  const names = readdirSync(join(root, 'src', 'core'), { recursive: true })
    .map((name) => String(name).replaceAll(sep, '/'))
    .filter((name) => name.endsWith('.ts'))
    .sort();
  const entry = names.map((name) => `export * from './${name.replace(/\.ts$/, '.js')}';\n`).join('');
  const draft = await rolldown({
    input: { core: CORE, testing: join(root, 'testing', 'entry.ts') },
    platform: 'node',
    // Each module begins with a comment that names it from here: the same sources give the same bytes.
    cwd: root,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    transform: {
      // The contracts are written with the globals of Jest.
      inject: Object.fromEntries(GLOBALS.map((name) => [name, [join(root, 'testing', 'runner.ts'), name]])),
      define: { __dirname: 'import.meta.dirname' },
    },
    plugins: [
      {
        name: 'core',
        resolveId: (id, importer) =>
          id === CORE ? id : importer === CORE ? join(root, 'src', 'core', id.replace(/\.js$/, '.ts')) : null,
        load: (id) => (id === CORE ? entry : null),
      },
    ],
    logLevel: 'warn',
    onLog: (_, { code, message }) => {
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
    },
  });
  const { output } = await draft.write({ dir: target, format: 'esm', chunkFileNames: '[name]-[hash].js' });
  await draft.close();
  writeContents(
    target,
    output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
  );
  const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.library.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The types of the library could not be written.');
  writeFileSync(join(target, 'types', 'src', 'core', 'entry.d.ts'), entry);
}
