import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { writeContents } from './licences.js';

/**
 * Writes what other programs import, `photo-service/core` and `photo-service/testing`, into `library` of what is built: a module for each, with
 * the packages that they are made from in it, and the declarations. The entry of core exports all that its files export.
 */
export async function writeLibrary(root, dist) {
  const target = join(dist, 'library');
  const entry = readdirSync(join(root, 'src', 'core'), { recursive: true })
    .map((name) => String(name).replaceAll(sep, '/'))
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => `export * from './${name.replace(/\.ts$/, '.js')}';\n`)
    .join('');
  const core = join(dist, 'core', 'entry.js');
  writeFileSync(core, entry);
  const draft = await rolldown({
    input: { core, testing: join(dist, 'testing', 'entry.js') },
    platform: 'node',
    // Each module begins with a comment that names it from here: the same sources give the same bytes.
    cwd: dist,
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
